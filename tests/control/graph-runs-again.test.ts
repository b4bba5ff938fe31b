import { beforeAll, describe, expect, test } from 'bun:test'
import { graph, llm, node, shouting } from '../support/graphs'
import { eachDatabase } from '../support/world'

/** input → two model nodes → output; a side branch hangs on the first. */
const chain = graph(
  [node('in', 'input'), llm('a', 'A: $in'), llm('b', 'B: $in'), llm('side', 'S: $in'), node('out', 'output')],
  ['in.out>a.in', 'a.out>b.in', 'a.out>side.in', 'b.out>out.in'],
  { id: 'agent.again' },
)

eachDatabase((world) => {
  beforeAll(() => world().registerModel())

  const call = (method: string, path: string, body?: unknown) =>
    world().call(method, path, { as: 'editor', body })
  const run = async (ir: unknown, input: unknown = 'x') =>
    (await call('POST', '/graphs/runs', { ir, input, stream: false })).body
  const rerun = (id: string, body: Record<string, unknown> = {}) =>
    call('POST', `/runs/${id}/rerun`, { stream: false, ...body })
  const asked = (from: number) =>
    world()
      .provider.seen.slice(from)
      .map(({ body }) => (body as { messages: { content: string }[] }).messages.at(-1)!.content)
      .sort()
  /** What the models say from now on; the number of requests so far. */
  const says = (suffix: string) => {
    world().provider.answers((body) => ({
      deltas: [`${(body.messages as { content: string }[]).at(-1)!.content}${suffix}`],
    }))
    return world().provider.seen.length
  }

  test('from a node on does that one and what follows it again, and takes over the rest', async () => {
    says('1')
    const first = await run(chain)
    expect(first.output).toBe('B: A: x11')
    const from = says('2')
    const { status, body } = await rerun(first.runId, { from_node: 'b' })
    expect([status, body.output]).toEqual([200, 'B: A: x12'])
    expect(asked(from)).toEqual(['B: A: x1'])
    expect(body.runId).not.toBe(first.runId)
    const [before, after] = [
      (await call('GET', `/runs/${first.runId}`)).body,
      (await call('GET', `/runs/${body.runId}`)).body,
    ]
    expect(after).toMatchObject({
      parent_run_id: first.runId,
      graph_id: 'agent.again',
      content_hash: before.content_hash,
      status: 'completed',
    })
    expect(before.output).toBe('B: A: x11')

    const { spans } = (await call('GET', `/runs/${body.runId}/trace`)).body
    const reused = spans.filter((span: { attributes: object }) => 'service.reused' in span.attributes)
    expect(reused.map(({ name }: { name: string }) => name)).toEqual(['in', 'a', 'side'])
    // A rerun can be run again like any other run.
    expect((await rerun(body.runId, { from_node: 'out' })).body.output).toBe('B: A: x12')
  })

  test('from the start takes the same input, or the one that is sent', async () => {
    says('1')
    const { runId } = await run(chain, { deep: [1] })
    says('2')
    expect((await rerun(runId)).body.output).toBe('B: A: {"deep":[1]}22')
    expect((await rerun(runId, { input: 'y' })).body.output).toBe('B: A: y22')
    expect((await rerun(runId, { input: null })).body.output).toBe('B: A: 22')
  })

  test('streams unless told otherwise, and needs no body', async () => {
    says('1')
    const { runId } = await run(chain)
    const { status, response } = await call('POST', `/runs/${runId}/rerun`)
    expect([status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    expect(await response.text()).toMatch(/"status":"completed"/)
  })

  test('a branch that was not taken stays so', async () => {
    const ir = graph(
      [
        node('in', 'input'),
        node('way', 'router', { config: { select: '$in' }, out: ['left', 'right'] }),
        node('left', 'output'),
        llm('right'),
        node('end', 'output'),
      ],
      ['in.out>way.in', 'way.left>left.in', 'way.right>right.in', 'right.out>end.in'],
    )
    const from = says('!')
    const { runId } = await run(ir, 'left')
    expect((await rerun(runId, { from_node: 'left' })).body.output).toBe('left')
    expect(asked(from)).toEqual([])
  })

  test('a run that failed goes on where it failed', async () => {
    world().provider.answers((body) =>
      JSON.stringify(body).includes('B: ')
        ? { failure: { status: 500, body: { error: { message: 'Down.' } } } }
        : { deltas: ['fine'] },
    )
    const failed = await run(chain)
    expect(failed.error.message).toBe('Down.')
    const from = says('!')
    const { body } = await rerun(failed.runId, { from_node: 'b' })
    expect(body.output).toBe('B: fine!')
    expect(asked(from)).toContain('B: fine')
    expect(asked(from)).not.toContain('A: x')
  })

  test('outlives the agent, and its later versions', async () => {
    await call('POST', '/agents', { ir: shouting({ id: 'agent.gone' }) })
    const { body: first } = await call('POST', '/agents/agent.gone/runs', { input: 'x', stream: false })
    await call('DELETE', '/agents/agent.gone')
    expect((await rerun(first.runId)).body.output).toBe('X')
  })

  describe('the graph that ran', () => {
    const graphOf = async (id: string) => (await call('GET', `/runs/${id}/graph`)).body

    test('comes with the layout of the version that has its hash, and outlives it', async () => {
      const ir = shouting({ id: 'agent.drawn' })
      const view = { nodes: { in: { position: { x: 7, y: 8 } } } }
      await call('POST', '/agents', { ir: { ...ir, view } })
      const { body } = await call('POST', '/agents/agent.drawn/runs', { input: 'x', stream: false })
      await call('POST', '/agents/agent.drawn/versions', {
        ir: shouting({ id: 'agent.drawn', version: '2.0.0' }),
      })
      const { content_hash } = (await call('GET', `/runs/${body.runId}`)).body
      const drawn = await graphOf(body.runId)
      expect(drawn).toMatchObject({ content_hash, view, ir: { version: '1.0.0', contentHash: content_hash } })
      await call('DELETE', '/agents/agent.drawn')
      expect(await graphOf(body.runId)).toMatchObject({ view: null, ir: { nodes: drawn.ir.nodes } })
    })

    test('of a prompt there is none, and of another account’s run nothing is known', async () => {
      says('1')
      const { body: prompt } = await call('POST', '/runs', { input: 'x', model: 'test-model', stream: false })
      expect(await graphOf(prompt.runId)).toEqual({ content_hash: null, ir: null, view: null })
      const { runId } = await run(shouting())
      const foreign = await world().call('GET', `/runs/${runId}/graph`, { as: 'viewer' })
      expect([foreign.status, foreign.body.error.code]).toEqual([404, 'run_not_found'])
    })
  })

  describe('is refused', () => {
    test('for a node that is not there, and a run that is not', async () => {
      says('1')
      const { runId } = await run(chain)
      const step = await rerun(runId, { from_node: 'nobody' })
      expect([step.status, step.body.error.code]).toEqual([404, 'step_not_found'])
      const missing = await rerun('01AAAAAAAAAAAAAAAAAAAAAAAA')
      expect([missing.status, missing.body.error.code]).toEqual([404, 'run_not_found'])
      const foreign = await world().call('POST', `/runs/${runId}/rerun`, { as: 'viewer', body: {} })
      expect([foreign.status, foreign.body.error.code]).toEqual([404, 'run_not_found'])
    })

    test.each([
      ['their sizes alone', { io_capture: 'metadata' }],
      ['nothing', { io_capture: 'off' }],
      ['something else than they were', { io_capture: 'full', redact_rules: { patterns: ['secret'] } }],
    ])('where outputs are needed and %s is on record', async (what, policy) => {
      const id = `agent.closed-${what.length}`
      await call('POST', '/agents', { ir: shouting({ id }) })
      await call('PUT', `/agents/${id}/io-policy`, policy)
      const { body: first } = await call('POST', `/agents/${id}/runs`, { input: 'secret', stream: false })
      for (const body of [{}, { from_node: 'out' }, { from_node: 'shout', input: 'x' }]) {
        const answer = await rerun(first.runId, body)
        expect([answer.status, answer.body.error.code]).toEqual([409, 'outputs_not_recorded'])
      }
      expect((await rerun(first.runId, { input: 'again' })).body.output).toBe('AGAIN')
    })

    test('where an output was too large to be kept', async () => {
      const { runId } = await run(shouting(), 'x'.repeat(300_000))
      const { status, body } = await rerun(runId)
      expect([status, body.error.code]).toEqual([409, 'outputs_not_recorded'])
    })

    test('for a run without a graph', async () => {
      says('1')
      const { body: prompt } = await call('POST', '/runs', { input: 'x', model: 'test-model', stream: false })
      const { status, body } = await rerun(prompt.runId)
      expect([status, body.error.code]).toEqual([409, 'outputs_not_recorded'])
    })
  })
})
