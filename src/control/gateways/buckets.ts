import type { GatewayBucket } from '#kernel/db/gateway-tables'

/** Upper bounds of latencies in milliseconds, each half as much again; the last bucket has none. */
const FIRST_MS = 50
const FACTOR = 1.5
const BUCKETS = 24

export type Metric = 'ttft' | 'total'

export const bucketColumn = (metric: Metric, index: number): GatewayBucket =>
  `${metric}_${String(index).padStart(2, '0')}` as GatewayBucket

export const bucketColumns: GatewayBucket[] = (['ttft', 'total'] as const).flatMap((metric) =>
  Array.from({ length: BUCKETS }, (_, index) => bucketColumn(metric, index)),
)

export function bucketOf(ms: number): number {
  if (ms < FIRST_MS) return 0
  return Math.min(BUCKETS - 1, 1 + Math.floor(Math.log(ms / FIRST_MS) / Math.log(FACTOR)))
}

/** The latency that `share` of the requests stay below, in milliseconds: right to within its bucket; null without any. */
export function percentile(counts: Partial<Record<GatewayBucket, number>>, metric: Metric, share: number) {
  const values = Array.from({ length: BUCKETS }, (_, index) =>
    Number(counts[bucketColumn(metric, index)] ?? 0),
  )
  const total = values.reduce((sum, value) => sum + value, 0)
  if (total === 0) return null
  let left = share * total
  for (const [index, value] of values.entries()) {
    if (value > 0 && left <= value) return Math.round(within(index, left / value))
    left -= value
  }
  return Math.round(within(BUCKETS - 1, 1))
}

/** Between the bounds of a bucket, evenly on a logarithmic scale. */
function within(index: number, share: number): number {
  const low = index === 0 ? 1 : FIRST_MS * FACTOR ** (index - 1)
  const high = FIRST_MS * FACTOR ** index
  return low * (high / low) ** Math.max(0, Math.min(1, share))
}
