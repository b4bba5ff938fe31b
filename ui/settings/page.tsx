import { useNavigate, useSearch } from '@tanstack/react-router'
import { ShieldCheck } from 'lucide-react'
import { useAccount } from '../auth/data'
import { Button } from '../kit/button'
import { Page, PageHeader } from '../kit/page-header'
import { EmptyState } from '../kit/placeholders'
import { Tabs } from '../kit/tabs'
import { SamplesTab } from '../samples/samples-tab'
import { useShell } from '../shell/context'
import { texts } from '../texts/settings'
import { UsersTab } from '../users/users-tab'
import { MCP, RAG, TELEMETRY } from './groups'
import { InferenceTab } from './inference-tab'
import { OverviewTab } from './overview-tab'
import { PlatformTab } from './platform-tab'
import { OPEN_TABS, SETTINGS_TABS, type SettingsTab, tabOf } from './tabs'

export function SettingsPage() {
  const isAdmin = useAccount().role === 'admin'
  return (
    <Page>
      <PageHeader title={texts.title} description={texts.description} />
      <SettingsTabs isAdmin={isAdmin} />
    </Page>
  )
}

function SettingsTabs({ isAdmin }: { isAdmin: boolean }) {
  const asked = tabOf(useSearch({ from: '/settings' }).tab)
  const tab = isAdmin || asked === 'samples' ? asked : 'overview'
  const navigate = useNavigate()
  const show = (next: SettingsTab) =>
    navigate({ to: '/settings', search: { tab: next === 'overview' ? undefined : next } })
  return (
    <Tabs label={texts.parts} value={tab} onChange={show} tabs={isAdmin ? SETTINGS_TABS : OPEN_TABS}>
      {isAdmin || tab === 'samples' ? contentOf(tab) : <ForAdmins />}
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
    case 'samples':
      return <SamplesTab />
  }
}

function ForAdmins() {
  const { openProfile } = useShell()
  return (
    <EmptyState
      icon={<ShieldCheck aria-hidden />}
      title={texts.forAdmins.title}
      action={<Button onClick={openProfile}>{texts.forAdmins.openAccount}</Button>}
    >
      {texts.forAdmins.hint}
    </EmptyState>
  )
}
