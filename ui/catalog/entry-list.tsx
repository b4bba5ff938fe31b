import type { UseQueryResult } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { RotateCw, WifiOff } from 'lucide-react'
import { Button } from '../kit/button'
import { Card } from '../kit/card'
import { ErrorNotice, Notice } from '../kit/notices'
import { SkeletonRows } from '../kit/placeholders'
import { texts as catalogTexts } from '../texts/catalog'
import { texts as common } from '../texts/common'
import { type CatalogList, PAGE } from './data'
import { EntryRow } from './entry-row'
import { NothingFound } from './placeholders'

const texts = catalogTexts.list

interface EntryListProps {
  catalog: UseQueryResult<CatalogList>
  chosen: string | undefined
  onOpen: (repo: string) => void
  /** Absent when there is no more. */
  onMore: (() => void) | undefined
  onReset: () => void
}

export function EntryList({ catalog, chosen, onOpen, onMore, onReset }: EntryListProps) {
  const { data, error, isPlaceholderData, isFetching, refetch } = catalog
  if (error) {
    return <ErrorNotice title={texts.failed} error={error} help={texts.help} onRetry={() => void refetch()} />
  }
  if (!data) {
    return (
      <Card flush>
        <SkeletonRows rows={8} label={texts.loading} />
      </Card>
    )
  }
  const { entries, engines, offline, offlineReason } = data
  return (
    <div className="flex flex-col gap-3">
      {offline && <Offline reason={offlineReason} pending={isFetching} onRetry={() => void refetch()} />}
      {engines.length === 0 && <NoEngine />}
      <Card flush>
        {entries.length === 0 ? (
          <NothingFound onReset={onReset} />
        ) : (
          <ul
            aria-label={texts.title}
            aria-busy={isPlaceholderData}
            className={isPlaceholderData ? 'divide-y divide-line opacity-60' : 'divide-y divide-line'}
          >
            {entries.map((entry) => (
              <EntryRow key={entry.ref} entry={entry} chosen={entry.ref === chosen} onOpen={onOpen} />
            ))}
          </ul>
        )}
        {onMore && entries.length > 0 && entries.length % PAGE === 0 && (
          <div className="flex justify-center border-t p-3">
            <Button pending={isFetching} onClick={onMore}>
              {texts.more}
            </Button>
          </div>
        )}
      </Card>
    </div>
  )
}

const Offline = ({
  reason,
  pending,
  onRetry,
}: {
  reason: string | null
  pending: boolean
  onRetry: () => void
}) => (
  <Notice tone="warn">
    <div className="flex flex-col items-start gap-1.5">
      <p className="flex items-center gap-1.5 font-medium">
        <WifiOff aria-hidden className="size-3.5" /> {texts.offline}
      </p>
      <p className="text-xs">
        {texts.offlineHint} {reason}
      </p>
      <Button
        size="sm"
        pending={pending}
        icon={<RotateCw aria-hidden className="size-3" />}
        onClick={onRetry}
      >
        {common.tryAgain}
      </Button>
    </div>
  </Notice>
)

const NoEngine = () => (
  <Notice tone="warn">
    {texts.noEngine}{' '}
    <Link to="/registries" className="underline underline-offset-2">
      {texts.getEngine}
    </Link>
  </Notice>
)
