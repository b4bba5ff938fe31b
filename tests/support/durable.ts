import type { World } from './world'

/** Waits until a run is in one of these states, and gives its record. */
export async function reaches(world: World, id: string, ...statuses: string[]) {
  for (const deadline = Date.now() + 15_000; ; await Bun.sleep(5)) {
    const { body } = await world.call('GET', `/runs/${id}`, { as: 'admin' })
    if (statuses.includes(body.status)) return body
    if (Date.now() > deadline) throw new Error(`run ${id} stays ${body.status}: ${body.error}`)
  }
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
