import { describe, expect, test } from 'bun:test'
import type { HttpRequest, Ports } from '#graph/ports'
import { failure, play } from '../run-support'
import { type AuthoredNode, edge, http, node } from '../support'

/** A node with `out` and `err`, each leading to an output of its own. */
const both = (made: AuthoredNode, more: Parameters<typeof play>[2] = {}) =>
  play(
    [node('a', 'input'), made, node('good', 'output'), node('bad', 'output')],
    [edge('a.out', `${made.id}.in`), edge(`${made.id}.out`, 'good.in'), edge(`${made.id}.err`, 'bad.in')],
    more,
  )

const tool = (config: Record<string, unknown>) => node('t', 'tool', config)

describe('echo', () => {
  test('gives its value back, with its JSON type', async () => {
    const { io } = await both(tool({ args: { value: '$in.in.list' } }), { input: { list: [1] } })
    expect(io.get('t')!.outputs).toMatchObject({ out: [1] })
  })

  test('reads references at the top of its arguments only', async () => {
    const { io } = await both(tool({ args: { value: { deep: '$in' } } }), { input: 'x' })
    expect(io.get('t')!.outputs).toMatchObject({ out: { deep: '$in' } })
  })
})

describe('http_fetch', () => {
  test.each([
    [{ url: 'https://x/$in' }, { url: 'https://x/$in', timeoutSeconds: 10 }],
    [
      { url: '$in', timeout_s: 3 },
      { url: 'https://y', timeoutSeconds: 3 },
    ],
  ])('%j', async (args, request) => {
    const asked: unknown[] = []
    const { io, result } = await both(tool({ tool: 'http_fetch', args }), {
      input: 'https://y',
      tools: {
        fetch: async (wanted) => {
          asked.push(wanted)
          return { status: 404, headers: { a: 'b' }, body: '{"n":1}' }
        },
      },
    })
    expect(asked).toEqual([request])
    expect(io.get('t')!.outputs.out).toEqual({ status: 404, headers: { a: 'b' }, body: '{"n":1}' })
    expect(result!.output).toBe('{"status":404,"body":"{\\"n\\":1}","headers":{"a":"b"}}')
  })

  test('without a url fails as a value', async () => {
    const { result } = await both(tool({ tool: 'http_fetch' }))
    expect(result).toEqual({ output: 'http_fetch needs a "url".' })
  })
})

describe('a failure', () => {
  const failing = { tools: { fetch: () => Promise.reject(new Error('refused')) } }

  test('is text on the error ports, and the run goes on', async () => {
    const { result, spans, span } = await both(tool({ tool: 'http_fetch', args: { url: 'u' } }), failing)
    expect(result).toEqual({ output: 'refused' })
    expect(spans).toEqual(['a ok', 't err', 'good skipped', 'bad ok'].sort(bySpan(spans)))
    expect(span('t').close!.error).toBe('refused')
  })
  const bySpan = (order: string[]) => (a: string, b: string) => order.indexOf(a) - order.indexOf(b)

  test('goes by the type of a port, not by its name', async () => {
    const made = tool({ tool: 'http_fetch', args: { url: 'u' } })
    made.ports.out = [{ id: 'err' }, { id: 'oops', type: 'error' }, { id: 'too', type: 'error' }]
    const { io } = await play([node('a', 'input'), made], [edge('a.out', 't.in')], failing)
    expect(io.get('t')!.outputs).toEqual({ oops: 'refused', too: 'refused' })
  })

  test.each([
    ['tool', tool({ args: { value: '$in.nope' } })],
    ['tool over HTTP', tool({ connection: 'conn_1', urlTemplate: '/$in.nope' })],
    ['mcp_tool', node('t', 'mcp_tool', { args: { value: '$in.nope' } })],
    ['rag', node('t', 'rag', { query: '$in.nope' })],
  ])('of a reference is one too: %s', async (_, made) => {
    const { result } = await both(made as AuthoredNode)
    expect(result!.output).toContain('"nope"')
  })
})

describe('a tool that does not exist', () => {
  test.each([
    ['by name', 'nope', {}, 'tool_not_found'],
    ['as built-in', 'key', { key: { kind: 'builtin', ref: 'nope' } }, 'tool_not_found'],
    ['but as MCP', 'key', { key: { kind: 'mcp', tool: 'x', server: 's' } }, 'tool_binding_mismatch'],
  ])('%s fails the run', async (_, key, tools, code) => {
    expect(failure(await both(tool({ tool: key }), { rest: { tools } }))).toMatchObject({ code, status: 400 })
  })
})

describe('over HTTP', () => {
  const call = async (
    binding: Record<string, unknown>,
    { config = {}, input = {}, body = 'plain', status = 200 }: Record<string, unknown> = {},
  ) => {
    const sent: HttpRequest[] = []
    const answer: Ports['tools']['http'] = async (request) => {
      sent.push(request)
      return { status: status as number, headers: { h: '1' }, body: body as string }
    }
    const played = await both(tool({ tool: 'city', ...(config as object) }), {
      input,
      rest: { tools: { city: http({ parameterSchema: null, ...binding }) } },
      tools: { http: answer },
    })
    return { ...played, sent, out: played.io.get('t')!.outputs.out }
  }

  test('sends what its binding says', async () => {
    const { sent } = await call(
      {
        method: 'put',
        urlTemplate: '/c/$in.in.city?q=$$1',
        headers: { 'X-City': '$in.in.city' },
        bodyTemplate: { list: ['$in.in.n', 'n: $in.in.n'], city: '$in.in.city' },
        idempotencyKey: '{runId}/{nodeId}/$in.in.n',
        timeoutSeconds: 3,
      },
      { input: { city: 'Bern {runId}', n: 5 } },
    )
    expect(sent).toEqual([
      {
        connection: 'conn_1',
        method: 'PUT',
        url: '/c/Bern {runId}?q=$1',
        headers: { 'X-City': 'Bern {runId}' },
        body: { list: [5, 'n: $in.in.n'], city: 'Bern {runId}' },
        idempotencyKey: 'run1/t/5',
        timeoutSeconds: 3,
      },
    ])
  })

  test('has defaults, and the node goes before the binding', async () => {
    const { sent } = await call(
      { urlTemplate: '/a', headers: { A: '1', B: '1' }, timeoutSeconds: null },
      { config: { headers: { B: '2' }, connection: 'conn_2' } },
    )
    expect(sent).toEqual([
      {
        connection: 'conn_2',
        method: 'GET',
        url: '/a',
        headers: { A: '1', B: '2' },
        body: undefined,
        idempotencyKey: null,
        timeoutSeconds: 30,
      },
    ])
  })

  test.each([
    ['JSON is read', '{"a":[1]}', 200, { status: 200, body: { a: [1] }, headers: { h: '1' } }],
    ['other text is kept', '<p>', 500, { status: 500, body: '<p>', headers: { h: '1' } }],
  ])('any status is an answer: %s', async (_, body, status, out) => {
    expect((await call({ urlTemplate: '/' }, { body, status })).out).toEqual(out)
  })

  test.each([
    ['$.a.b[1].c', 7],
    ['$.a["b"][0]', 1],
    ['$', { a: { b: [1, { c: 7 }] }, nothing: null }],
    ['$.nothing', null],
    ['$.a.x', { a: { b: [1, { c: 7 }] }, nothing: null }],
    ['$.a.b[9]', { a: { b: [1, { c: 7 }] }, nothing: null }],
    ['a.b', { a: { b: [1, { c: 7 }] }, nothing: null }],
    ['$..b', { a: { b: [1, { c: 7 }] }, nothing: null }],
    ['$.constructor', { a: { b: [1, { c: 7 }] }, nothing: null }],
  ])('a map picks part of the body, or all of it: %s', async (responseMap, out) => {
    const body = '{"a":{"b":[1,{"c":7}]},"nothing":null}'
    expect((await call({ urlTemplate: '/', responseMap }, { body })).out).toEqual(out as never)
  })
})

test('a dollar sign in the id of a node is no reference in its idempotency key', async () => {
  const sent: HttpRequest[] = []
  await play(
    [node('a', 'input'), node('$in', 'tool', { tool: 'echo', connection: 'c', idempotencyKey: '{nodeId}' })],
    [edge('a.out', '$in.in')],
    {
      input: 'value',
      tools: {
        http: async (request) => {
          sent.push(request)
          return { status: 200, headers: {}, body: '' }
        },
      },
    },
  )
  expect(sent[0]!.idempotencyKey).toBe('$in')
})

describe('an MCP tool', () => {
  test.each([
    [{ server: 'db' }, { server: 'db', connection: null }],
    [
      { server: null, connection: 'conn_1' },
      { server: null, connection: 'conn_1' },
    ],
  ])('is called with its arguments: %j', async (where, target) => {
    const asked: unknown[] = []
    const { io } = await both(node('t', 'mcp_tool', { ...where, args: { sql: '$in', deep: { x: '$in' } } }), {
      input: 'select',
      tools: {
        mcp: async (request) => {
          asked.push(request)
          return '{"rows": 2}'
        },
      },
    })
    expect(asked).toEqual([{ ...target, tool: 'query', args: { sql: 'select', deep: { x: '$in' } } }])
    // Text is not parsed.
    expect(io.get('t')!.outputs.out).toBe('{"rows": 2}')
  })

  test('that reports an error has it on the error port', async () => {
    const { result } = await both(node('t', 'mcp_tool'), {
      tools: { mcp: () => Promise.reject(new Error('db: no such table')) },
    })
    expect(result!.output).toBe('db: no such table')
  })
})

describe('retrieval', () => {
  test.each([
    ['the whole input', {}, 'leave', { query: 'leave', topK: undefined, minSimilarity: null }],
    ['the whole input as JSON', {}, { q: 1 }, { query: '{"q":1}', topK: undefined, minSimilarity: null }],
    [
      'its own query',
      { query: 'about $in.in.q', topK: 3, minSimilarity: 0.1 },
      { q: 'x' },
      { query: 'about x', topK: 3, minSimilarity: 0.1 },
    ],
  ])('looks for %s', async (_, config, input, request) => {
    const asked: unknown[] = []
    const found = { matches: [{ text: 'm' }] }
    const { io } = await both(node('t', 'rag', config), {
      input,
      retrieval: {
        find: async (wanted) => {
          asked.push(wanted)
          return found
        },
      },
    })
    expect(asked).toEqual([{ source: 'rag_1', ...request }])
    expect(io.get('t')!.outputs.out).toEqual(found)
  })
})
