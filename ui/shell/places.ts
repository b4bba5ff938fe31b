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
import { texts as shell } from '../texts/shell'

const texts = shell.places

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
  { to: '/', title: texts.dashboard, short: texts.dashboardShort, icon: LayoutDashboard },
  { to: '/inbox', title: texts.inbox, icon: Inbox, atTop: true },
  { to: '/chat', title: texts.chat, icon: MessageSquare },
  { to: '/agents', title: texts.agents, icon: Workflow },
  { to: '/runs', title: texts.runs, icon: Activity },
  { to: '/sessions', title: texts.sessions, icon: MessagesSquare },
  { to: '/registries', title: texts.models, icon: Boxes },
  { to: '/gateway', title: texts.gateway, icon: Waypoints },
  { to: '/settings', title: texts.settings, icon: Settings },
]
