import { Link } from '@tanstack/react-router'
import { ArrowLeft, Zap } from 'lucide-react'
import { Button } from '../kit/button'
import { ErrorNotice } from '../kit/notices'
import { Page, PageHeader } from '../kit/page-header'
import { EmptyState, SkeletonRows } from '../kit/placeholders'
import { texts } from '../texts/triggers'
import { useTriggers } from './data'
import { TriggerList, useKnownSecrets } from './list'

/** Everything that starts runs by itself, of whatever agent. New ones are made where their agent is. */
export function TriggersPage() {
  const { data, error, refetch } = useTriggers()
  const known = useKnownSecrets()
  return (
    <Page>
      <PageHeader
        title={texts.title}
        description={texts.page.description}
        back={
          <Link to="/agents" className="inline-flex items-center gap-1.5 hover:text-text">
            <ArrowLeft aria-hidden className="size-3.5" />
            {texts.page.agents}
          </Link>
        }
      />
      {error ? (
        <ErrorNotice title={texts.failed} error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <SkeletonRows rows={3} label={texts.loading} />
      ) : data.length === 0 ? (
        <EmptyState
          icon={<Zap aria-hidden />}
          title={texts.empty}
          action={
            <Button asChild>
              <Link to="/agents">{texts.page.chooseAgent}</Link>
            </Button>
          }
        >
          {texts.page.emptyHint}
        </EmptyState>
      ) : (
        <TriggerList label={texts.page.list} triggers={data} withAgent {...known} />
      )}
    </Page>
  )
}
