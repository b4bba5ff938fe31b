import { useNavigate, useSearch } from '@tanstack/react-router'
import { ShieldCheck } from 'lucide-react'
import { useAccount } from '../auth/data'
import { Button } from '../kit/button'
import { Page, PageHeader } from '../kit/page-header'
import { EmptyState } from '../kit/placeholders'
import { Tabs } from '../kit/tabs'
import { useShell } from '../shell/context'
import { UsersTab } from '../users/users-tab'
import { MCP, RAG, TELEMETRY } from './groups'
import { InferenceTab } from './inference-tab'
import { OverviewTab } from './overview-tab'
import { PlatformTab } from './platform-tab'
import { SETTINGS_TABS, type SettingsTab, tabOf } from './tabs'

export function SettingsPage() {
  const isAdmin = useAccount().role === 'admin'
  return (
    <Page>
      <PageHeader title="Settings" description="How this install behaves, for everybody who uses it." />
      {isAdmin ? <SettingsTabs /> : <ForAdmins />}
    </Page>
  )
}

function SettingsTabs() {
  const tab = tabOf(useSearch({ from: '/settings' }).tab)
  const navigate = useNavigate()
  const show = (next: SettingsTab) =>
    navigate({ to: '/settings', search: { tab: next === 'overview' ? undefined : next } })
  return (
    <Tabs label="Parts of the settings" value={tab} onChange={show} tabs={SETTINGS_TABS}>
      {contentOf(tab)}
    </Tabs>
  )
}

function contentOf(tab: SettingsTab) {
  switch (tab) {
    case 'overview':
      return <OverviewTab />
    case 'telemetry':
      return <PlatformTab groups={TELEMETRY} />
    case 'mcp':
      return <PlatformTab groups={MCP} />
    case 'rag':
      return <PlatformTab groups={RAG} />
    case 'inference':
      return <InferenceTab />
    case 'users':
      return <UsersTab />
  }
}

function ForAdmins() {
  const { openProfile } = useShell()
  return (
    <EmptyState
      icon={<ShieldCheck aria-hidden />}
      title="Settings are for admins"
      action={<Button onClick={openProfile}>Open your account</Button>}
    >
      They hold for everybody here, so it takes the role admin to see and change them. Your own name,
      password, theme and API keys are in your account.
    </EmptyState>
  )
}
