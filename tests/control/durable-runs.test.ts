import { expect, test } from 'bun:test'
import { enqueue, finished, publish, reaches, resume } from '../support/durable'
import { graph, node, shouting } from '../support/graphs'
import { eachDatabase } from '../support/world'

const gate = (id: string, config: Record<string, unknown> = {}) => node(id, 'human', { config })
const asking = (id: string, config: Record<string, unknown> = {}) =>
  graph(
    [node('in', 'input'), gate('ask', config), node('out', 'output')],
    ['in.out>ask.in', 'ask.out>out.in'],
    {
      id,
    },
  )

eachDatabase(
  (world) => {
    test('a run without gates is done, and its trace says who did it', async () => {
      await publish(world(), shouting({ id: 'agent.shout' }))
      const run = await finished(world(), 'agent.shout', 'hello')
      expect(run).toMatchObject({ status: 'completed', output: 'HELLO', awaiting_node: null, error: null })
      const { body } = await world().call('GET', `/runs/${run.id}/trace`, { as: 'editor' })
      expect(body.spans.map(({ name, status }: { name: string; status: string }) => [name, status])).toEqual([
        [run.id, 'ok'],
        ['queue.wait', 'ok'],
        ['in', 'ok'],
        ['shout', 'ok'],
        ['out', 'ok'],
      ])
      expect(body.spans[2]).toMatchObject({ executor_id: 'control-plane', worker_host: expect.any(String) })
    })

    test('a gate waits, tells what it asks, and goes on with the answer', async () => {
      const inputSchema = { type: 'object', required: ['decision'] }
      await publish(world(), asking('agent.gate', { prompt: 'Yes?', inputSchema }))
      const id = await enqueue(world(), 'agent.gate', { amount: 3 })
      expect(await reaches(world(), id, 'waiting')).toMatchObject({ awaiting_node: 'ask' })
      expect((await world().call('GET', `/runs/${id}/awaiting`, { as: 'editor' })).body).toEqual({
        node: 'ask',
        prompt: 'Yes?',
        inputSchema,
        deadline: null,
        input: { in: { amount: 3 } },
      })
      const inbox = await world().call('GET', '/runs?status=waiting', { as: 'editor' })
      expect(inbox.body.runs.map((run: { id: string }) => run.id)).toContain(id)
      expect((await resume(world(), id, { other: 1 })).body.error.code).toBe('resume_schema_mismatch')
      expect(await resume(world(), id, { decision: 'yes' })).toMatchObject({
        status: 202,
        body: { runId: id, status: 'resuming', awaitingNode: 'ask' },
      })
      expect(await reaches(world(), id, 'completed', 'failed')).toMatchObject({
        status: 'completed',
        output: '{"decision":"yes"}',
      })
      expect((await resume(world(), id, { decision: 'no' })).body.error.code).toBe('run_not_waiting')
    })
  },
  { env: { SERVICE_DURABLE: 'true' } },
)
