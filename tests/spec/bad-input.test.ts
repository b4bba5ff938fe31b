import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { asking, graph, llm, node, shouting } from '../support/graphs'
import { openWorld, type World } from '../support/world'

/** Whatever is sent: the stated code, within bounds, and the process is as well as before. */

const MB = 1_000_000
const PIECES = 50
const DEEP = 100_000

let world: World
let site: ReturnType<typeof endlessSite>

beforeAll(async () => {
  world = await openWorld()
  await world.registerModel()
  site = endlessSite()
})
afterAll(async () => {
  await site.stop()
  await world[Symbol.asyncDispose]()
})
afterEach(async () => {
  // Not only alive: it still does the work.
  world.provider.answers({ deltas: ['fine'] })
  const { body } = await run(asking(), 'how are you?')
  expect(body).toMatchObject({ status: 'completed', output: 'fine' })
})

/** Sends 50 MB, to whoever reads so far. */
function endlessSite() {
  const sent: number[] = []
  const piece = new Uint8Array(MB).fill(120)
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch() {
      const call = sent.push(0) - 1
      const pull = (out: ReadableStreamDefaultController) => {
        if (sent[call]!++ === PIECES) out.close()
        else out.enqueue(piece)
      }
      return new Response(new ReadableStream({ pull }))
    },
  })
  return { url: `http://127.0.0.1:${server.port}/`, sent, stop: () => server.stop(true) }
}

const run = (ir: unknown, input: unknown = 'x') =>
  world.call('POST', '/graphs/runs', { as: 'editor', body: { ir, input, stream: false } })

const line = (step: ReturnType<typeof node>, more: Record<string, unknown> = {}) => {
  const { in: from, out: to } = step.ports as { in: { id: string }[]; out: { id: string }[] }
  return graph(
    [node('in', 'input'), step, node('out', 'output')],
    [`in.out>step.${from[0]!.id}`, `step.${to[0]!.id}>out.in`],
    more,
  )
}
const transform = (expr: string) => line(node('step', 'transform', { config: { expr } }))
const ring = () =>
  graph(
    [node('a', 'transform', { config: { expr: '1' } }), node('b', 'transform', { config: { expr: '1' } })],
    ['a.out>b.in', 'b.out>a.in'],
  )
const nested = (levels: number): unknown => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`)

describe('a document', () => {
  test.each<[string, unknown, number, string]>([
    ['with an unknown key', { ...shouting(), entry: 'in' }, 400, 'invalid_ir'],
    [
      'with an unknown key in a config',
      line(node('step', 'transform', { config: { expr: '1', x: 1 } })),
      400,
      'invalid_ir',
    ],
    [
      'with a wrong kind',
      line(node('step', 'transform', { config: { expr: '1' }, kind: 'activity' })),
      400,
      'invalid_ir',
    ],
    ['with a cycle', ring(), 400, 'invalid_ir'],
    ['with metadata nested beyond all bounds', { ...shouting(), metadata: nested(5_000) }, 400, 'invalid_ir'],
    ['that is a number', 5, 400, 'invalid_ir'],
    ['with an edge to nowhere', { ...shouting(), edges: [{ id: 'e' }] }, 400, 'invalid_ir'],
    [
      'whose router selects nowhere',
      line(node('step', 'router', { config: { select: '"nowhere"' } })),
      422,
      'router_error',
    ],
    [
      'whose expression never ends',
      transform('($f := function($n) { $f($n + 1) }; $f(0))'),
      422,
      'transform_error',
    ],
    [
      'with two outputs that are reached',
      graph([node('in', 'input'), node('a', 'output'), node('b', 'output')], ['in.out>a.in', 'in.out>b.in']),
      422,
      'template_error',
    ],
    ['whose template makes endless text', line(llm('step', '$in'.repeat(300_000))), 422, 'template_error'],
  ])('%s', async (_, ir, status, code) => {
    const { status: answered, body } = await run(ir, 'x'.repeat(1_000))
    expect([answered, body.error.code]).toEqual([status, code])
    expect(body.error.message.length).toBeLessThan(2_000)
  })

  test('with a template of a million characters is run', async () => {
    world.provider.answers((body) => ({
      deltas: [String((body.messages as { content: string }[])[0]!.content.length)],
    }))
    expect((await run(line(llm('step', '$in '.repeat(250_000))), 'ab')).body.output).toBe('750000')
  })
})

test.each<[string, string, number, string]>([
  [
    'a body nested beyond all bounds',
    `{"ir": ${'['.repeat(DEEP)}${']'.repeat(DEEP)}, "input": 1}`,
    400,
    'invalid_ir',
  ],
  [
    'an input nested beyond all bounds',
    `{"ir": ${JSON.stringify(shouting())}, "input": ${'['.repeat(DEEP)}${']'.repeat(DEEP)}}`,
    422,
    'validation_error',
  ],
  ['a body that is cut', '{"ir": {', 400, 'invalid_json'],
])('%s is refused', async (_, body, status, code) => {
  const response = await fetch(`${world.urls.control}/graphs/runs`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Bearer ${await world.token('editor')}`,
    },
    body,
  })
  expect([response.status, (await response.json()).error.code]).toEqual([status, code])
})

describe('a tool that answers with 50 MB', () => {
  const config = () => ({ tool: 'http_fetch', args: { url: site.url } })

  test('fails as a value, and is not read to its end', async () => {
    const ir = graph(
      [node('in', 'input'), node('step', 'tool', { config: config() }), node('out', 'output')],
      ['in.out>step.in', 'step.err>out.in'],
    )
    const { body } = await run(ir)
    expect(body).toMatchObject({
      status: 'completed',
      output: expect.stringMatching(/8 MiB|8388608|larger|more than/),
    })
    // What it does not read cannot fill its memory; some MB lie in the buffers of the system.
    expect(site.sent.at(-1)).toBeLessThan(PIECES / 2)
  })

  test('is a failure that its model is told of', async () => {
    world.provider.answers((body) => {
      const messages = body.messages as { role: string; content: string }[]
      const told = messages.find(({ role }) => role === 'tool')
      return told
        ? { deltas: [told.content] }
        : {
            toolCalls: [{ id: 'c', name: 'get', arguments: JSON.stringify({ url: site.url }) }],
          }
    })
    const ir = asking({
      nodes: [node('in', 'input'), llm('ask', '$in', { tools: ['get'] }), node('out', 'output')],
      tools: { get: { kind: 'builtin', ref: 'http_fetch' } },
    })
    const { body } = await run(ir)
    expect(body.output.length).toBeLessThan(1_000)
    expect(body.output).toMatch(/larger|more than|MiB|bytes/)
  })
})

describe('a model', () => {
  test.each<[string, string[], number, string]>([
    ['that streams what is no JSON', ['data: {"choices": [\n\n'], 502, 'upstream_error'],
    ['that streams no events at all', ['<html>hello</html>'], 502, 'upstream_error'],
  ])('%s fails the run', async (_, rawChunks, status, code) => {
    world.provider.answers({ rawChunks })
    const { status: answered, body } = await run(asking())
    expect([answered, body.error.code]).toEqual([status, code])
  })

  test('that hangs is given up after its time, and its request ends', async () => {
    const hang = Promise.withResolvers<void>()
    world.provider.answers({ deltas: ['never'], before: () => hang.promise })
    const { status, body } = await run(line(llm('step', '$in', { timeoutSeconds: 0.2 })))
    expect([status, body.error.code]).toEqual([504, 'upstream_timeout'])
    await world.provider.seen.at(-1)!.aborted
    hang.resolve()
  })
})
