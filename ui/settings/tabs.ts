import {
  Activity,
  Cpu,
  type LucideIcon,
  Plug,
  ScrollText,
  SlidersHorizontal,
  Sparkles,
  Users,
} from 'lucide-react'
import { texts } from '../texts/settings'

export const SETTINGS_TABS = [
  { value: 'overview', label: texts.tabs.overview, icon: SlidersHorizontal },
  { value: 'telemetry', label: texts.tabs.telemetry, icon: Activity },
  { value: 'mcp', label: texts.tabs.mcp, icon: Plug },
  { value: 'rag', label: texts.tabs.rag, icon: ScrollText },
  { value: 'inference', label: texts.tabs.inference, icon: Cpu },
  { value: 'users', label: texts.tabs.users, icon: Users },
  { value: 'samples', label: texts.tabs.samples, icon: Sparkles },
] as const satisfies readonly { value: string; label: string; icon: LucideIcon }[]

export type SettingsTab = (typeof SETTINGS_TABS)[number]['value']

/** What changes the platform is the admins'; an editor installs samples, and anybody may look at them. */
export const OPEN_TABS = SETTINGS_TABS.filter(({ value }) => value === 'overview' || value === 'samples')

export const tabOf = (text: string | undefined): SettingsTab =>
  SETTINGS_TABS.find(({ value }) => value === text)?.value ?? 'overview'
