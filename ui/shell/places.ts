import {
  Activity,
  Boxes,
  Inbox,
  LayoutDashboard,
  type LucideIcon,
  MessageSquare,
  MessagesSquare,
  Settings,
  Waypoints,
  Workflow,
} from 'lucide-react'

export interface Place {
  to: '/' | '/inbox' | '/chat' | '/agents' | '/runs' | '/sessions' | '/registries' | '/gateway' | '/settings'
  title: string
  /** For the bar of a phone, where eight of them share 360 pixels. */
  short?: string
  icon: LucideIcon
  /** On a phone it is in the bar at the top. */
  atTop?: boolean
}

/** The screens one can go to from everywhere, in the order of the rail. */
export const PLACES: readonly Place[] = [
  { to: '/', title: 'Dashboard', short: 'Home', icon: LayoutDashboard },
  { to: '/inbox', title: 'Inbox', icon: Inbox, atTop: true },
  { to: '/chat', title: 'Chat', icon: MessageSquare },
  { to: '/agents', title: 'Agents', icon: Workflow },
  { to: '/runs', title: 'Runs', icon: Activity },
  { to: '/sessions', title: 'Sessions', icon: MessagesSquare },
  { to: '/registries', title: 'Models', icon: Boxes },
  { to: '/gateway', title: 'Gateway', icon: Waypoints },
  { to: '/settings', title: 'Settings', icon: Settings },
]
