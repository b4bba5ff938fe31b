import { Link } from '@tanstack/react-router'
import { ArrowDownToLine } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { classes } from '../kit/classes'
import { Progress } from '../kit/progress'
import { useToast } from '../kit/toasts'
import { texts as catalog } from '../texts/catalog'
import { isActive, type Job, useDownloads, useRefreshAfterInstall } from './data'
import { shareOf } from './labels'

const texts = catalog.indicator

/** While something is downloaded, every screen shows how far it is; nothing otherwise. `compact`: a sign only. */
export function DownloadsIndicator({ compact }: { compact: boolean }) {
  const { data: jobs = [] } = useDownloads()
  const active = jobs.filter(isActive)
  if (active.length === 0) return null
  const share = shareOfAll(active)
  const percent = share === null ? '' : `, ${Math.floor(share * 100)} %`
  const words = `${texts.active(active.length)}${percent}`
  return (
    <Link
      to="/registries"
      search={{ tab: 'downloads' }}
      aria-label={words}
      className={classes(
        'flex rounded-md text-xs text-muted transition-colors hover:bg-sunken hover:text-text',
        compact
          ? 'size-8 flex-col items-center justify-center gap-1 px-1'
          : 'w-full flex-col gap-1.5 px-2.5 py-2',
      )}
    >
      <span className="flex items-center gap-2.5">
        <ArrowDownToLine aria-hidden className="size-3.5 shrink-0 text-accent" />
        {!compact && <span className="truncate">{words}</span>}
      </span>
      <span aria-hidden className="block w-full">
        <Progress label={words} share={share} />
      </span>
    </Link>
  )
}

/** Says it wherever one is when a download has ended, and lets the new model show. Mounted once. */
export function DownloadsWatch() {
  const { data: jobs } = useDownloads()
  const toast = useToast()
  const refresh = useRefreshAfterInstall()
  // A small file may be there before it was ever seen coming: what counts is that its end is news.
  const over = useRef<ReadonlySet<string> | null>(null)
  useEffect(() => {
    if (!jobs) return
    const ended = jobs.filter((job) => !isActive(job))
    const news = over.current === null ? [] : ended.filter(({ id }) => !over.current?.has(id))
    over.current = new Set(ended.map(({ id }) => id))
    for (const { status, logicalId } of news) {
      if (status === 'done') toast(texts.installed(logicalId))
      if (status === 'error') toast(texts.failed(logicalId), 'bad')
    }
    if (news.length > 0) refresh()
  }, [jobs, toast, refresh])
  return null
}

/** Of all bytes, as far as they are known. */
function shareOfAll(jobs: readonly Job[]): number | null {
  if (jobs.some(({ totalBytes }) => totalBytes === null)) return jobs.length === 1 ? shareOf(jobs[0]!) : null
  const done = jobs.reduce((sum, job) => sum + job.doneBytes, 0)
  const total = jobs.reduce((sum, job) => sum + (job.totalBytes ?? 0), 0)
  return total === 0 ? null : done / total
}
