import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import { Button } from '../kit/button'
import { ErrorNotice } from '../kit/notices'
import { Page, PageHeader } from '../kit/page-header'
import { EmptyState, Skeleton } from '../kit/placeholders'

export const PageLoading = () => (
  <Page>
    <div role="status" className="flex flex-col gap-6">
      <span className="sr-only">Loading</span>
      <Skeleton className="h-7 w-40" />
      <Skeleton className="h-64 w-full rounded-xl" />
    </div>
  </Page>
)

/** A bug in a screen, or a chunk that could not be fetched after an update: both are cured by loading again. */
export function PageFailed({ error }: ErrorComponentProps) {
  const router = useRouter()
  return (
    <Page>
      <PageHeader title="This screen failed" />
      <ErrorNotice
        error={error}
        help="Loading the page again usually helps. If it does not, restart Tycho."
        onRetry={() => {
          if (router.state.isLoading) return
          location.reload()
        }}
      />
    </Page>
  )
}

export const NotFound = () => (
  <Page>
    <PageHeader title="There is nothing here" />
    <EmptyState
      icon={<Compass aria-hidden />}
      title="This address leads nowhere"
      action={
        <Button asChild variant="primary">
          <Link to="/">Go to the dashboard</Link>
        </Button>
      }
    >
      It may be misspelt, or what it named is gone.
    </EmptyState>
  </Page>
)
