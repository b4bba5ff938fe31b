import { useNavigate, useSearch } from '@tanstack/react-router'
import { useAccount } from '../auth/data'
import { Page, PageHeader } from '../kit/page-header'
import { Tabs } from '../kit/tabs'
import { texts } from '../texts/gateway'
import { ArchivesTab } from './archives-tab'
import { KeysTab } from './keys-tab'
import { OverviewTab } from './overview-tab'
import { ReportsTab } from './reports-tab'
import { SessionsTab } from './sessions-tab'
import { SettingsTab } from './settings-tab'
import { type GatewayTab, tabOf, tabsFor } from './tabs'

/** What coding tools did through the AI gateway. */
export function GatewayPage() {
  const isAdmin = useAccount().role === 'admin'
  const tab = tabOf(useSearch({ from: '/gateway' }).tab, isAdmin)
  const navigate = useNavigate()
  return (
    <Page wide={tab === 'reports' || tab === 'sessions'}>
      <PageHeader
        title={texts.title}
        description={isAdmin ? texts.description.everybodys : texts.description.own}
      />
      <Tabs
        label={texts.tabsLabel}
        value={tab}
        onChange={(next) =>
          navigate({ to: '/gateway', search: { tab: next === 'overview' ? undefined : next } })
        }
        tabs={tabsFor(isAdmin)}
      >
        {contentOf(tab)}
      </Tabs>
    </Page>
  )
}

function contentOf(tab: GatewayTab) {
  switch (tab) {
    case 'overview':
      return <OverviewTab />
    case 'sessions':
      return <SessionsTab />
    case 'reports':
      return <ReportsTab />
    case 'keys':
      return <KeysTab />
    case 'archives':
      return <ArchivesTab />
    case 'settings':
      return <SettingsTab />
  }
}
