import { Link } from '@tanstack/react-router'
import { Boxes, MessageSquare, Plus, Workflow } from 'lucide-react'
import { useAccount } from '../auth/data'
import { Button } from '../kit/button'
import { Card } from '../kit/card'
import { Page, PageHeader } from '../kit/page-header'
import { EmptyState } from '../kit/placeholders'
import { Engines } from '../registries/engines'
import { SlotCount, Slots } from '../registries/slots'
import { SamplesLink } from '../samples/samples-link'
import { PlaneStates } from '../shell/plane-health'
import { texts as common } from '../texts/common'
import { texts } from '../texts/dashboard'
import { WaitingCard } from '../waiting/card'
import { useModels, useStats } from './data'
import { Figures } from './figures'
import { LatestRuns, LatestSessions, Models } from './latest'

/** How things are, and what to do next. */
export function DashboardPage() {
  const { display_name, role } = useAccount()
  const models = useModels()
  const stats = useStats()
  const isBare = models.data?.length === 0
  const lacksAgents = stats.data?.agents === 0 && models.data !== undefined && !isBare
  return (
    <Page>
      <PageHeader
        title={texts.title}
        description={texts.signedInAs(display_name)}
        actions={
          <>
            <Button asChild>
              <Link to="/registries">
                <Plus aria-hidden className="size-4" />
                {common.addModel}
              </Link>
            </Button>
            <Button asChild variant="primary">
              <Link to="/chat">
                <MessageSquare aria-hidden className="size-4" />
                {texts.newChat}
              </Link>
            </Button>
          </>
        }
      />
      {isBare && <FirstModel />}
      <WaitingCard />
      {lacksAgents && role !== 'viewer' && <FirstAgent />}
      <Figures />
      <div className="grid min-w-0 items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="flex min-w-0 flex-col gap-6">
          <LatestRuns />
          <LatestSessions />
        </div>
        <div className="flex min-w-0 flex-col gap-6">
          <Card title={texts.planes}>
            <PlaneStates />
          </Card>
          <Card title={texts.inMemory} actions={<SlotCount />}>
            <Slots />
          </Card>
          <Engines />
          <Models />
        </div>
      </div>
    </Page>
  )
}

/** Without a model there is nothing to talk to: that comes first. */
const FirstModel = () => (
  <Card>
    <EmptyState
      icon={<Boxes aria-hidden />}
      title={texts.firstModel.title}
      className="py-6"
      action={
        <>
          <Button asChild variant="primary">
            <Link to="/registries" search={{ tab: 'catalog' }}>
              {texts.firstModel.browse}
            </Link>
          </Button>
          <Button asChild>
            <Link to="/registries">{common.addModel}</Link>
          </Button>
        </>
      }
    >
      {texts.firstModel.hint}
    </EmptyState>
  </Card>
)

/** A model is there; what it can be part of is seen best in a graph that works. */
const FirstAgent = () => (
  <Card>
    <EmptyState
      icon={<Workflow aria-hidden />}
      title={texts.firstAgent.title}
      className="py-6"
      action={<SamplesLink variant="primary" />}
    >
      {texts.firstAgent.hint}
    </EmptyState>
  </Card>
)
