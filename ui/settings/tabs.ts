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

export const SETTINGS_TABS = [
  { value: 'overview', label: 'Overview', icon: SlidersHorizontal },
  { value: 'telemetry', label: 'Telemetry', icon: Activity },
  { value: 'mcp', label: 'MCP', icon: Plug },
  { value: 'rag', label: 'RAG', icon: ScrollText },
  { value: 'inference', label: 'Inference', icon: Cpu },
  { value: 'users', label: 'Users', icon: Users },
  { value: 'samples', label: 'Samples', icon: Sparkles },
] as const satisfies readonly { value: string; label: string; icon: LucideIcon }[]

export type SettingsTab = (typeof SETTINGS_TABS)[number]['value']

/** What changes the platform is the admins'; an editor installs samples, and anybody may look at them. */
export const OPEN_TABS = SETTINGS_TABS.filter(({ value }) => value === 'overview' || value === 'samples')

export const tabOf = (text: string | undefined): SettingsTab =>
  SETTINGS_TABS.find(({ value }) => value === text)?.value ?? 'overview'
