/** What totals add up, besides the buckets of latencies: the columns of every table of totals. */
export const FIGURES = [
  'requests',
  'turns',
  'errors',
  'stream_errors',
  'retries',
  'aborts',
  'unpriced',
  'input',
  'cache_read',
  'cache_write_5m',
  'cache_write_1h',
  'output',
  'reasoning',
  'cost',
] as const
