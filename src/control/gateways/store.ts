import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Db, Tables } from '#kernel/db/tables'

export type GatewayRow = Selectable<Tables['gateways']>
export type GatewayKeyRow = Selectable<Tables['gateway_keys']>

export const gatewayStore = (db: Db) => ({
  all: () => db.selectFrom('gateways').selectAll().orderBy('created_at').orderBy('id').execute(),

  byId: (id: string) => db.selectFrom('gateways').where('id', '=', id).selectAll().executeTakeFirst(),

  byToken: (tokenHash: string) =>
    db
      .selectFrom('gateways')
      .where('token_hash', '=', tokenHash)
      .where('enabled', '=', 1)
      .selectAll()
      .executeTakeFirst(),

  insert: (row: Insertable<Tables['gateways']>) =>
    db.insertInto('gateways').values(row).returningAll().executeTakeFirstOrThrow(),

  /** One gateway in each process, whatever its key is this time. */
  upsertLocal: (row: Insertable<Tables['gateways']>) =>
    db
      .insertInto('gateways')
      .values(row)
      .onConflict((conflict) =>
        conflict.column('local_id').doUpdateSet((is) => ({
          token_hash: is.ref('excluded.token_hash'),
          token_prefix: is.ref('excluded.token_prefix'),
        })),
      )
      .execute(),

  update: (id: string, changes: Updateable<Tables['gateways']>) =>
    db.updateTable('gateways').set(changes).where('id', '=', id).returningAll().executeTakeFirst(),

  saveConfig: (id: string, config: string, now: number) =>
    db
      .updateTable('gateways')
      .set((is) => ({ config, config_version: is('config_version', '+', 1), updated_at: now }))
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst(),

  remove: (id: string) => db.deleteFrom('gateways').where('id', '=', id).executeTakeFirst(),

  addRefusals: (rows: Insertable<Tables['gateway_refusals']>[]) =>
    db
      .insertInto('gateway_refusals')
      .values(rows)
      .onConflict((conflict) =>
        conflict
          .columns(['gateway_id', 'minute', 'code'])
          .doUpdateSet((is) => ({ count: is('gateway_refusals.count', '+', is.ref('excluded.count')) })),
      )
      .execute(),

  refusalsSince: (since: number) =>
    db
      .selectFrom('gateway_refusals')
      .where('minute', '>=', since)
      .groupBy(['gateway_id', 'code'])
      .select((is) => ['gateway_id', 'code', is.fn.sum<number>('count').as('count')])
      .execute(),

  removeRefusalsBefore: (before: number) =>
    db.deleteFrom('gateway_refusals').where('minute', '<', before).execute(),

  insertTicket: (row: Insertable<Tables['gateway_tickets']>) =>
    db.insertInto('gateway_tickets').values(row).execute(),

  /** Takes the ticket away with the reading of it: of two who bring it at once, one gets it. */
  takeTicket: (tokenHash: string, gatewayId: string) =>
    db
      .deleteFrom('gateway_tickets')
      .where('token_hash', '=', tokenHash)
      .where('gateway_id', '=', gatewayId)
      .returningAll()
      .executeTakeFirst(),

  removeTicketsBefore: (before: number) =>
    db.deleteFrom('gateway_tickets').where('expires_at', '<', before).execute(),

  userById: (id: string) =>
    db.selectFrom('users').where('id', '=', id).select(['id', 'role', 'disabled']).executeTakeFirst(),
})

export const gatewayKeyStore = (db: Db) => ({
  /** `userId` null: everybody's. */
  of: (userId: string | null) =>
    db
      .selectFrom('gateway_keys')
      .$if(userId !== null, (query) => query.where('user_id', '=', userId!))
      .selectAll()
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .execute(),

  /** As gateways get them: a disabled account has none. */
  digests: () =>
    db
      .selectFrom('gateway_keys')
      .innerJoin('users', 'users.id', 'gateway_keys.user_id')
      .where('users.disabled', '=', 0)
      .where('gateway_keys.enabled', '=', 1)
      .select(['gateway_keys.id', 'gateway_keys.token_hash', 'gateway_keys.user_id', 'gateway_keys.billing'])
      .orderBy('gateway_keys.id')
      .execute(),

  insert: (row: Insertable<Tables['gateway_keys']>) =>
    db.insertInto('gateway_keys').values(row).returningAll().executeTakeFirstOrThrow(),

  update: (id: string, changes: Updateable<Tables['gateway_keys']>) =>
    db.updateTable('gateway_keys').set(changes).where('id', '=', id).returningAll().executeTakeFirst(),

  remove: (id: string) => db.deleteFrom('gateway_keys').where('id', '=', id).executeTakeFirst(),
})
