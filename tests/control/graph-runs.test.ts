import { beforeAll, describe, expect, test } from 'bun:test'
import { asking, graph, llm, node, shouting } from '../support/graphs'
import { eachDatabase, events } from '../support/world'

interface Span {
  name: string
  node_id: string | null
  phase: string | null
  status: string
  span_id: string
  parent_span_id: string | null
  attributes: Record<string, unknown>
  bytes_in: number | null
  bytes_out: number | null
  [field: string]: unknown
}

const USE = { id: 'use', role: 'tool' }

eachDatabase((world) => {
  beforeAll(() => world().registerModel())

  const run = (ir: unknown, input: unknown = 'hi', more: Record<string, unknown> = {}) =>
    world().call('POST', '/graphs/runs', { as: 'editor', body: { ir, input, stream: false, ...more } })
  const record = async (id: string) => (await world().call('GET', `/runs/${id}`, { as: 'editor' })).body
  const trace = async (id: string): Promise<Span[]> =>
    (await world().call('GET', `/runs/${id}/trace`, { as: 'editor' })).body.spans
  const io = async (id: string, nodeId: string) =>
    (await world().call('GET', `/runs/${id}/nodes/${nodeId}/io`, { as: 'editor' })).body
  const runs = async () => (await world().call('GET', '/runs?limit=200', { as: 'admin' })).body.runs
  const publish = (ir: unknown) => world().call('POST', '/agents', { as: 'editor', body: { ir } })

  describe('an inline graph', () => {
    test('answers with its output and leaves a record that names the graph', async () => {
      const { status, body } = await run(shouting(), 'hello')
      expect([status, body]).toEqual([
        200,
        { runId: expect.any(String), status: 'completed', output: 'HELLO' },
      ])
      expect(await record(body.runId)).toMatchObject({
        status: 'completed',
        output: 'HELLO',
        model: '',
        graph_id: 'agent.test',
        graph_version: '1.0.0',
        content_hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
        error: null,
        note_code: null,
        parent_run_id: null,
      })
    })

    test('streams what its model says, with the model’s logical id on the run', async () => {
      world().provider.answers({ reasoning: ['Hm.'], deltas: ['Hel', 'lo'] })
      const { response } = await run(asking(), 'hi', { stream: undefined })
      const frames = []
      let id = ''
      for await (const { event, data } of events(response)) {
        if (data === '[DONE]') {
          frames.push(data)
          continue
        }
        const { runId, ...rest } = JSON.parse(data)
        id = runId
        frames.push([event, rest])
      }
      expect(frames).toEqual([
        ['run', { status: 'streaming', model: 'test-model' }],
        ['reasoning', { reasoning: 'Hm.' }],
        ['delta', { delta: 'Hel' }],
        ['delta', { delta: 'lo' }],
        ['run', { status: 'completed' }],
        '[DONE]',
      ])
      expect(await record(id)).toMatchObject({ model: 'test-model', output: 'Hello' })
    })

    test('a graph without a model streams its beginning and its end', async () => {
      const { response } = await run(shouting(), 'hi', { stream: true })
      const names = []
      for await (const { event, data } of events(response)) names.push([event, data === '[DONE]'])
      expect(names).toEqual([
        ['run', false],
        ['run', false],
        [undefined, true],
      ])
    })

    test('tells the inference plane which run it is for', async () => {
      world().provider.answers({ deltas: ['x'] })
      expect((await run(asking())).body.output).toBe('x')
      expect(world().provider.seen.at(-1)!.body).toMatchObject({
        messages: [{ role: 'user', content: 'hi' }],
        stream: true,
      })
    })
  })

  describe('what cannot be run is refused, and leaves no run', () => {
    const human = graph(
      [node('in', 'input'), node('ask', 'human'), node('out', 'output')],
      ['in.out>ask.in', 'ask.out>out.in'],
    )
    const oneNode = (type: string, config: Record<string, unknown>, more = {}) =>
      graph(
        [node('in', 'input'), node('step', type, { config }), node('out', 'output')],
        ['in.out>step.in', 'step.out>out.in'],
        more,
      )
    const offered = (config: Record<string, unknown>) =>
      graph(
        [node('in', 'input'), llm('ask'), node('step', 'tool', { config, in: [], out: [USE] })],
        ['in.out>ask.in', 'step.use>ask.tools tool'],
      )
    test.each([
      ['a document that is none', { nodes: 1 }, 'invalid_ir'],
      ['no object at all', 'graph', 'invalid_ir'],
      ['a graph that needs a durable run', human, 'durable_required'],
      ['a type that nothing runs', oneNode('memory', {}), 'node_type_unavailable'],
      ['an unknown tool', oneNode('tool', { tool: 'nope' }), 'tool_not_found'],
      [
        'an unknown built-in tool behind a key',
        oneNode('tool', { tool: 'mine' }, { tools: { mine: { kind: 'builtin', ref: 'nope' } } }),
        'tool_not_found',
      ],
      [
        'a tool that only the node says how to call',
        oneNode('tool', { tool: 'nope', connection: 'con_1', urlTemplate: '/x' }),
        'tool_not_found',
      ],
      [
        'such a tool that is offered to a model',
        offered({
          tool: 'nope',
          connection: 'con_1',
          urlTemplate: '/x',
          description: 'd',
          parameterSchema: { type: 'object', properties: {} },
        }),
        'tool_not_found',
      ],
      [
        'a built-in tool of a model that cannot describe itself',
        asking({
          nodes: [node('in', 'input'), llm('ask', '$in', { tools: ['mine'] }), node('out', 'output')],
          tools: { mine: { kind: 'builtin', ref: 'nope' } },
        }),
        'tool_not_self_describing',
      ],
      [
        'an MCP tool in a tool node',
        oneNode('tool', { tool: 'mine' }, { tools: { mine: { kind: 'mcp', tool: 't', server: 's' } } }),
        'tool_binding_mismatch',
      ],
      ['an unknown MCP server', oneNode('mcp_tool', { tool: 't', server: 's' }), 'mcp_server_not_found'],
      ['an unknown document source', oneNode('rag', { source: 'rag_1' }), 'rag_source_not_found'],
    ])('%s', async (_, ir, code) => {
      const before = (await runs()).length
      const { status, body } = await run(ir)
      expect([status, body.error.code]).toEqual([400, code])
      expect(body.runId).toBeUndefined()
      expect((await runs()).length).toBe(before)
    })

    test('an invalid document has all its problems beside the error', async () => {
      const ir = shouting()
      ir.nodes[1]!.kind = 'activity'
      ir.edges[0]!.target = 'nowhere'
      const { body } = await run(ir)
      expect(body.problems.length).toBeGreaterThan(1)
      expect(body.error.message).toBe(body.problems[0].message)
      expect(body.problems[0]).toMatchObject({ code: 'kind_mismatch', node_id: 'shout' })
    })

    test('a viewer may not run a graph of their own', async () => {
      const { status } = await world().call('POST', '/graphs/runs', {
        as: 'viewer',
        body: { ir: shouting(), input: 'x' },
      })
      expect(status).toBe(403)
    })
  })

  describe('what fails before the stream begins is an HTTP status, with the run beside it', () => {
    test.each([
      ['a template', llm('step', '$in.other'), 422, 'template_error'],
      ['a router', node('step', 'router', { config: { select: '"nowhere"' } }), 422, 'router_error'],
      [
        'a transform',
        node('step', 'transform', { config: { expr: '{"a": "$in.in.b.c"}' } }),
        422,
        'transform_error',
      ],
    ])('%s', async (_, step, expected, code) => {
      const ir = graph(
        [node('in', 'input'), step, node('out', 'output')],
        ['in.out>step.in', 'step.out>out.in'],
      )
      const { status, body } = await run(ir, { b: 1 }, { stream: true })
      expect([status, body.error.code]).toEqual([expected, code])
      expect(await record(body.runId)).toMatchObject({ status: 'failed', error: body.error.message })
    })

    test('a model that is not registered', async () => {
      const models = { default: { binding: 'mlx', model: 'nobody' } }
      const { status, body } = await run(asking({ models }), 'hi', { stream: true })
      expect([status, body.error.code]).toEqual([404, 'model_not_found'])
      expect(await record(body.runId)).toMatchObject({ status: 'failed' })
    })

    test('a provider that refuses', async () => {
      world().provider.answers({ failure: { status: 429, body: { error: { message: 'Slow down.' } } } })
      const { status, body } = await run(asking())
      expect([status, body.error.message]).toEqual([429, 'Slow down.'])
    })
  })

  test('two outputs that both execute fail the run', async () => {
    const ir = graph(
      [node('in', 'input'), node('a', 'output'), node('b', 'output')],
      ['in.out>a.in', 'in.out>b.in'],
    )
    const { status, body } = await run(ir)
    expect([status, body.error.code]).toEqual([422, 'template_error'])
  })

  test('an output that is not reached completes empty, with a note', async () => {
    const ir = graph([node('in', 'input')], [])
    const { status, body } = await run(ir)
    expect([status, body.output]).toEqual([200, ''])
    expect(await record(body.runId)).toMatchObject({
      status: 'completed',
      error: expect.any(String),
      note_code: 'no_output_node',
    })
  })

  test('a tool that needs a connection answers on its err port while there are none', async () => {
    const tools = { crm: { kind: 'http', connection: 'con_1', urlTemplate: '/x' } }
    const ir = graph(
      [node('in', 'input'), node('call', 'tool', { config: { tool: 'crm' } }), node('out', 'output')],
      ['in.out>call.in', 'call.err>out.in'],
      { tools },
    )
    expect((await run(ir)).body).toMatchObject({
      status: 'completed',
      output: expect.stringMatching('connection not found'),
    })
  })

  test('a declared tool may be called as its node says', async () => {
    const tools = { crm: { kind: 'builtin', ref: 'nope' } }
    const config = { tool: 'crm', connection: 'con_1', urlTemplate: '/x' }
    const ir = graph(
      [node('in', 'input'), node('call', 'tool', { config }), node('out', 'output')],
      ['in.out>call.in', 'call.err>out.in'],
      { tools },
    )
    expect((await run(ir)).body.output).toMatch('connection not found')
  })

  test('http_fetch calls the address', async () => {
    await using site = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('a page') })
    const config = { tool: 'http_fetch', args: { url: `http://127.0.0.1:${site.port}/` } }
    const ir = graph(
      [node('in', 'input'), node('get', 'tool', { config }), node('out', 'output')],
      ['in.out>get.in', 'get.out>out.in'],
    )
    expect(JSON.parse((await run(ir)).body.output)).toMatchObject({ status: 200, body: 'a page' })
  })

  describe('the trace', () => {
    test('has a span per node below the root, one per generation below its node, and skipped branches', async () => {
      world().provider.answers({ deltas: ['yes'] })
      const ir = graph(
        [
          node('in', 'input'),
          node('way', 'router', { config: { select: '"left"' }, out: ['left', 'right'] }),
          llm('left'),
          llm('right'),
          node('out', 'output'),
        ],
        ['in.out>way.in', 'way.left>left.in', 'way.right>right.in', 'left.out>out.in'],
      )
      const { body } = await run(ir)
      expect(body.output).toBe('yes')
      const spans = await trace(body.runId)
      const root = spans.find(({ parent_span_id }) => parent_span_id === null)!
      const byName = (name: string) => spans.find((span) => span.name === name)!
      expect(root).toMatchObject({ name: body.runId, status: 'ok' })
      expect(spans.map(({ name, status }) => `${name} ${status}`).sort()).toEqual(
        [
          `${body.runId} ok`,
          'in ok',
          'left ok',
          'model.generate ok',
          'out ok',
          'right skipped',
          'way ok',
        ].sort(),
      )
      for (const name of ['in', 'way', 'left', 'right', 'out']) {
        expect(byName(name)).toMatchObject({ parent_span_id: root.span_id, node_id: name })
      }
      expect(byName('model.generate')).toMatchObject({
        parent_span_id: byName('left').span_id,
        node_id: 'left',
        phase: 'model.generate',
        attributes: {
          'gen_ai.request.model': 'test-model',
          'gen_ai.response.finish_reason': 'stop',
          'gen_ai.usage.total_tokens': 8,
          ttft_ms: expect.any(Number),
        },
      })
      expect(byName('left')).toMatchObject({ bytes_in: 2, bytes_out: 3 })
    })

    test('is kept whatever the document calls its nodes and models', async () => {
      const ir = graph(
        [node('in', 'input'), llm('a\0\ud800b'), node('out', 'output')],
        ['in.out>a\0\ud800b.in', 'a\0\ud800b.err>out.in'],
        { models: { default: { binding: 'mlx', model: 'no\0model' } } },
      )
      ir.nodes[1]!.ports.out.push({ id: 'err', type: 'error' })
      const { status, body } = await run(ir)
      expect([status, body.error.code]).toEqual([404, 'model_not_found'])
      expect((await record(body.runId)).model).toBe('no\uFFFDmodel')
      expect((await trace(body.runId)).map(({ node_id }) => node_id)).toContain('in')
    })

    test('shows what went in and out, the thinking and the tool calls', async () => {
      world().provider.answers((body) =>
        (body.messages as unknown[]).length === 1
          ? {
              reasoning: ['Let me see.'],
              toolCalls: [{ id: 'c1', name: 'echo', arguments: '{"value":"ping"}' }],
            }
          : { deltas: ['pong'] },
      )
      const ir = graph(
        [node('in', 'input'), llm('ask', '$in', { tools: ['echo'] }), node('out', 'output')],
        ['in.out>ask.in', 'ask.out>out.in'],
        { tools: { echo: { kind: 'builtin', ref: 'echo' } } },
      )
      const { body } = await run(ir)
      expect(body.output).toBe('pong')
      expect(await io(body.runId, 'ask')).toMatchObject({
        capture_level: 'full',
        inputs: { in: 'hi' },
        outputs: {
          out: 'pong',
          reasoning: 'Let me see.',
          tool_calls: [
            { name: 'echo', arguments: { value: 'ping' }, ok: true, result: 'ping', iteration: 0, index: 0 },
          ],
        },
        bytes_in: 2,
        bytes_out: 4,
        reason: null,
      })
      const names = (await trace(body.runId)).map(({ name }) => name)
      expect(names.filter((name) => name === 'model.generate')).toHaveLength(2)
      expect(names).toContain('tool.echo')
    })
  })

  describe('a session', () => {
    test('is replayed into every model node, and the turn is added', async () => {
      await world().call('POST', '/sessions', { as: 'editor', body: { id: 'talk' } })
      await world().call('POST', '/sessions/talk/turns', {
        as: 'editor',
        body: { user_content: 'Before?', assistant_content: 'Before!' },
      })
      world().provider.answers({ deltas: ['fine'] })
      const ir = graph(
        [node('in', 'input'), llm('a'), llm('b', 'again $in'), node('out', 'output')],
        ['in.out>a.in', 'a.out>b.in', 'b.out>out.in'],
      )
      const from = world().provider.seen.length
      const { body } = await run(ir, { q: 1 }, { session_id: 'talk' })
      const asked = world()
        .provider.seen.slice(from)
        .map(({ body }) => (body as { messages: unknown[] }).messages)
      const history = [
        { role: 'user', content: 'Before?' },
        { role: 'assistant', content: 'Before!' },
      ]
      expect(asked).toEqual([
        [...history, { role: 'user', content: '{"q":1}' }],
        [...history, { role: 'user', content: 'again fine' }],
      ])
      const { messages } = (await world().call('GET', '/sessions/talk', { as: 'editor' })).body
      expect(messages.slice(2)).toMatchObject([
        { role: 'user', content: '{"q":1}', run_id: body.runId, position: 2 },
        { role: 'assistant', content: 'fine', run_id: body.runId, position: 3 },
      ])
    })

    test('of somebody else is not there, and nothing is run', async () => {
      await world().call('POST', '/sessions', { as: 'admin', body: { id: 'private' } })
      const before = (await runs()).length
      const { status, body } = await run(shouting(), 'x', { session_id: 'private' })
      expect([status, body.error.code]).toEqual([404, 'session_not_found'])
      expect((await runs()).length).toBe(before)
    })
  })

  describe('a published agent', () => {
    beforeAll(async () => {
      await publish(shouting({ id: 'agent.pinned' }))
      const second = shouting({ id: 'agent.pinned', version: '2.0.0' })
      second.nodes[1]!.config = { expr: '"two"' }
      await world().call('POST', '/agents/agent.pinned/versions', { as: 'editor', body: { ir: second } })
    })
    const start = (body: Record<string, unknown>, as: 'viewer' | 'editor' = 'viewer', id = 'agent.pinned') =>
      world().call('POST', `/agents/${id}/runs`, { as, body: { input: 'hi', stream: false, ...body } })
    const hashOf = async (version: string) =>
      (await world().call('GET', `/agents/agent.pinned/versions/${version}`, { as: 'viewer' })).body
        .content_hash

    test('is run by a viewer, the latest version without a pin', async () => {
      const { status, body } = await start({})
      expect([status, body.output]).toEqual([200, 'two'])
      const row = (await world().call('GET', `/runs/${body.runId}`, { as: 'viewer' })).body
      expect(row).toMatchObject({
        graph_id: 'agent.pinned',
        graph_version: '2.0.0',
        content_hash: await hashOf('2.0.0'),
      })
    })

    test('is run at the version or the hash that is asked for; the hash counts first', async () => {
      expect((await start({ version: '1.0.0' })).body.output).toBe('HI')
      expect((await start({ content_hash: await hashOf('1.0.0') })).body.output).toBe('HI')
      expect((await start({ version: '2.0.0', content_hash: await hashOf('1.0.0') })).body.output).toBe('HI')
      expect((await start({ version: null, content_hash: null })).body.output).toBe('two')
    })

    test.each([
      ['an unknown agent', {}, 'agent.nobody', 404, 'agent_not_found'],
      ['an unknown version', { version: '9' }, 'agent.pinned', 404, 'agent_version_not_found'],
      ['a run without an input', { input: undefined }, 'agent.pinned', 422, 'validation_error'],
    ])('%s is refused', async (_, body, id, status, code) => {
      const answer = await start(body, 'viewer', id)
      expect([answer.status, answer.body.error.code]).toEqual([status, code])
    })

    test('keeps of its inputs and outputs what its own policy lets it', async () => {
      await publish(shouting({ id: 'agent.quiet' }))
      const policy = (io_capture: string) =>
        world().call('PUT', '/agents/agent.quiet/io-policy', { as: 'editor', body: { io_capture } })
      await policy('metadata')
      const sizes = (await start({}, 'editor', 'agent.quiet')).body.runId
      expect(await io(sizes, 'shout')).toMatchObject({
        capture_level: 'metadata',
        inputs: null,
        outputs: null,
        bytes_in: 2,
        bytes_out: 2,
        reason: 'sizes only',
      })
      await policy('off')
      const nothing = (await start({}, 'editor', 'agent.quiet')).body.runId
      expect(await io(nothing, 'shout')).toMatchObject({ capture_level: 'off', bytes_in: null })
      // The same document without the agent is nobody's, and its policy does not count.
      const inline = (await run(shouting({ id: 'agent.quiet' }))).body.runId
      expect(await io(inline, 'shout')).toMatchObject({ capture_level: 'full', outputs: { out: 'HI' } })
    })
  })

  describe('gates', () => {
    const limited = (id: string, limit: number, windowSeconds: number) =>
      graph(
        [
          node('in', 'input'),
          node('gate', 'ratelimit', { config: { keyExpr: '$in', limit, windowSeconds } }),
          node('yes', 'output'),
          node('no', 'output'),
        ],
        ['in.out>gate.in', 'gate.allow>yes.in', 'gate.deny>no.in'],
        { id },
      )

    test('a rate limit counts exactly, however many come at once, and each key apart', async () => {
      // A window so long that no test run meets its edge.
      const ir = limited('agent.limited', 7, 10_000_000)
      const answers = await Promise.all(Array.from({ length: 20 }, () => run(ir, 'ada')))
      expect(answers.filter(({ body }) => body.output === 'ada')).toHaveLength(7)
      const denied = answers.filter(({ body }) => body.output !== 'ada')
      expect(JSON.parse(denied[0]!.body.output)).toEqual({
        denied: true,
        reason: expect.stringContaining('rate limit exceeded (7/10000000s)'),
      })
      expect((await run(ir, 'bob')).body.output).toBe('bob')
      expect((await run({ ...ir, id: 'agent.limited-2' }, 'ada')).body.output).toBe('ada')
    })

    test('a quota counts the tokens that the agent’s runs have used, of this agent only', async () => {
      const ir = graph(
        [
          node('in', 'input'),
          node('gate', 'quota', { config: { keyExpr: 'all', budgetTokens: 10, windowSeconds: 3600 } }),
          llm('ask'),
          node('out', 'output'),
          node('no', 'output'),
        ],
        ['in.out>gate.in', 'gate.allow>ask.in', 'ask.out>out.in', 'gate.deny>no.in'],
        { id: 'agent.thrifty' },
      )
      // 8 tokens a run: below the budget once more, and then no longer.
      world().provider.answers({ deltas: ['x'] })
      expect((await run(ir)).body.output).toBe('x')
      expect((await run(ir)).body.output).toBe('x')
      expect(JSON.parse((await run(ir)).body.output)).toMatchObject({ denied: true })
      expect((await run({ ...ir, id: 'agent.thrifty-2' })).body.output).toBe('x')
    })
  })

  test('one runs longer than its stream may wait for a first word: the stream begins all the same', async () => {
    const go = Promise.withResolvers<void>()
    world().provider.answers({ deltas: ['x'], before: (index) => (index === 1 ? go.promise : undefined) })
    const { response } = await run(asking(), 'hi', { stream: true })
    const reader = response.body!.getReader()
    expect(new TextDecoder().decode((await reader.read()).value)).toContain('"status":"streaming"')
    go.resolve()
    while (!(await reader.read()).done);
  })
})
