import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router'
import { Compass } from 'lucide-react'
import { Button } from '../kit/button'
import { ErrorNotice } from '../kit/notices'
import { Page, PageHeader } from '../kit/page-header'
import { EmptyState, Skeleton } from '../kit/placeholders'
import { texts as shell } from '../texts/shell'

const texts = shell.page

export const PageLoading = () => (
  <Page>
    <div role="status" className="flex flex-col gap-6">
      <span className="sr-only">{texts.loading}</span>
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
      <PageHeader title={texts.failed} />
      <ErrorNotice
        error={error}
        help={texts.failedHelp}
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
    <PageHeader title={texts.notFound} />
    <EmptyState
      icon={<Compass aria-hidden />}
      title={texts.notFoundTitle}
      action={
        <Button asChild variant="primary">
          <Link to="/">{texts.toDashboard}</Link>
        </Button>
      }
    >
      {texts.notFoundHint}
    </EmptyState>
  </Page>
)
