import { expect, test } from 'bun:test'
import { enqueue, finished, publish, reaches, resume } from '../support/durable'
import { graph, llm, node } from '../support/graphs'
import { eachDatabase } from '../support/world'

const gate = (id: string, config: Record<string, unknown> = {}, ports: Record<string, string[]> = {}) =>
  node(id, 'human', { config, ...ports })
const pin = (agent: string, more: Record<string, unknown> = {}) => ({ agent, version: '1.0.0', ...more })
const chain = (id: string, middle: ReturnType<typeof node>) =>
  graph(
    [node('in', 'input'), middle, node('out', 'output')],
    [`in.out>${middle.id}.in`, `${middle.id}.out>out.in`],
    { id },
  )
const child = (id: string, expr: string) => chain(id, node('t', 'transform', { config: { expr } }))
const ERROR = { id: 'err', type: 'error' }
const subgraphOf = (id: string, config: Record<string, unknown>) =>
  graph(
    [
      node('in', 'input'),
      node('sub', 'subgraph', { config, out: ['out', ERROR] }),
      node('ok', 'output'),
      node('bad', 'output'),
    ],
    ['in.out>sub.in', 'sub.out>ok.in', 'sub.err>bad.in'],
    { id },
  )

eachDatabase(
  (world) => {
    const spans = async (id: string) =>
      (await world().call('GET', `/runs/${id}/trace`, { as: 'editor' })).body.spans as {
        id: string
        name: string
        node_id: string | null
        status: string
        span_id: string
        parent_span_id: string | null
      }[]

    test('a gate that nobody answers fails the run, naming node and time, or answers with its default', async () => {
      await publish(
        world(),
        chain('agent.late', gate('ask', { timeout: 0.05 })),
        chain(
          'agent.default',
          gate('ask', { timeout: 0.05, onTimeout: 'default', default: { by: 'nobody' } }),
        ),
      )
      expect(await finished(world(), 'agent.late', 1)).toMatchObject({
        status: 'failed',
        error: 'Node "ask": nobody answered within 0.05 s (timeout).',
        awaiting_node: null,
      })
      expect(await finished(world(), 'agent.default', 1)).toMatchObject({
        status: 'completed',
        output: '{"by":"nobody"}',
      })
    })

    test('a deadline is told, and is over after a restart too', async () => {
      await publish(
        world(),
        chain('agent.deadline', gate('ask', { timeout: 1, onTimeout: 'default', default: 'late' })),
      )
      const id = await enqueue(world(), 'agent.deadline', 1)
      await reaches(world(), id, 'waiting')
      const { body } = await world().call('GET', `/runs/${id}/awaiting`, { as: 'editor' })
      expect(Date.parse(body.deadline)).toBeGreaterThan(Date.now() - 1_000)
      await world().restart()
      expect(await reaches(world(), id, 'completed', 'failed')).toMatchObject({ output: 'late' })
    })

    test('gates are asked one at a time, in the order of the graph', async () => {
      await publish(
        world(),
        graph(
          [
            node('in', 'input'),
            node('slow', 'transform', { config: { expr: '$in.in' } }),
            gate('first'),
            gate('second'),
            node('both', 'transform', { config: { expr: '{"a":"$in.a","b":"$in.b"}' }, in: ['a', 'b'] }),
            node('out', 'output'),
          ],
          [
            'in.out>first.in',
            'in.out>slow.in',
            'slow.out>second.in',
            'first.out>both.a',
            'second.out>both.b',
            'both.out>out.in',
          ],
          { id: 'agent.two' },
        ),
      )
      const id = await enqueue(world(), 'agent.two', 1)
      expect(await reaches(world(), id, 'waiting')).toMatchObject({ awaiting_node: 'first' })
      expect((await resume(world(), id, 'x', { node: 'second' })).body.error.code).toBe('run_not_waiting')
      await resume(world(), id, 'one', { node: 'first' })
      expect(await reaches(world(), id, 'waiting')).toMatchObject({ awaiting_node: 'second' })
      await resume(world(), id, 'two')
      expect(await reaches(world(), id, 'completed')).toMatchObject({ output: '{"a":"one","b":"two"}' })
    })

    test('what runs beside a gate goes on, and is not done again when the gate is answered', async () => {
      await world().registerModel()
      let asked = 0
      const standing = Promise.withResolvers<void>()
      const release = Promise.withResolvers<void>()
      world().provider.answers({
        deltas: ['slow'],
        before(index) {
          if (index > 0) return
          asked++
          standing.resolve()
          return release.promise
        },
      })
      await publish(
        world(),
        graph(
          [
            node('in', 'input'),
            gate('ask'),
            llm('model'),
            node('both', 'transform', { config: { expr: '{"a":"$in.a","b":"$in.b"}' }, in: ['a', 'b'] }),
            node('out', 'output'),
          ],
          ['in.out>ask.in', 'in.out>model.in', 'ask.out>both.a', 'model.out>both.b', 'both.out>out.in'],
          { id: 'agent.beside' },
        ),
      )
      const id = await enqueue(world(), 'agent.beside', 'x')
      await standing.promise
      // The gate can be answered while the model still speaks.
      await reaches(world(), id, 'waiting')
      await resume(world(), id, 'yes')
      release.resolve()
      expect(await reaches(world(), id, 'completed')).toMatchObject({ output: '{"a":"yes","b":"slow"}' })
      expect(asked).toBe(1)
    })

    test('a subgraph gives its output on, and its failure to the error port', async () => {
      await publish(
        world(),
        child('agent.upper', '$uppercase($in.in)'),
        subgraphOf('agent.sub', pin('agent.upper')),
        subgraphOf('agent.sub-missing', pin('agent.nobody')),
      )
      const run = await finished(world(), 'agent.sub', 'quiet')
      expect(run).toMatchObject({ status: 'completed', output: 'QUIET' })
      expect((await spans(run.id)).map(({ name }) => name)).toEqual(
        expect.arrayContaining(['sub', 'sub/in', 'sub/t', 'sub/out']),
      )
      const missing = await finished(world(), 'agent.sub-missing', 'x')
      expect(missing).toMatchObject({ status: 'completed', output: 'There is no agent agent.nobody.' })
    })

    test('an agent that runs itself ends at its depth', async () => {
      await publish(
        world(),
        graph(
          [
            node('in', 'input'),
            node('sub', 'subgraph', { config: pin('agent.self', { maxDepth: 3 }), out: ['out', ERROR] }),
            node('bad', 'output'),
          ],
          ['in.out>sub.in', 'sub.err>bad.in'],
          { id: 'agent.self' },
        ),
      )
      const run = await finished(world(), 'agent.self', 'x')
      expect(run).toMatchObject({ status: 'completed' })
      expect(
        (await spans(run.id)).filter(({ node_id }) => node_id?.endsWith('sub')).map(({ node_id }) => node_id),
      ).toEqual(['sub', 'sub/sub', 'sub/sub/sub', 'sub/sub/sub/sub'])
    })

    test('a loop feeds each output back until its condition holds, or its turns are used up', async () => {
      await publish(
        world(),
        child('agent.add', '$in.in & "+"'),
        chain(
          'agent.until',
          node('turn', 'loop', {
            config: pin('agent.add', { maxIterations: 9, condition: '$length($in.in) >= 4' }),
          }),
        ),
        chain('agent.often', node('turn', 'loop', { config: pin('agent.add', { maxIterations: 2 }) })),
        chain(
          'agent.lost',
          node('turn', 'loop', {
            config: pin('agent.add', { maxIterations: 2, condition: '$in.in.approved' }),
          }),
        ),
      )
      const run = await finished(world(), 'agent.until', 'a')
      expect(run).toMatchObject({ status: 'completed', output: 'a+++' })
      expect(
        (await spans(run.id))
          .filter(({ name }) => name.startsWith('turn#'))
          .map(({ name, node_id }) => [name, node_id]),
      ).toEqual(
        expect.arrayContaining([
          ['turn#0', 'turn'],
          ['turn#1', 'turn'],
          ['turn#2', 'turn'],
        ]),
      )
      expect(await finished(world(), 'agent.often', 'a')).toMatchObject({ output: 'a++' })
      expect(await finished(world(), 'agent.lost', 'a')).toMatchObject({
        status: 'failed',
        error: expect.stringContaining('approved'),
      })
    })

    test('a map gives the results in order, bounds how many run at once, and fails or collects', async () => {
      await world().registerModel()
      let now = 0
      let most = 0
      const second = Promise.withResolvers<void>()
      world().provider.answers({
        deltas: ['ok'],
        async before(index) {
          if (index > 0) return
          most = Math.max(most, ++now)
          if (now === 2) second.resolve()
          await second.promise
          await Bun.sleep(5)
          now--
        },
      })
      await publish(
        world(),
        graph(
          [
            node('in', 'input'),
            llm('ask'),
            node('back', 'transform', { config: { expr: '$in.item & "!"' }, in: ['said', 'item'] }),
            node('out', 'output'),
          ],
          ['in.out>ask.in', 'ask.out>back.said', 'in.out>back.item', 'back.out>out.in'],
          { id: 'agent.item' },
        ),
        child('agent.picky', '$in.in = "bad" ? $error("refused") : $in.in'),
        chain('agent.all', node('each', 'map', { config: pin('agent.item', { concurrency: 2 }) })),
        chain('agent.strict', node('each', 'map', { config: pin('agent.picky') })),
        chain('agent.collect', node('each', 'map', { config: pin('agent.picky', { onError: 'collect' }) })),
      )
      const run = await finished(world(), 'agent.all', ['a', 'b', 'c', 'd', 'e'])
      expect(run).toMatchObject({ status: 'completed', output: '["a!","b!","c!","d!","e!"]' })
      expect(most).toBe(2)
      const found = await spans(run.id)
      const branch = found.find(({ name }) => name === 'each#3')!
      expect(branch.id).toBe(`${run.id}:each:#3`)
      expect(
        found.find(({ node_id, name }) => node_id === 'each#3/ask' && name === 'each#3/ask'),
      ).toMatchObject({
        parent_span_id: branch.span_id,
      })
      expect(await finished(world(), 'agent.all', '["x"]')).toMatchObject({ output: '["x!"]' })
      expect(await finished(world(), 'agent.all', 'x')).toMatchObject({ status: 'failed' })
      expect(await finished(world(), 'agent.strict', ['a', 'bad'])).toMatchObject({
        status: 'failed',
        error: expect.stringContaining('item 1'),
      })
      const collected = await finished(world(), 'agent.collect', ['a', 'bad'])
      expect(JSON.parse(collected.output)).toEqual([
        { index: 0, status: 'completed', output: 'a' },
        { index: 1, status: 'failed', error: expect.stringContaining('refused') },
      ])
    })

    test('gates within the items of a map are asked in the order of the items', async () => {
      await publish(
        world(),
        chain('agent.gated', gate('ask')),
        chain('agent.gated-items', node('each', 'map', { config: pin('agent.gated') })),
      )
      const id = await enqueue(world(), 'agent.gated-items', ['a', 'b'])
      expect(await reaches(world(), id, 'waiting')).toMatchObject({ awaiting_node: 'each#0/ask' })
      await resume(world(), id, 'A')
      expect(await reaches(world(), id, 'waiting')).toMatchObject({ awaiting_node: 'each#1/ask' })
      await resume(world(), id, 'B')
      expect(await reaches(world(), id, 'completed')).toMatchObject({ output: '["A","B"]' })
    })
  },
  { env: { SERVICE_DURABLE: 'true' } },
)
