import { Link } from '@tanstack/react-router'
import { ArrowLeft, Zap } from 'lucide-react'
import { Button } from '../kit/button'
import { ErrorNotice } from '../kit/notices'
import { Page, PageHeader } from '../kit/page-header'
import { EmptyState, SkeletonRows } from '../kit/placeholders'
import { useTriggers } from './data'
import { TriggerList, useKnownSecrets } from './list'

/** Everything that starts runs by itself, of whatever agent. New ones are made where their agent is. */
export function TriggersPage() {
  const { data, error, refetch } = useTriggers()
  const known = useKnownSecrets()
  return (
    <Page>
      <PageHeader
        title="Triggers"
        description="Schedules and webhooks of all agents."
        back={
          <Link to="/agents" className="inline-flex items-center gap-1.5 hover:text-text">
            <ArrowLeft aria-hidden className="size-3.5" />
            Agents
          </Link>
        }
      />
      {error ? (
        <ErrorNotice title="The triggers could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <SkeletonRows rows={3} label="Loading the triggers" />
      ) : data.length === 0 ? (
        <EmptyState
          icon={<Zap aria-hidden />}
          title="No triggers yet"
          action={
            <Button asChild>
              <Link to="/agents">Choose an agent</Link>
            </Button>
          }
        >
          A trigger is made on the page of the agent that it runs.
        </EmptyState>
      ) : (
        <TriggerList label="Triggers of all agents" triggers={data} withAgent {...known} />
      )}
    </Page>
  )
}
