import { Ban, CircleCheck, CircleX, Download, Library, LoaderCircle, Play, RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../kit/button'
import { Card } from '../kit/card'
import { ErrorNotice } from '../kit/notices'
import { EmptyState, SkeletonRows } from '../kit/placeholders'
import { useModels } from '../registries/data'
import { byteSize, engineName } from '../registries/labels'
import { texts as catalog } from '../texts/catalog'
import { isActive, type Job, useDownloads, useInstall } from './data'
import { DownloadProgress } from './download-progress'

const texts = catalog.downloads

interface DownloadsTabProps {
  onTry: (id: string) => void
  onBrowse: () => void
}

export function DownloadsTab({ onTry, onBrowse }: DownloadsTabProps) {
  const { data: jobs, error, refetch } = useDownloads()
  return (
    <Card flush>
      {error && !jobs ? (
        <ErrorNotice title={texts.failed} error={error} onRetry={() => void refetch()} className="m-4" />
      ) : !jobs ? (
        <SkeletonRows rows={3} label={texts.loading} />
      ) : jobs.length === 0 ? (
        <EmptyState
          icon={<Download aria-hidden />}
          title={texts.empty}
          action={
            <Button icon={<Library aria-hidden className="size-4" />} onClick={onBrowse}>
              {texts.browse}
            </Button>
          }
        >
          {texts.hint}
        </EmptyState>
      ) : (
        <ul aria-label={texts.title} className="divide-y divide-line">
          {jobs.map((job) => (
            <Row key={job.id} job={job} onTry={onTry} />
          ))}
        </ul>
      )}
    </Card>
  )
}

const SIGNS: Record<Job['status'], ReactNode> = {
  downloading: <LoaderCircle aria-hidden className="size-4 animate-spin text-accent" />,
  registering: <LoaderCircle aria-hidden className="size-4 animate-spin text-accent" />,
  done: <CircleCheck aria-hidden className="size-4 text-good" />,
  error: <CircleX aria-hidden className="size-4 text-bad" />,
  cancelled: <Ban aria-hidden className="size-4 text-faint" />,
}

/** How to begin what ended without a model once more. */
const AGAIN: Partial<Record<Job['status'], string>> = texts.again

function Row({ job, onTry }: { job: Job; onTry: (id: string) => void }) {
  const again = useInstall()
  const { logicalId, repo, engine, variantId } = job
  const registered =
    useModels((models) => models.some((model) => model.logicalId === logicalId)).data === true
  const failure = again.error ?? job.error
  return (
    <li className="flex min-w-0 flex-col gap-2 px-4 py-3">
      <div className="flex min-w-0 flex-wrap items-center gap-x-3 gap-y-2">
        <span className="shrink-0">{SIGNS[job.status]}</span>
        <div className="min-w-0 flex-1 basis-40">
          <h3 className="truncate text-sm font-medium">{logicalId}</h3>
          <p className="truncate text-xs text-muted">
            <span className="font-mono">{repo}</span> · {variantId || texts.wholeRepository} ·{' '}
            {engineName(engine)}
          </p>
        </div>
        {job.status === 'done' && (
          <span className="text-xs text-muted">{registered ? byteSize(job.doneBytes) : texts.deleted}</span>
        )}
        {job.status === 'cancelled' && <span className="text-xs text-muted">{texts.cancelled}</span>}
        {job.status === 'done' && registered && (
          <Button
            size="sm"
            aria-label={texts.tryModel(logicalId)}
            icon={<Play aria-hidden className="size-3" />}
            onClick={() => onTry(logicalId)}
          >
            {catalog.tryIt}
          </Button>
        )}
        {AGAIN[job.status] && !registered && (
          <Button
            size="sm"
            aria-label={`${AGAIN[job.status]}: ${logicalId}`}
            pending={again.isPending}
            icon={<RotateCw aria-hidden className="size-3" />}
            onClick={() => again.mutate({ repo, engine, variantId, logicalId })}
          >
            {AGAIN[job.status]}
          </Button>
        )}
      </div>
      {isActive(job) && <DownloadProgress job={job} />}
      {failure && <ErrorNotice title={texts.jobFailed} error={failure} help={texts.jobFailedHelp} />}
    </li>
  )
}
