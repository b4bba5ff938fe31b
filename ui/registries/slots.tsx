import { Snowflake } from 'lucide-react'
import type { ReactNode } from 'react'
import { StatusDot } from '../kit/badge'
import { IconButton } from '../kit/button'
import { classes } from '../kit/classes'
import { ErrorNotice } from '../kit/notices'
import { Skeleton } from '../kit/placeholders'
import { texts as registries } from '../texts/registries'
import { type LiveEngine, useLoading, useSlots } from './data'
import { engineName, wholeSeconds } from './labels'
import { liveInSlot } from './state'

const texts = registries.slots

/** `1 of 2`, for the head of a card. */
export function SlotCount() {
  const { data } = useSlots()
  if (!data) return null
  return <span className="text-xs text-muted">{texts.count(data.resident.length, data.maxResident)}</span>
}

/** The places in memory, and who holds them. */
export function Slots() {
  const { data, error, refetch } = useSlots()
  if (error && !data) {
    return <ErrorNotice title={texts.failed} error={error} onRetry={() => void refetch()} />
  }
  if (!data) return <Skeleton className="h-14 w-full rounded-lg" />
  const empty = Math.max(0, data.maxResident - data.resident.length)
  return (
    <ul aria-label={texts.label} className="grid gap-2 sm:grid-cols-[repeat(auto-fill,minmax(15rem,1fr))]">
      {data.resident.map((engine) => (
        <Taken key={`${engine.logicalId} ${engine.phase}`} engine={engine} />
      ))}
      {Array.from({ length: empty }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: empty places are all alike
        <Tile key={index} className="items-center border-dashed text-sm text-faint max-sm:py-2">
          {texts.vacant}
        </Tile>
      ))}
    </ul>
  )
}

function Taken({ engine }: { engine: LiveEngine }) {
  const { logicalId, modality } = engine
  const loading = useLoading(logicalId)
  const { tone, label, passing } = liveInSlot(engine)
  return (
    <Tile className="bg-surface">
      <span className="flex h-5 items-center">
        <StatusDot tone={tone} pulse={passing} />
      </span>
      <div className="min-w-0 flex-1">
        <p className="truncate text-sm font-medium" title={logicalId}>
          {logicalId}
        </p>
        <p className="truncate text-xs text-muted">
          {label}
          {engine.loadingMs !== undefined && `, ${wholeSeconds(engine.loadingMs)}`} ·{' '}
          {engineName(engine.engine, modality)}
        </p>
        {engine.warning && <p className="text-xs text-warn">{texts.shortOfMemory}</p>}
        {loading.error && <p className="text-xs text-bad">{loading.error.message}</p>}
      </div>
      <IconButton
        size="sm"
        label={texts.free(logicalId)}
        pending={loading.isPending}
        disabled={engine.phase === 'stopping'}
        icon={<Snowflake aria-hidden className="size-3.5" />}
        onClick={() => loading.mutate('evict')}
      />
    </Tile>
  )
}

const Tile = ({ className, children }: { className: string; children: ReactNode }) => (
  <li className={classes('flex min-w-0 gap-2.5 rounded-lg border px-3 py-2', className)}>{children}</li>
)
