import { describe, expect, test } from 'bun:test'
import type { ChatChunk } from '#graph/ports'
import { delta, failure, play, said, wants } from './run-support'
import { type AuthoredNode, edge, node } from './support'

const line = (made: AuthoredNode, more: Parameters<typeof play>[2] = {}) =>
  play(
    [node('a', 'input'), made, node('out', 'output')],
    [edge('a.out', `${made.id}.in`), edge(`${made.id}.${made.ports.out[0]!.id}`, 'out.in')],
    more,
  )

const nested = (depth: number) => {
  let value: unknown = 'core'
  for (let level = 0; level < depth; level++) value = { in: value }
  return value
}

test('a graph of 1,000 nodes in a row runs', async () => {
  const ids = Array.from({ length: 998 }, (_, index) => `n${index}`)
  const all = ['a', ...ids, 'z']
  const startedAt = performance.now()
  const { result, spans } = await play(
    [node('a', 'input'), ...ids.map((id) => node(id, 'transform', { expr: '"$in"' })), node('z', 'output')],
    all.slice(1).map((id, index) => edge(`${all[index]}.out`, `${id}.in`)),
    { input: 'through' },
  )
  expect(result).toEqual({ output: 'through' })
  expect(spans).toHaveLength(1_000)
  expect(performance.now() - startedAt).toBeLessThan(2_000)
})

test('a graph of 1,000 models beside each other runs', async () => {
  const ids = Array.from({ length: 1_000 }, (_, index) => `n${index}`)
  const { error, spans } = await play(
    [node('a', 'input'), ...ids.map((id) => node(id, 'llm'))],
    ids.map((id) => edge('a.out', `${id}.in`)),
  )
  expect(error).toBeUndefined()
  expect(spans.filter((span) => span.endsWith(' ok'))).toHaveLength(2_001)
})

describe('JSON nested 100,000 levels deep', () => {
  const deepText = `${'{"in":'.repeat(100_000)}1${'}'.repeat(100_000)}`

  test('is refused as an input, before anything runs', async () => {
    const played = await line(node('n', 'llm'), { input: nested(100_000) })
    expect(failure(played)).toMatchObject({ code: 'validation_error', status: 422 })
    expect(played.events).toEqual([])
  })

  test('may be 1,000 levels deep', async () => {
    const { result } = await line(node('n', 'transform', { expr: '"$in"' }), { input: nested(1_000) })
    expect(result!.output).toBe(JSON.stringify(nested(1_000)))
  })

  test.each([
    ['a template', '"$in.in.in"', 'transform_error'],
    ['an expression', '$eval($in.in)', 'transform_error'],
  ])('in a text that is read by %s fails the run', async (_, expr, code) => {
    expect(failure(await line(node('n', 'transform', { expr }), { input: deepText }))).toMatchObject({ code })
  })

  test('stays text as the body of an answer', async () => {
    const { io } = await line(node('t', 'tool', { connection: 'conn_1', tool: 'echo' }), {
      tools: { http: async () => ({ status: 200, headers: {}, body: deepText }) },
    })
    expect(io.get('t')!.outputs.out).toMatchObject({ body: deepText })
  })

  test('is a failure as the result of a tool', async () => {
    const { io } = await line(node('t', 'mcp_tool'), { tools: { mcp: async () => nested(100_000) } })
    expect(io.get('t')!.outputs).toEqual({ err: 'The result is nested more than 1000 levels deep.' })
  })

  test('counts as no arguments', async () => {
    const { io } = await line(node('m', 'llm', { tools: ['e'] }), {
      answers: [wants(['e', deepText]), 'x'],
      rest: { tools: { e: { kind: 'builtin', ref: 'echo' } } },
    })
    expect(io.get('m')!.outputs.tool_calls).toMatchObject([{ arguments: {} }])
  })
})

test('a tool result of 50 MB reaches the model, and the record, as its beginning', async () => {
  const body = 'x'.repeat(50_000_000)
  const wanted = wants(['big', { url: 'http://x' }])
  const { asked, io, result } = await play(
    [node('m', 'llm'), node('big', 'tool', { tool: 'http_fetch' }), node('out', 'output')],
    [edge('big.use', 'm.tools', { channel: 'tool' }), edge('m.out', 'out.in')],
    { answers: [wanted, 'done'], tools: { fetch: async () => ({ status: 200, headers: {}, body }) } },
  )
  expect(result!.output).toBe('done')
  const told = (asked.chat[1]!.messages.at(-1) as { content: string }).content
  expect(told.length).toBeLessThan(16_100)
  expect(told).toEndWith('characters omitted]')
  expect(JSON.stringify(io.get('m')!.outputs).length).toBeLessThan(20_000)
})

describe('a template', () => {
  test('of a million characters is rendered', async () => {
    const { asked } = await line(
      node('m', 'llm', { messages: [{ role: 'user', content: '$in '.repeat(250_000) }] }),
      {
        input: 'ab',
      },
    )
    expect((asked.chat[0]!.messages[0] as { content: string }).content.length).toBe(750_000)
  })

  test('that would grow beyond all bounds fails the run', async () => {
    const played = await line(
      node('m', 'llm', { messages: [{ role: 'user', content: '$in'.repeat(300_000) }] }),
      {
        input: 'x'.repeat(1_000),
      },
    )
    expect(failure(played)).toMatchObject({ code: 'template_error' })
  })
})

describe('a model that streams', () => {
  const garbage = (...chunks: unknown[]) => [...chunks, ...said('fine')] as ChatChunk[]

  test.each([
    ['choices that are none', garbage({ choices: 'x' }, { choices: [null] }, { choices: {} }, {})],
    [
      'deltas that are none',
      garbage({ choices: [{ delta: null }] }, { choices: [{ delta: 5 }] }, { choices: [{}] }),
    ],
    [
      'content that is no text',
      garbage(delta({ content: { a: 1 } }), delta({ content: null }), delta({ reasoning: 5 })),
    ],
    [
      'tool calls that are none',
      garbage(delta({ tool_calls: 'x' }), delta({ tool_calls: [null, 1, {}, { function: 'f' }] })),
    ],
    [
      'tool calls without a name',
      garbage(delta({ tool_calls: [{ index: 0, function: { arguments: '{}' } }] })),
    ],
    ['other choices', garbage({ choices: [{ index: 1, delta: { content: 'no' } }] })],
    ['usage that is none', garbage({ usage: 'x' }, { usage: { total_tokens: 'many' } })],
    ['finish reasons that are none', garbage({ choices: [{ finish_reason: 5 }] })],
  ])('%s is read for what makes sense', async (_, chunks) => {
    const { result, error } = await line(node('m', 'llm', { tools: ['e'] }), {
      answers: [chunks],
      rest: { tools: { e: { kind: 'builtin', ref: 'echo' } } },
    })
    expect(error).toBeUndefined()
    expect(result).toEqual({ output: 'fine' })
  })

  test.each([
    [
      'without end',
      Array.from({ length: 20 }, () => delta({ content: 'x'.repeat(1_000_000) })),
      'output_too_large',
    ],
    [
      'thousands of tool calls',
      [
        delta({
          tool_calls: Array.from({ length: 500 }, (_, index) => ({ index, function: { name: 'e' } })),
        }),
      ],
      'upstream_error',
    ],
    [
      'arguments without end',
      Array.from({ length: 6 }, () =>
        delta({ tool_calls: [{ index: 0, function: { name: '', arguments: 'x'.repeat(1_000_000) } }] }),
      ),
      'upstream_error',
    ],
  ])('%s fails the run', async (_, chunks, code) => {
    expect(failure(await line(node('m', 'llm'), { answers: [chunks] }))).toMatchObject({ code, status: 502 })
  })

  test('tool calls in pieces, with or without an index, are put together', async () => {
    const pieces = [
      delta({ tool_calls: [{ id: 'c1', function: { name: 'e', arguments: '{"va' } }] }),
      delta({ tool_calls: [{ function: { arguments: 'lue":1}' } }] }),
      delta({ tool_calls: [{ id: 'c2', function: { name: 'e', arguments: { value: 2 } } }] }),
    ]
    const { io } = await line(node('m', 'llm', { tools: ['e'] }), {
      answers: [pieces, 'x'],
      rest: { tools: { e: { kind: 'builtin', ref: 'echo' } } },
    })
    expect(io.get('m')!.outputs.tool_calls).toMatchObject([
      { arguments: { value: 1 }, result: 1 },
      { arguments: { value: 2 }, result: 2 },
    ])
  })
})

test('ids and handles that trip programs are names like any other', async () => {
  const traps = ['__proto__', 'constructor', 'toString']
  const nodes = traps.map((id) => {
    const made = node(id, 'transform', { expr: `["$in.${id}"]` })
    made.ports = { in: [{ id, required: false }], out: [{ id }] }
    return made
  })
  const { result, io } = await play(
    [node('a', 'input'), ...nodes, node('z', 'output')],
    [
      edge('a.out', '__proto__.__proto__'),
      edge('__proto__.__proto__', 'constructor.constructor'),
      edge('constructor.constructor', 'toString.toString'),
      edge('toString.toString', 'z.in'),
    ],
    { input: 1 },
  )
  expect(result!.output).toBe('[[[1]]]')
  expect(Object.keys(io.get('__proto__')!.outputs)).toEqual(['__proto__'])
})
