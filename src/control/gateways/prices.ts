import type { Db } from '#kernel/db/tables'

/** Dollars for a million tokens of each kind. */
export interface Price {
  /** A model's id, or its start and a star. */
  model: string
  input: number
  cache_read: number
  cache_write_5m: number
  cache_write_1h: number
  output: number
}

export interface TokenCounts {
  input: number
  cache_read: number
  cache_write_5m: number
  cache_write_1h: number
  output: number
}

export const TOKEN_KINDS = ['input', 'cache_read', 'cache_write_5m', 'cache_write_1h', 'output'] as const

const PER = 1_000_000

export interface PriceTable {
  version: number
  /** The most exact row for a model: its id, else the longest start; null for a model without one. */
  of(model: string): Price | null
}

function priceTable(version: number, prices: readonly Price[]): PriceTable {
  const exact = new Map(prices.map((price) => [price.model, price]))
  const starts = prices
    .filter(({ model }) => model.endsWith('*'))
    .sort((a, b) => b.model.length - a.model.length)
  return {
    version,
    of: (model) =>
      exact.get(model) ?? starts.find((price) => model.startsWith(price.model.slice(0, -1))) ?? null,
  }
}

/** The newest version; 0 and empty until an admin entered prices. */
export async function currentPrices(db: Db): Promise<PriceTable> {
  const rows = await db
    .selectFrom('gateway_prices')
    .where('version', '=', (is) =>
      is.selectFrom('gateway_prices').select((price) => price.fn.max('version').as('newest')),
    )
    .selectAll()
    .execute()
  return priceTable(rows[0]?.version ?? 0, rows)
}

export const costOf = (tokens: TokenCounts, price: Price): number =>
  TOKEN_KINDS.reduce((sum, kind) => sum + tokens[kind] * price[kind], 0) / PER

export const tokenCount = (tokens: TokenCounts): number =>
  TOKEN_KINDS.reduce((sum, kind) => sum + tokens[kind], 0)
