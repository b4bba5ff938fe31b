import { texts } from '../texts/gateway'

const GATEWAY_TABS = [
  { value: 'overview', label: texts.tabs.overview },
  { value: 'sessions', label: texts.tabs.sessions },
  { value: 'reports', label: texts.tabs.reports },
  { value: 'keys', label: texts.tabs.keys },
  { value: 'archives', label: texts.tabs.archives, admin: true },
  { value: 'settings', label: texts.tabs.settings, admin: true },
] as const satisfies readonly { value: string; label: string; admin?: true }[]

export type GatewayTab = (typeof GATEWAY_TABS)[number]['value']

/** Archives and settings are the admins'. */
export const tabsFor = (isAdmin: boolean) => GATEWAY_TABS.filter((tab) => isAdmin || !('admin' in tab))

export const tabOf = (text: string | undefined, isAdmin: boolean): GatewayTab =>
  tabsFor(isAdmin).find(({ value }) => value === text)?.value ?? 'overview'
