import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Activity, SearchX } from 'lucide-react'
import { Button } from '../kit/button'
import { Kbd } from '../kit/kbd'
import { ErrorNotice } from '../kit/notices'
import { Page, PageHeader } from '../kit/page-header'
import { EmptyState, SkeletonRows } from '../kit/placeholders'
import { Worded } from '../kit/worded'
import { texts } from '../texts/runs'
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
        title={texts.title}
        description={texts.list.description}
        actions={
          <span className="hidden items-center gap-1.5 text-xs text-faint lg:flex">
            <Worded
              text={texts.list.keys}
              with={{ down: <Kbd>j</Kbd>, up: <Kbd>k</Kbd>, enter: <Kbd>{texts.list.enterKey}</Kbd> }}
            />
          </span>
        }
      />
      <section
        aria-label={texts.title}
        className="flex min-w-0 flex-col overflow-hidden rounded-xl border bg-surface shadow-card"
      >
        <FilterBar filters={filters} onChange={narrow} />
        {error ? (
          <div className="p-4">
            <ErrorNotice title={texts.failed} error={error} onRetry={() => void refetch()} />
          </div>
        ) : !data ? (
          <SkeletonRows rows={8} label={texts.loading} />
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
    title={texts.list.empty.title}
    action={
      <Button asChild variant="primary">
        <Link to="/chat">{texts.list.empty.ask}</Link>
      </Button>
    }
  >
    {texts.list.empty.hint}
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
    title={loading ? texts.list.noneFits.looking : texts.list.noneFits.title}
    action={
      <>
        <Button onClick={onClear}>{texts.list.noneFits.showAll}</Button>
        {more && (
          <Button pending={loading} onClick={onMore}>
            {texts.list.noneFits.lookFurther}
          </Button>
        )}
      </>
    }
  >
    {more ? texts.list.noneFits.soFar : texts.list.noneFits.hint}
  </EmptyState>
)
