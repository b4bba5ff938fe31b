import { CompiledQuery } from 'kysely'
import { storable } from './portable'
import type { Db } from './tables'

/** One row that Postgres cannot hold would keep all others of its batch out. */
const held = (value: unknown): unknown => (typeof value === 'string' ? storable(value) : (value ?? null))

/**
 * An insert of several rows whose text is made once per number of rows: for a batch, building the statement costs far
 * more than the database needs to run it. `build` makes the statement of rows that have exactly `columns`, in order.
 */
export function batchInsert<Row extends object>(
  columns: readonly (keyof Row & string)[],
  build: (db: Db, rows: Row[]) => { compile(): CompiledQuery },
) {
  const texts = new Map<number, { query: CompiledQuery; rest: readonly unknown[] }>()

  function textFor(db: Db, rows: Row[]) {
    const known = texts.get(rows.length)
    if (known) return known
    const exact = rows.map(
      (row) => Object.fromEntries(columns.map((column) => [column, row[column] ?? null])) as Row,
    )
    const { sql, parameters } = build(db, exact).compile()
    // Behind the rows' values come those of the rest of the statement.
    const made = { query: CompiledQuery.raw(sql), rest: parameters.slice(rows.length * columns.length) }
    texts.set(rows.length, made)
    return made
  }

  return async (db: Db, rows: Row[]): Promise<void> => {
    const { query, rest } = textFor(db, rows)
    const parameters: unknown[] = []
    for (const row of rows) for (const column of columns) parameters.push(held(row[column]))
    // Made anew, a query would freeze its parameters: of a thousand that takes as long as sending them.
    await db.executeQuery({ ...query, parameters: parameters.concat(rest) })
  }
}
