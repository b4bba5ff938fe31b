import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Activity, SearchX } from 'lucide-react'
import { Button } from '../kit/button'
import { Kbd } from '../kit/kbd'
import { ErrorNotice } from '../kit/notices'
import { Page, PageHeader } from '../kit/page-header'
import { EmptyState, SkeletonRows } from '../kit/placeholders'
import { useRuns } from './data'
import { FilterBar } from './filter-bar'
import { isNarrowed, type RunFilters } from './filters'
import { RunList } from './list'

export function RunsPage() {
  const filters = useSearch({ from: '/runs' })
  const navigate = useNavigate({ from: '/runs' })
  const { runs, data, error, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = useRuns(filters)
  const narrow = (change: RunFilters) =>
    void navigate({ search: (now) => ({ ...now, ...change }), replace: true })

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
        <FilterBar filters={filters} onChange={narrow} />
        {error ? (
          <div className="p-4">
            <ErrorNotice title="The runs could not be loaded" error={error} onRetry={() => void refetch()} />
          </div>
        ) : !data ? (
          <SkeletonRows rows={8} label="Loading the runs" />
        ) : runs.length === 0 && !isNarrowed(filters) ? (
          <NoRuns />
        ) : runs.length === 0 ? (
          <NoneFits
            more={hasNextPage}
            loading={isFetchingNextPage}
            onMore={() => void fetchNextPage()}
            onClear={() => void navigate({ search: {}, replace: true })}
          />
        ) : (
          <RunList
            runs={runs}
            more={hasNextPage}
            loadingMore={isFetchingNextPage}
            onMore={() => void fetchNextPage()}
          />
        )}
      </section>
    </Page>
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
    title={loading ? 'Looking through older runs…' : 'No run fits'}
    action={
      <>
        <Button onClick={onClear}>Show all</Button>
        {more && (
          <Button pending={loading} onClick={onMore}>
            Look further
          </Button>
        )}
      </>
    }
  >
    {more ? 'None among those looked through so far.' : 'Nothing in the whole history is like that.'}
  </EmptyState>
)
