import { Link } from '@tanstack/react-router'
import { Activity, SearchX } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../kit/button'
import { Input } from '../kit/input'
import { Kbd } from '../kit/kbd'
import { ErrorNotice } from '../kit/notices'
import { Page, PageHeader } from '../kit/page-header'
import { EmptyState, SkeletonRows } from '../kit/placeholders'
import { Select } from '../kit/select'
import { type Run, useRuns } from './data'
import { RunList } from './list'
import { lookOf } from './status'

const STATUSES = ['Running', 'Waiting', 'Completed', 'Failed', 'Stopped'] as const
type Filter = 'all' | (typeof STATUSES)[number]

export function RunsPage() {
  const { runs, data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useRuns()
  const [status, setStatus] = useState<Filter>('all')
  const [text, setText] = useState('')
  const matching = runs.filter((run) => fits(run, status, text))
  const filtered = status !== 'all' || text !== ''

  return (
    <Page wide>
      <PageHeader
        title="Runs"
        description="Every question asked, with what came back and where the time went."
        actions={
          <span className="hidden items-center gap-1.5 text-xs text-faint lg:flex">
            <Kbd>j</Kbd>
            <Kbd>k</Kbd> move <Kbd>Enter</Kbd> open
          </span>
        }
      />
      <section
        aria-label="Runs"
        className="flex min-w-0 flex-col overflow-hidden rounded-xl border bg-surface shadow-card"
      >
        <div className="flex flex-wrap items-center gap-2 border-b p-2">
          <Input
            type="search"
            aria-label="Find by model or answer"
            placeholder="Find by model or answer…"
            value={text}
            onChange={(event) => setText(event.target.value)}
            className="max-w-72 flex-1"
          />
          <div className="w-36">
            <Select
              aria-label="Status"
              value={status}
              onChange={setStatus}
              options={[
                { value: 'all', label: 'Any status' },
                ...STATUSES.map((value) => ({ value, label: value })),
              ]}
            />
          </div>
          {filtered && (
            <span className="ml-auto px-2 text-xs text-faint" role="status">
              {matching.length} of {runs.length} loaded
            </span>
          )}
        </div>
        {error ? (
          <div className="p-4">
            <ErrorNotice title="The runs could not be loaded" error={error} onRetry={() => void refetch()} />
          </div>
        ) : !data ? (
          <SkeletonRows rows={8} label="Loading the runs" />
        ) : runs.length === 0 ? (
          <NoRuns />
        ) : matching.length === 0 ? (
          <NoneFits
            more={hasNextPage}
            loading={isFetchingNextPage}
            onMore={() => void fetchNextPage()}
            onClear={() => {
              setStatus('all')
              setText('')
            }}
          />
        ) : (
          <RunList
            runs={matching}
            more={hasNextPage}
            loadingMore={isFetchingNextPage}
            onMore={() => void fetchNextPage()}
          />
        )}
      </section>
    </Page>
  )
}

function fits(run: Run, status: Filter, text: string): boolean {
  if (status !== 'all' && lookOf(run).label !== status) return false
  const wanted = text.trim().toLowerCase()
  return (
    wanted === '' ||
    [run.model, run.output, run.error, run.id].some((field) => field?.toLowerCase().includes(wanted))
  )
}

const NoRuns = () => (
  <EmptyState
    icon={<Activity aria-hidden />}
    title="No runs yet"
    action={
      <Button asChild variant="primary">
        <Link to="/chat">Ask a model something</Link>
      </Button>
    }
  >
    Each question you ask leaves a run here: its answer, how long it took, and a timeline of every step.
  </EmptyState>
)

interface NoneFitsProps {
  more: boolean
  loading: boolean
  onMore: () => void
  onClear: () => void
}

const NoneFits = ({ more, loading, onMore, onClear }: NoneFitsProps) => (
  <EmptyState
    icon={<SearchX aria-hidden />}
    title="No loaded run fits"
    action={
      <>
        <Button onClick={onClear}>Show all</Button>
        {more && (
          <Button pending={loading} onClick={onMore}>
            Look at older runs
          </Button>
        )}
      </>
    }
  >
    The search looks at the runs loaded so far.
  </EmptyState>
)
