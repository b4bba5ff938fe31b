import { useNavigate, useSearch } from '@tanstack/react-router'
import { Inbox } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../kit/button'
import { ErrorNotice } from '../kit/notices'
import { Page, PageHeader } from '../kit/page-header'
import { EmptyState, SkeletonRows } from '../kit/placeholders'
import type { Run } from '../runs/data'
import { texts as waiting } from '../texts/waiting'
import { useWaitingRuns } from './data'
import { InboxItem } from './inbox-item'

const texts = waiting.inbox

/** The runs that wait for a person; one is opened and answered in place. */
export function InboxPage() {
  const { run: openId } = useSearch({ from: '/inbox' })
  const navigate = useNavigate({ from: '/inbox' })
  const { runs, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useWaitingRuns()
  // What was opened here stays, answered or not, until one goes elsewhere.
  const [opened, setOpened] = useState<readonly Run[]>([])
  const shown = runs && withOpened(runs, opened)

  function toggle(run: Run) {
    setOpened((now) => (now.some(({ id }) => id === run.id) ? now : [...now, run]))
    const isOpen = run.id === openId
    void navigate({ search: isOpen ? {} : { run: run.id }, replace: true, resetScroll: false })
  }

  return (
    <Page>
      <PageHeader title={texts.title} description={texts.description} />
      <section
        aria-label={texts.list}
        className="min-w-0 overflow-hidden rounded-xl border bg-surface shadow-card"
      >
        {error && !shown ? (
          <div className="p-4">
            <ErrorNotice title={texts.failed} error={error} onRetry={() => void refetch()} />
          </div>
        ) : !shown ? (
          <SkeletonRows rows={4} label={texts.loading} />
        ) : shown.length === 0 ? (
          <EmptyState icon={<Inbox aria-hidden />} title={texts.empty}>
            {texts.emptyHint}
          </EmptyState>
        ) : (
          <ul className="divide-y divide-line">
            {shown.map((run) => (
              <InboxItem
                key={run.id}
                run={run}
                open={run.id === openId}
                opened={opened.some(({ id }) => id === run.id)}
                onToggle={() => toggle(run)}
              />
            ))}
          </ul>
        )}
      </section>
      {hasNextPage && (
        <div className="flex justify-center">
          <Button pending={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {texts.showMore}
          </Button>
        </div>
      )}
    </Page>
  )
}

function withOpened(runs: readonly Run[], opened: readonly Run[]): Run[] {
  const waiting = new Set(runs.map(({ id }) => id))
  return [...runs, ...opened.filter(({ id }) => !waiting.has(id))].toSorted((a, b) =>
    b.created_at.localeCompare(a.created_at),
  )
}
