import { expect, test } from 'bun:test'
import { openGates } from '../../src/control/durable/gates'
import type { GateRow } from '../../src/control/durable/store'
import { enqueue, publish, reaches, resume } from '../support/durable'
import { effectServer } from '../support/effects'
import { graph, node } from '../support/graphs'
import { eachDatabase } from '../support/world'

const ROUNDS = 8
const AT_ONCE = 8

/** A gate with an effect behind it, and beside them one with an effect before it. */
const besides = (url: string) => {
  const effect = (id: string) => node(id, 'tool', { config: { tool: 'http_fetch', args: { url } } })
  return graph(
    [
      node('in', 'input'),
      node('first', 'human'),
      effect('behind'),
      effect('before'),
      node('last', 'human'),
      node('say', 'transform', { config: { expr: '$in.y' }, in: ['x', 'y'] }),
      node('out', 'output'),
    ],
    [
      ...['in.out>first.in', 'first.out>behind.in', 'behind.out>say.x'],
      ...['in.out>before.in', 'before.out>last.in', 'last.out>say.y', 'say.out>out.in'],
    ],
    { id: 'agent.besides' },
  )
}

eachDatabase(
  (world) => {
    test('a gate answered at the very moment in which its run is put away begins no step twice', async () => {
      await using effects = effectServer()
      await publish(world(), besides(effects.url))
      const one = async () => {
        const id = await enqueue(world(), 'agent.besides', 1)
        await reaches(world(), id, 'waiting')
        expect((await resume(world(), id, 'go on', { node: 'first' })).status).toBe(202)
        while ((await reaches(world(), id, 'waiting')).awaiting_node !== 'last') await Bun.sleep(5)
        await resume(world(), id, 'done', { node: 'last' })
        expect(await reaches(world(), id, 'completed')).toMatchObject({ output: 'done' })
      }
      for (let round = 0; round < ROUNDS; round++) await Promise.all(Array.from({ length: AT_ONCE }, one))
      expect(effects.effects.size).toBe(2 * ROUNDS * AT_ONCE)
      expect([...effects.effects].filter(([, { asked }]) => asked > 1)).toEqual([])
    }, 60_000)
  },
  { env: { SERVICE_DURABLE: 'true' } },
)

test('what comes of a gate while its run is put away is left to the next owner', async () => {
  const rows = Promise.withResolvers<GateRow[]>()
  let opened: GateRow | undefined
  let isClosing = false
  const gates = openGates({
    runId: 'r',
    rows: [],
    payloads: {
      keep: async (_, value) => ({ json: JSON.stringify(value), ref: null }),
      read: async ({ json }) => JSON.parse(json!),
      seal: (text) => text,
    },
    now: Date.now,
    open: async (row) => {
      opened = row
    },
    settle: async () => {},
    reload: () => rows.promise,
    working: (task) => task(),
    isClosing: () => isClosing,
    failed: () => {},
  })
  let goesOn = false
  const gate = { key: 'ask', prompt: null, inputSchema: null, timeoutSeconds: null, input: 1 }
  void gates.enter(gate).then(() => {
    goesOn = true
  })
  const delivered = gates.deliver()
  isClosing = true
  rows.resolve([{ ...opened!, outcome: '{"kind":"answer","value":1}' }])
  await delivered
  expect([goesOn, gates.seen]).toEqual([false, 0])
})
