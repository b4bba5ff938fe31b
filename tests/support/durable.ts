import { openDatabase } from '#kernel/db/open'
import type { Db } from '#kernel/db/tables'
import type { World } from './world'

/** Reads or writes behind the program's back. */
export async function database<T>(world: World, work: (db: Db) => Promise<T>): Promise<T> {
  await using opened = openDatabase(world.env.DATABASE_URL!)
  return await work(opened.db)
}

/** Waits until a run is in one of these states, and gives its record. */
export async function reaches(world: World, id: string, ...statuses: string[]) {
  for (const deadline = Date.now() + 15_000; ; await Bun.sleep(5)) {
    const { body } = await world.call('GET', `/runs/${id}`, { as: 'admin' })
    if (statuses.includes(body.status)) return body
    if (Date.now() > deadline) throw new Error(`run ${id} stays ${body.status}: ${body.error}`)
  }
}

/** Waits until a run waits for a person and nobody has it at work any more: from then on nothing writes to its rows. */
export async function putAway(world: World, id: string) {
  await reaches(world, id, 'waiting')
  await database(world, async (db) => {
    const row = db.selectFrom('durable_runs').select('state').where('run_id', '=', id)
    while ((await row.executeTakeFirstOrThrow()).state !== 'waiting') await Bun.sleep(5)
  })
}

/** Publishes documents, children first. */
export async function publish(world: World, ...documents: { id: string }[]) {
  for (const ir of documents) {
    const { status, body } = await world.call('POST', '/agents', { as: 'editor', body: { ir } })
    if (status !== 201) throw new Error(`${ir.id} was not published: ${JSON.stringify(body)}`)
  }
}

export async function enqueue(world: World, agentId: string, input: unknown, more = {}): Promise<string> {
  const { status, body } = await world.call('POST', `/agents/${agentId}/durable-runs`, {
    as: 'editor',
    body: { input, ...more },
  })
  if (status !== 202) throw new Error(`${agentId} was not started: ${JSON.stringify(body)}`)
  return body.run_id
}

/** Starts a run and waits for its end. */
export const finished = async (world: World, agentId: string, input: unknown) =>
  reaches(world, await enqueue(world, agentId, input), 'completed', 'failed')

export const resume = (world: World, id: string, input: unknown, more = {}) =>
  world.call('POST', `/runs/${id}/resume`, { as: 'editor', body: { input, ...more } })
