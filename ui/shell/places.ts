import {
  Activity,
  Boxes,
  Inbox,
  LayoutDashboard,
  type LucideIcon,
  MessageSquare,
  MessagesSquare,
  Settings,
  Workflow,
} from 'lucide-react'

export interface Place {
  to: '/' | '/inbox' | '/chat' | '/agents' | '/runs' | '/sessions' | '/registries' | '/settings'
  title: string
  icon: LucideIcon
  /** On a phone it is in the bar at the top. */
  atTop?: boolean
}

/** The screens one can go to from everywhere, in the order of the rail. */
export const PLACES: readonly Place[] = [
  { to: '/', title: 'Dashboard', icon: LayoutDashboard },
  { to: '/inbox', title: 'Inbox', icon: Inbox, atTop: true },
  { to: '/chat', title: 'Chat', icon: MessageSquare },
  { to: '/agents', title: 'Agents', icon: Workflow },
  { to: '/runs', title: 'Runs', icon: Activity },
  { to: '/sessions', title: 'Sessions', icon: MessagesSquare },
  { to: '/registries', title: 'Models', icon: Boxes },
  { to: '/settings', title: 'Settings', icon: Settings },
]
