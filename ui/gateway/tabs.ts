const GATEWAY_TABS = [
  { value: 'overview', label: 'Overview' },
  { value: 'sessions', label: 'Sessions' },
  { value: 'reports', label: 'Reports' },
  { value: 'keys', label: 'Developers & keys' },
  { value: 'archives', label: 'Archives', admin: true },
  { value: 'settings', label: 'Settings', admin: true },
] as const satisfies readonly { value: string; label: string; admin?: true }[]

export type GatewayTab = (typeof GATEWAY_TABS)[number]['value']

/** Archives and settings are the admins'. */
export const tabsFor = (isAdmin: boolean) => GATEWAY_TABS.filter((tab) => isAdmin || !('admin' in tab))

export const tabOf = (text: string | undefined, isAdmin: boolean): GatewayTab =>
  tabsFor(isAdmin).find(({ value }) => value === text)?.value ?? 'overview'
