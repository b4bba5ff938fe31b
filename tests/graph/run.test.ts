import { describe, expect, test } from 'bun:test'
import type { Port } from '#graph/ir'
import { failure, play, settle, wants } from './run-support'
import { type AuthoredNode, edge, node } from './support'

const ports = (
  made: AuthoredNode,
  change: { in?: Partial<Port>[]; out?: Partial<Port>[] },
): AuthoredNode => ({
  ...made,
  ports: { ...made.ports, ...change },
})
const optional = (...ids: string[]) => ids.map((id) => ({ id, required: false }))
const outs = (...ids: string[]) => ids.map((id) => ({ id }))

const branching = ports(node('choose', 'router', { select: '$in.in.way' }), { out: outs('left', 'right') })
const shape = (id: string, expr: unknown) => node(id, 'transform', { expr: JSON.stringify(expr) })

describe('a run', () => {
  test('goes from the input to the output', async () => {
    const { result, spans, io } = await play(
      [node('a', 'input'), shape('b', { said: '$in' }), node('c', 'output')],
      [edge('a.out', 'b.in'), edge('b.out', 'c.in')],
      { input: { n: 1 } },
    )
    expect(result).toEqual({ output: '{"said":{"n":1}}' })
    expect(spans).toEqual(['a ok', 'b ok', 'c ok'])
    expect(io.get('b')).toMatchObject({ inputs: { in: { n: 1 } }, outputs: { out: { said: { n: 1 } } } })
  })

  test.each([
    ['text as it is', 'hi', 'hi'],
    ['a number as JSON', 5, '5'],
    ['a list as JSON', [1, null], '[1,null]'],
    ['null as nothing', null, ''],
  ])('has an output that is text: %s', async (_, input, output) => {
    const { result } = await play([node('a', 'input'), node('b', 'output')], [edge('a.out', 'b.in')], {
      input,
    })
    expect(result!.output).toBe(output)
  })

  test('emits a span for every node, in topological order, each within a place of its own', async () => {
    const { events } = await play(
      [node('z', 'input'), shape('a', '$in'), node('m', 'output')],
      [edge('z.out', 'a.in'), edge('a.out', 'm.in')],
    )
    const opened = events.flatMap((event) =>
      event.type === 'span.open' ? [[event.span.node, event.order]] : [],
    )
    expect(opened).toEqual([
      ['z', 10_000],
      ['a', 20_000],
      ['m', 30_000],
    ])
  })

  test('of a node that only runs durably fails by its code', async () => {
    const played = await play([node('a', 'input'), node('h', 'human')], [edge('a.out', 'h.in')])
    expect(failure(played)).toMatchObject({ code: 'durable_required', status: 400 })
  })
})

describe('a branch', () => {
  const forked = [
    node('a', 'input'),
    branching,
    shape('l', 'went left'),
    shape('r', 'went right'),
    node('out', 'output'),
  ]
  const fork = [edge('a.out', 'choose.in'), edge('choose.left', 'l.in'), edge('choose.right', 'r.in')]

  test('that is not taken is skipped, with all that only it leads to', async () => {
    const { spans, io, events } = await play(
      [...forked, shape('after', '$in')],
      [...fork, edge('l.out', 'out.in'), edge('r.out', 'after.in')],
      { input: { way: 'left' } },
    )
    expect(spans).toEqual(['a ok', 'choose ok', 'l ok', 'r skipped', 'out ok', 'after skipped'])
    expect(io.has('r')).toBe(false)
    const names = events.flatMap((event) => ('span' in event && event.span.node === 'r' ? [event.type] : []))
    expect(names).toEqual(['span.open', 'span.close'])
  })

  test.each([
    ['left', 'got went left and .'],
    ['right', 'got  and went right.'],
  ])('joins others at a node with a port for each: %s', async (way, output) => {
    const { result } = await play(
      [
        ...forked,
        ports(node('join', 'llm', { messages: [{ role: 'user', content: 'got $in.l and $in.r.' }] }), {
          in: optional('l', 'r'),
        }),
      ],
      [...fork, edge('l.out', 'join.l'), edge('r.out', 'join.r'), edge('join.out', 'out.in')],
      { input: { way }, answer: ({ messages }) => (messages[0] as { content: string }).content },
    )
    expect(result!.output).toBe(output)
  })

  test('a node that lives by one of its branches has the dead one as absent', async () => {
    const { io } = await play(
      [...forked, ports(shape('join', { l: '$in.l', r: '$in.r' }), { in: optional('l', 'r') })],
      [...fork, edge('l.out', 'join.l'), edge('r.out', 'join.r'), edge('join.out', 'out.in')],
      { input: { way: 'right' } },
    )
    expect(io.get('join')).toMatchObject({
      inputs: { r: 'went right' },
      outputs: { out: { l: null, r: 'went right' } },
    })
    expect(Object.keys(io.get('join')!.inputs)).toEqual(['r'])
  })
})

describe('a control edge', () => {
  const ordered = (rest: object) => [
    node('a', 'input'),
    branching,
    shape('l', 'left'),
    ports(shape('late', 'ran'), rest),
    node('out', 'output'),
  ]

  test('orders, and does not feed', async () => {
    const { spans, io } = await play(
      [node('a', 'input'), node('ask', 'llm'), shape('first', 1), node('out', 'output')],
      [
        edge('a.out', 'ask.in'),
        edge('ask.out', 'first.in', { channel: 'control' }),
        edge('first.out', 'out.in'),
      ],
      { input: 'x' },
    )
    expect(spans).toEqual(['a ok', 'ask ok', 'ask/model.generate ok', 'first ok', 'out ok'])
    expect(io.get('first')!.inputs).toEqual({})
  })

  test('that is dead does not keep a node from running', async () => {
    const { spans } = await play(
      ordered({ in: optional('in') }),
      [
        edge('a.out', 'choose.in'),
        edge('choose.right', 'l.in'),
        edge('l.out', 'late.in', { channel: 'control' }),
        edge('late.out', 'out.in'),
      ],
      { input: { way: 'left' } },
    )
    expect(spans).toEqual(['a ok', 'choose ok', 'l skipped', 'late ok', 'out ok'])
  })

  test('does not bring a node to life that its data edges leave dead', async () => {
    const { spans } = await play(
      ordered({ in: optional('in', 'after') }),
      [
        edge('a.out', 'choose.in'),
        edge('choose.right', 'late.in'),
        edge('choose.left', 'l.in'),
        edge('l.out', 'late.after', { channel: 'control' }),
      ],
      { input: { way: 'left' } },
    )
    expect(spans).toContain('late skipped')
  })
})

test('an input runs even where only a dead branch leads to it', async () => {
  const late = ports(node('late', 'input'), { in: optional('in') })
  const { spans } = await play(
    [node('a', 'input'), branching, late],
    [edge('a.out', 'choose.in'), edge('choose.left', 'late.in')],
    { input: { way: 'right' } },
  )
  expect(spans).toContain('late ok')
})

test('a node that nothing leads to runs', async () => {
  const { result } = await play(
    [shape('alone', 'made'), node('out', 'output')],
    [edge('alone.out', 'out.in')],
  )
  expect(result).toEqual({ output: 'made' })
})

test('a node that is offered to a model is no step', async () => {
  const { spans, io } = await play(
    [node('a', 'input'), node('ask', 'llm'), node('say', 'tool'), node('out', 'output')],
    [edge('a.out', 'ask.in'), edge('say.use', 'ask.tools', { channel: 'tool' }), edge('ask.out', 'out.in')],
    { answers: [wants(['say', { value: 1 }]), 'done'] },
  )
  expect(spans).toEqual([
    'a ok',
    'ask ok',
    'ask/model.generate ok',
    'ask/tool.say#0.0 ok',
    'ask/model.generate#1 ok',
    'out ok',
  ])
  expect(io.has('say')).toBe(false)
})

describe('a node that takes one value', () => {
  test.each([
    'output',
    'router',
    'guardrail',
    'ratelimit',
    'quota',
    'transcribe',
    'speak',
    'imagine',
  ] as const)('%s fails the run when it declares two in-ports', async (type) => {
    const made = ports(node('n', type), { in: optional('one', 'two') })
    const played = await play([node('a', 'input'), made], [edge('a.out', 'n.one')])
    expect(failure(played)).toMatchObject({ code: 'template_error', status: 422 })
    expect(failure(played).message).toContain('declares 2 in-ports: "one", "two"')
  })

  test('has null when it declares none', async () => {
    const { result } = await play([ports(node('out', 'output'), { in: [] })], [])
    expect(result).toMatchObject({ output: '' })
  })
})

describe('an empty output', () => {
  const failing = node('t', 'tool', { tool: 'http_fetch', args: { url: 'http://x' } })
  const noErr = ports(failing, { out: outs('out') })
  const down = { tools: { fetch: () => Promise.reject(new Error(`it is down ${'.'.repeat(500)}`)) } }
  const tail = [edge('a.out', 't.in'), edge('t.out', 'out.in')]

  test('after a failure that nothing took up names the node and its cause, cut', async () => {
    const { result, spans } = await play([node('a', 'input'), noErr, node('out', 'output')], tail, down)
    expect(result).toMatchObject({ output: '', note_code: 'upstream_error' })
    expect(result!.note).toStartWith('Upstream error on node "t": it is down')
    expect(result!.note!.length).toBeLessThan(340)
    expect(spans).toEqual(['a ok', 't err', 'out skipped'])
  })

  test('is put down to the failure that nothing took up, rather than to one that was', async () => {
    const { result } = await play(
      [node('a', 'input'), { ...failing, id: 'handled' }, { ...noErr, id: 'lost' }, node('out', 'output')],
      [edge('a.out', 'handled.in'), edge('handled.err', 'lost.in'), edge('lost.out', 'out.in')],
      down,
    )
    expect(result!.note).toStartWith('Upstream error on node "lost"')
  })

  test('of a graph without an output node says so', async () => {
    const { result } = await play([node('a', 'input')], [])
    expect(result).toMatchObject({ output: '', note_code: 'no_output_node' })
  })

  test('of a branch that reaches no output node says so', async () => {
    const { result } = await play(
      [node('a', 'input'), branching, node('out', 'output')],
      [edge('a.out', 'choose.in'), edge('choose.left', 'out.in')],
      { input: { way: 'right' } },
    )
    expect(result).toMatchObject({ output: '', note_code: 'output_not_reached' })
  })

  const asking = [node('a', 'input'), node('ask', 'llm'), node('out', 'output')]
  const ask = [edge('a.out', 'ask.in'), edge('ask.out', 'out.in')]

  test('of a model that hit its token limit names it', async () => {
    const cut = [{ choices: [{ delta: { reasoning_content: 'hm' }, finish_reason: 'length' }] }]
    const { result } = await play(asking, ask, { answers: [cut] })
    expect(result).toMatchObject({ output: '', note_code: 'token_limit' })
    expect(result!.note).toContain('"ask"')
    expect(result!.note).toContain('raise maxTokens')
  })

  test('of a model that only wants tools names its limit', async () => {
    const { result, asked } = await play(
      [...asking.slice(0, 1), node('ask', 'llm', { tools: ['e'], maxToolIterations: 2 }), asking[2]!],
      ask,
      { answers: [wants(['e', {}])], rest: { tools: { e: { kind: 'builtin', ref: 'echo' } } } },
    )
    expect(result).toMatchObject({ output: '', note_code: 'tool_limit' })
    expect(asked.chat).toHaveLength(3)
  })

  test('that a model simply gave has no note', async () => {
    const { result } = await play(asking, ask, { answers: [''] })
    expect(result).toEqual({ output: '' })
  })
})

test('two outputs in one run are ambiguous', async () => {
  const played = await play(
    [node('a', 'input'), node('one', 'output'), node('two', 'output')],
    [edge('a.out', 'one.in'), edge('a.out', 'two.in')],
  )
  expect(failure(played)).toMatchObject({ code: 'template_error', status: 422 })
  expect(failure(played).message).toContain('ambiguous')
})

describe('failures side by side', () => {
  const beside = (ids: string[]) => [
    node('a', 'input'),
    ...ids.map((id) => node(id, 'llm', { messages: [{ role: 'user', content: id }] })),
  ]
  const edges = (ids: string[]) => ids.map((id) => edge('a.out', `${id}.in`))

  test.each([
    ['the first to fail', ['b', 'c']],
    ['the last to fail', ['c', 'b']],
  ])('the topologically earliest counts, be it %s', async (_, order) => {
    const gates = new Map(order.map((id) => [id, Promise.withResolvers<never>()]))
    const running = play(beside(['b', 'c']), edges(['b', 'c']), {
      answer: ({ messages }) => gates.get((messages[0] as { content: string }).content)!.promise,
    })
    for (const id of order) {
      await settle()
      gates.get(id)!.reject(new Error(`${id} broke`))
      gates.get(id)!.promise.catch(() => {})
    }
    expect((await running).error!.message).toBe('b broke')
  })

  test('stop what comes later, and nothing new begins there', async () => {
    const { error, spans } = await play(
      [...beside(['b', 'c']), shape('d', '$in')],
      [...edges(['b', 'c']), edge('c.out', 'd.in')],
      {
        answer: ({ messages }) =>
          (messages[0] as { content: string }).content === 'b'
            ? new Error('b broke')
            : new Promise<never>(() => {}),
      },
    )
    expect(error!.message).toBe('b broke')
    expect(spans).toEqual(['a ok', 'b err', 'b/model.generate err', 'c err', 'c/model.generate err'])
  })
})

describe('a run that is stopped', () => {
  test('ends soon, whether or not its model heeds it, and closes what it opened', async () => {
    const stop = new AbortController()
    const running = play(
      [node('a', 'input'), node('ask', 'llm'), shape('later', '$in')],
      [edge('a.out', 'ask.in'), edge('ask.out', 'later.in')],
      {
        answers: [new Promise<never>(() => {})],
        signal: stop.signal,
      },
    )
    await settle()
    stop.abort(new Error('enough'))
    const { error, spans, span } = await running
    expect(error!.message).toBe('enough')
    expect(spans).toEqual(['a ok', 'ask err', 'ask/model.generate err'])
    expect(span('ask').close!.error).toBe('The run ended before this step did.')
  })

  test('in the middle of an answer closes the generation, whose model goes on', async () => {
    const stop = new AbortController()
    const running = play([node('a', 'input'), node('ask', 'llm')], [edge('a.out', 'ask.in')], {
      models: {
        chat: async () =>
          (async function* () {
            yield [{ choices: [{ delta: { content: 'Hel' } }] }]
            await new Promise(() => {})
          })(),
      },
      signal: stop.signal,
    })
    await settle()
    stop.abort(new Error('enough'))
    const { spans, text } = await running
    expect(text).toBe('Hel')
    expect(spans).toEqual(['a ok', 'ask err', 'ask/model.generate err'])
  })

  test('before it begins does nothing', async () => {
    const { events } = await play([node('a', 'input')], [], { signal: AbortSignal.abort(new Error('gone')) })
    expect(events).toEqual([])
  })
})

test('no more than 16 nodes of a run work at once', async () => {
  const ids = Array.from({ length: 40 }, (_, index) => `n${index}`)
  let working = 0
  let most = 0
  const { error } = await play(
    [node('a', 'input'), ...ids.map((id) => node(id, 'llm'))],
    ids.map((id) => edge('a.out', `${id}.in`)),
    {
      latency: async () => {
        working++
        most = Math.max(most, working)
        await settle(5)
        working--
      },
    },
  )
  expect(error).toBeUndefined()
  expect(most).toBe(16)
})

test('the stream begins once, with the first model that answers', async () => {
  const { events } = await play(
    [node('a', 'input'), node('b', 'llm'), node('c', 'llm')],
    [edge('a.out', 'b.in'), edge('b.out', 'c.in')],
  )
  expect(events.filter(({ type }) => type === 'streaming')).toHaveLength(1)
})
