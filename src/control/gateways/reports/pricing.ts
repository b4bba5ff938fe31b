import { sql } from 'kysely'
import { exclusively } from '#kernel/db/portable'
import type { Db } from '#kernel/db/tables'
import { AppError } from '#kernel/errors'
import { isoTimeOrNull } from '#kernel/http/shapes'
import { DAY_SUM_DIMENSIONS, entriesOf } from '../dimensions'
import { currentPrices, type Price, TOKEN_KINDS } from '../prices'
import type { SavePrices } from './schema'

const PER = 1_000_000
const NO_PRICE: Omit<Price, 'model'> = {
  input: 0,
  cache_read: 0,
  cache_write_5m: 0,
  cache_write_1h: 0,
  output: 0,
}

export type PricingService = ReturnType<typeof pricingService>

/** What models cost: tables that are never changed, only followed by the next version. */
export function pricingService({ db, now }: { db: Db; now: () => number }) {
  async function current() {
    const { version } = await currentPrices(db)
    const rows = await db
      .selectFrom('gateway_prices')
      .where('version', '=', version)
      .selectAll()
      .orderBy('model')
      .execute()
    const prices = rows.map(({ version: _, created_at: __, ...price }) => price)
    return { version, created_at: isoTimeOrNull(rows[0]?.created_at ?? null), prices }
  }

  return {
    current,

    /** A new version, from now on; what was recorded keeps its price until `reprice`. @throws {AppError} `invalid_request` */
    async save({ prices }: SavePrices) {
      if (prices.length === 0) throw new AppError('invalid_request', 'Send at least one price.')
      if (new Set(prices.map(({ model }) => model)).size < prices.length)
        throw new AppError('invalid_request', 'Each model may have one price.')
      await exclusively(db, 'gateway-prices', async (tx) => {
        const { version } = await currentPrices(tx)
        const created_at = now()
        await tx
          .insertInto('gateway_prices')
          .values(prices.map((price) => ({ ...price, version: version + 1, created_at })))
          .execute()
      })
      return current()
    },

    /**
     * Prices everything anew, archived days too: totals are by model, and a price is so much for each token, so a total's
     * cost is as exact as the sum of its requests'.
     */
    async reprice() {
      // The lock of the ingest: nothing is added at an old price meanwhile.
      return exclusively(db, 'gateway-records', async (tx) => {
        const prices = await currentPrices(tx)
        const models = await tx.selectFrom('gateway_daily').select('model').distinct().execute()
        for (const { model } of models) await repriceModel(tx, model, prices.of(model), prices.version)
        await repriceDaySums(tx)
        await repriceSessions(tx)
        return { version: prices.version, models: models.length }
      })
    },
  }
}

async function repriceModel(tx: Db, model: string, price: Price | null, version: number) {
  const rates = price ?? NO_PRICE
  const cost = sql<number>`(${sql.join(
    TOKEN_KINDS.map((kind) => sql`${sql.ref(kind)} * ${sql.lit(rates[kind] / PER)}`),
    sql` + `,
  )})`
  const unpriced = price ? sql<number>`0` : sql<number>`billable`
  await tx.updateTable('gateway_daily').set({ cost, unpriced }).where('model', '=', model).execute()
  await tx.updateTable('gateway_session_days').set({ cost, unpriced }).where('model', '=', model).execute()
  await tx
    .updateTable('gateway_records')
    .set({ cost: price ? cost : null, price_version: version })
    .where('model', '=', model)
    .execute()
}

/** What the fewer dimensions cost is what the rows behind them cost. */
async function repriceDaySums(tx: Db) {
  for (const [kind, kept] of entriesOf(DAY_SUM_DIMENSIONS)) {
    await tx
      .updateTable('gateway_day_sums')
      .where('kind', '=', kind)
      .set((is) => {
        const sum = (column: 'cost' | 'unpriced') =>
          (['day', ...kept] as const)
            .reduce(
              (query, shared) => query.whereRef(`gateway_daily.${shared}`, '=', `gateway_day_sums.${shared}`),
              is.selectFrom('gateway_daily'),
            )
            .select((daily) => daily.fn.coalesce(daily.fn.sum<number>(column), sql<number>`0`).as('sum'))
        return { cost: sum('cost'), unpriced: sum('unpriced') }
      })
      .execute()
  }
}

const repriceSessions = (tx: Db) =>
  tx
    .updateTable('gateway_sessions')
    .set((is) => {
      const sum = (column: 'cost' | 'unpriced') =>
        is
          .selectFrom('gateway_session_days')
          .whereRef('gateway_session_days.session_id', '=', 'gateway_sessions.id')
          .whereRef('gateway_session_days.developer_id', '=', 'gateway_sessions.developer_id')
          .select((day) => day.fn.coalesce(day.fn.sum<number>(column), sql<number>`0`).as('sum'))
      return { cost: sum('cost'), unpriced: sum('unpriced') }
    })
    .execute()
