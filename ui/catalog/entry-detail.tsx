import { Download, Heart, Lock } from 'lucide-react'
import { ApiError } from '../api'
import { Badge } from '../kit/badge'
import { CopyButton } from '../kit/copying'
import { ErrorNotice, Notice } from '../kit/notices'
import { EmptyState, Skeleton } from '../kit/placeholders'
import { RelativeTime } from '../kit/relative-time'
import { Worded } from '../kit/worded'
import { texts as catalog } from '../texts/catalog'
import { short } from '../texts/words'
import { type CatalogDetail, useCatalogDetail } from './data'
import { EntryBadges } from './entry-row'
import { GatedHelp } from './gated-help'
import { InstallForm } from './install-form'

const texts = catalog.detail

interface EntryDetailProps {
  repo: string
  /** The place has its name above it already. */
  named?: boolean
  onTry: (id: string) => void
}

/** One model of the hub: what it is, what of it can be downloaded, and what fits here. */
export function EntryDetail({ repo, named = false, onTry }: EntryDetailProps) {
  const { data, error, refetch } = useCatalogDetail(repo)
  if (error) {
    const gated = error instanceof ApiError && error.code === 'repository_gated'
    return (
      <div className="flex flex-col gap-4">
        <ErrorNotice title={texts.failed(repo)} error={error} onRetry={() => void refetch()} />
        {gated && <GatedHelp repo={repo} onSaved={() => void refetch()} />}
      </div>
    )
  }
  if (!data) return <Loading />
  return (
    <article className="flex min-w-0 flex-col gap-4">
      <Head entry={data} named={named} />
      {data.offline && <Notice tone="warn">{texts.offline}</Notice>}
      {data.gated && <GatedHelp repo={repo} />}
      {data.variants.length === 0 ? (
        <EmptyState title={texts.empty}>{texts.emptyHint}</EmptyState>
      ) : (
        <InstallForm entry={data} onTry={onTry} />
      )}
    </article>
  )
}

const Head = ({ entry, named }: { entry: CatalogDetail; named: boolean }) => (
  <header className="flex min-w-0 flex-col gap-2">
    <div>
      {!named && <h2 className="text-lg font-semibold break-words">{entry.title}</h2>}
      <p className="flex min-w-0 items-center gap-1 text-xs text-muted">
        <code className="min-w-0 truncate">{entry.ref}</code>
        <CopyButton text={entry.ref} label={texts.copyName} />
      </p>
    </div>
    {entry.description && <p className="line-clamp-4 text-sm text-muted">{entry.description}</p>}
    <div className="flex flex-wrap items-center gap-1.5">
      <EntryBadges entry={entry} />
      {entry.gated && (
        <Badge tone="warn" icon={<Lock aria-hidden />}>
          {texts.gated}
        </Badge>
      )}
    </div>
    <p className="flex flex-wrap items-center gap-x-4 gap-y-1 text-xs text-faint">
      <span className="inline-flex items-center gap-1">
        <Download aria-hidden className="size-3" /> {texts.downloads(short(entry.badges.downloads))}
      </span>
      <span className="inline-flex items-center gap-1">
        <Heart aria-hidden className="size-3" /> {texts.likes(short(entry.badges.likes))}
      </span>
      {entry.updatedAt && (
        <span>
          <Worded text={texts.updated} with={{ time: <RelativeTime value={entry.updatedAt} /> }} />
        </span>
      )}
    </p>
  </header>
)

const Loading = () => (
  <div role="status" className="flex flex-col gap-3">
    <span className="sr-only">{texts.loading}</span>
    <Skeleton className="h-6 w-1/2" />
    <Skeleton className="h-4 w-1/3" />
    <Skeleton className="h-12 w-full" />
    <Skeleton className="h-48 w-full rounded-lg" />
  </div>
)
