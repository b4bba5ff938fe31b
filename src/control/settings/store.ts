import type { Selectable } from 'kysely'
import type { Db, Tables } from '#kernel/db/tables'

export type SettingRow = Selectable<Tables['settings']>

export const settingsStore = (db: Db) => ({
  all: (): Promise<SettingRow[]> => db.selectFrom('settings').selectAll().orderBy('key').execute(),

  async put(row: SettingRow) {
    const { key, ...columns } = row
    await db
      .insertInto('settings')
      .values(row)
      .onConflict((conflict) => conflict.column('key').doUpdateSet(columns))
      .execute()
  },

  async remove(key: string) {
    await db.deleteFrom('settings').where('key', '=', key).execute()
  },
})
