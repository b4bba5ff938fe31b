import { X } from 'lucide-react'
import { Button } from '../kit/button'
import { ErrorNotice } from '../kit/notices'
import { Progress } from '../kit/progress'
import { byteSize } from '../registries/labels'
import { texts as catalog } from '../texts/catalog'
import { texts as common } from '../texts/common'
import { type Job, useCancelDownload } from './data'
import { shareOf, timeLeft } from './labels'

const texts = catalog.progress

/** A download under way: how far, how fast, how long still, and the way to end it. */
export function DownloadProgress({ job }: { job: Job }) {
  const cancel = useCancelDownload(job.id)
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <Progress
        label={texts.label(job.logicalId)}
        share={job.queued ? 0 : job.status === 'registering' ? 1 : shareOf(job)}
      />
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1.5">
        <p className="min-w-0 text-xs text-muted">{progressWords(job)}</p>
        <Button
          size="sm"
          aria-label={texts.cancel(job.logicalId)}
          pending={cancel.isPending}
          icon={<X aria-hidden className="size-3" />}
          onClick={() => cancel.mutate()}
        >
          {common.cancel}
        </Button>
      </div>
      {cancel.error && <ErrorNotice title={texts.cancelFailed} error={cancel.error} />}
    </div>
  )
}

function progressWords(job: Job): string {
  const { status, queued, doneBytes, totalBytes, bytesPerSecond, etaSeconds } = job
  if (status === 'registering') return texts.registering
  if (queued) return texts.queued
  const done =
    totalBytes === null ? byteSize(doneBytes) : texts.done(byteSize(doneBytes), byteSize(totalBytes))
  const speed = bytesPerSecond === null ? texts.stalled : `${byteSize(bytesPerSecond)}/s`
  return [done, speed, timeLeft(etaSeconds)].filter(Boolean).join(' · ')
}
