import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { hostname } from 'node:os'
import { sql } from 'kysely'
import { openDatabase } from '#kernel/db/open'
import { eachDatabase, events, openWorld, type World } from '../support/world'

interface Span {
  id: string
  status: string
  attributes: Record<string, unknown>
  [field: string]: unknown
}

const hex = (text: string, length: number) => createHash('sha256').update(text).digest('hex').slice(0, length)

eachDatabase((world) => {
  beforeAll(() => world().registerModel())

  const run = (body: Record<string, unknown> = {}) =>
    world().call('POST', '/runs', {
      as: 'viewer',
      body: { input: 'hi', model: 'test-model', stream: false, ...body },
    })
  const trace = async (id: string, of = world()) =>
    (await of.call('GET', `/runs/${id}/trace`, { as: 'viewer' })).body as { status: string; spans: Span[] }
  const io = async (id: string, node = 'llm', of = world()) =>
    (await of.call('GET', `/runs/${id}/nodes/${node}/io`, { as: 'viewer' })).body

  test('a prompt run is a root, one llm node, and its generation', async () => {
    world().provider.answers({
      reasoning: ['Hm'],
      deltas: ['Hel', 'lö'],
      usage: { prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 },
    })
    const { runId } = (await run({ input: 'Grüße' })).body
    const { status, spans } = await trace(runId)
    expect(status).toBe('completed')
    const base = {
      run_id: runId,
      trace_id: hex(`trace:${runId}`, 32),
      branch_index: null,
      status: 'ok',
      error: null,
      executor_id: 'inproc',
      worker_host: expect.stringMatching(new RegExp(`^${hostname()}:\\d+$`)),
      start_ns: expect.any(Number),
      end_ns: expect.any(Number),
    }
    const idOf = (key: string) => ({ id: `${runId}:${key}`, span_id: hex(`span:${runId}:${key}`, 16) })
    const figures = {
      'gen_ai.request.model': 'test-model',
      'gen_ai.response.finish_reason': 'stop',
      ttft_ms: expect.any(Number),
    }
    const llm = { node_id: 'llm', node_type: 'llm', kind: 'activity' }
    expect(spans).toEqual([
      {
        ...base,
        ...idOf('_root'),
        parent_span_id: null,
        node_id: null,
        node_type: null,
        kind: null,
        name: runId,
        phase: null,
        seq: 0,
        bytes_in: null,
        bytes_out: null,
        attributes: {},
      },
      {
        ...base,
        ...idOf('llm'),
        ...llm,
        parent_span_id: idOf('_root').span_id,
        name: 'llm',
        phase: null,
        seq: 1,
        bytes_in: 7,
        bytes_out: 6,
        attributes: {
          ...figures,
          'gen_ai.usage.input_tokens': 7,
          'gen_ai.usage.output_tokens': 3,
          'gen_ai.usage.total_tokens': 10,
          'service.bytes_in': 7,
          'service.bytes_out': 6,
        },
      },
      {
        ...base,
        ...idOf('llm:model.generate'),
        ...llm,
        parent_span_id: idOf('llm').span_id,
        name: 'model.generate',
        phase: 'model.generate',
        seq: 2,
        bytes_in: null,
        bytes_out: null,
        attributes: figures,
      },
    ])
    const [, , generation] = spans
    expect(generation!.attributes.ttft_ms).toBeGreaterThan(0)
  })

  test('times are exact integers of nanoseconds, and children lie within their parents', async () => {
    world().provider.answers({ deltas: ['a'] })
    const began = BigInt(Date.now()) * 1_000_000n
    const { runId } = (await run()).body
    const ended = BigInt(Date.now() + 1) * 1_000_000n
    const answer = await fetch(`${world().urls.control}/runs/${runId}/trace`, {
      headers: { authorization: `Bearer ${await world().token('viewer')}` },
    })
    const text = await answer.text()
    const numbers = (key: string) =>
      [...text.matchAll(new RegExp(`"${key}":(\\d+)[,}]`, 'g'))].map(([, n]) => BigInt(n!))
    const [starts, ends] = [numbers('start_ns'), numbers('end_ns')]
    expect([starts.length, ends.length]).toEqual([3, 3])
    await using database = openDatabase(world().env.DATABASE_URL!)
    const { rows } = await sql<{ start: string }>`
      select cast(start_ns as text) as start from spans where run_id = ${runId} order by seq`.execute(
      database.db,
    )
    expect(rows.map(({ start }) => BigInt(start))).toEqual(starts)
    expect(starts[0]! >= began && ends[0]! <= ended).toBe(true)
    for (const at of [1, 2]) {
      expect(starts[at]! >= starts[at - 1]!).toBe(true)
      expect(ends[at]! <= ends[at - 1]!).toBe(true)
    }
  })

  test('open spans of a run that goes on are there as running', async () => {
    const go = Promise.withResolvers<void>()
    world().provider.answers({
      deltas: ['a', 'b'],
      before: (index) => (index === 2 ? go.promise : undefined),
    })
    const { response } = await run({ stream: true })
    for await (const { event, data } of events(response)) {
      const { runId, delta } = JSON.parse(data === '[DONE]' ? '{}' : data)
      if (delta === 'a') {
        const { status, spans } = await trace(runId)
        expect(status).toBe('streaming')
        expect(spans.map((span) => [span.status, span.end_ns])).toEqual(Array(3).fill(['running', null]))
        go.resolve()
      }
      if (event === 'run' && data.includes('completed')) {
        expect((await trace(runId)).spans.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok'])
      }
    }
  })

  test('of a run that failed say where and why', async () => {
    world().provider.answers({ failure: { status: 429, body: { error: { message: 'Out of cheese.' } } } })
    const { runId } = (await run()).body
    const { status, spans } = await trace(runId)
    expect(status).toBe('failed')
    expect(spans.map((span) => [span.status, span.error])).toEqual(Array(3).fill(['err', 'Out of cheese.']))
  })

  test('a store that fails does not fail a run, and has its spans once it works again', async () => {
    world().provider.answers({ deltas: ['a'] })
    await using database = openDatabase(world().env.DATABASE_URL!)
    await sql`alter table spans rename to spans_away`.execute(database.db)
    const { body } = await run()
    // Reading would write what waits; here it must fail to.
    const { status } = await world().call('GET', `/runs/${body.runId}/nodes/llm/io`, { as: 'viewer' })
    await sql`alter table spans_away rename to spans`.execute(database.db)
    expect([body.status, status]).toEqual(['completed', 200])
    expect((await trace(body.runId)).spans.map((span) => span.status)).toEqual(['ok', 'ok', 'ok'])
    expect(await io(body.runId)).toMatchObject({ outputs: { output: 'a' } })
  })

  describe('the live overlay', () => {
    test('tells every span of a run that goes on, from its first, and the end', async () => {
      const go = Promise.withResolvers<void>()
      world().provider.answers({
        deltas: ['a', 'b'],
        before: (index) => (index === 2 ? go.promise : undefined),
      })
      const { response } = await run({ stream: true })
      let overlay: Promise<{ event?: string; data: Record<string, unknown> }[]> | undefined
      let id = ''
      for await (const { event, data } of events(response)) {
        if (event !== 'delta' || overlay) continue
        id = JSON.parse(data).runId
        const live = await world().call('GET', `/runs/${id}/trace/stream`, { as: 'viewer' })
        expect(live.status).toBe(200)
        overlay = Array.fromAsync(events(live.response)).then((all) =>
          all.map(({ event, data }) => ({ event, data: JSON.parse(data) })),
        )
        go.resolve()
      }
      const told = await overlay!
      expect(told.map(({ event, data }) => [event, data.name, data.status])).toEqual([
        ['span.open', id, 'running'],
        ['span.open', 'llm', 'running'],
        ['span.open', 'model.generate', 'running'],
        ['span.close', 'model.generate', 'ok'],
        ['span.close', 'llm', 'ok'],
        ['span.close', id, 'ok'],
        ['done', undefined, undefined],
      ])
      expect(told.at(-1)!.data).toEqual({ runId: id })
      const fields = ['run_id', 'trace_id', 'seq', 'bytes_in', 'bytes_out', 'created_at']
      for (const { data } of told) for (const field of fields) expect(data).not.toHaveProperty(field)
      expect(told[4]!.data).toMatchObject({
        id: `${id}:llm`,
        node_type: 'llm',
        kind: 'activity',
        executor_id: 'inproc',
      })
      expect(Object.keys(told[0]!.data).length).toBeLessThan(Object.keys(told[1]!.data).length)
    })

    test('of a run that is over is only that', async () => {
      world().provider.answers({ deltas: ['a'] })
      const { runId } = (await run()).body
      const { response } = await world().call('GET', `/runs/${runId}/trace/stream`, { as: 'viewer' })
      expect(await response.text()).toBe(`event: done\ndata: {"runId":"${runId}","status":"completed"}\n\n`)
    })
  })

  describe('node inputs and outputs', () => {
    test('are kept whole, with the thinking beside the output', async () => {
      world().provider.answers({ reasoning: ['Hm', '.'], deltas: ['yes'] })
      const { runId } = (await run({ input: { a: 1 } })).body
      expect(await io(runId)).toEqual({
        run_id: runId,
        node_id: 'llm',
        capture_level: 'full',
        inputs: { prompt: { a: 1 } },
        outputs: { output: 'yes', reasoning: 'Hm.' },
        bytes_in: 7,
        bytes_out: 3,
        truncated: false,
        reason: null,
      })
    })

    test('of a run that failed are there as far as it came', async () => {
      const before = (index: number) => (index === 2 ? Bun.sleep(20) : undefined)
      world().provider.answers({ deltas: ['half', 'x'], before, breakAfter: 2 })
      const { runId } = (await run()).body
      expect(await io(runId)).toMatchObject({ inputs: { prompt: 'hi' }, outputs: { output: 'half' } })
    })

    test('of a node that is not there are no error, of a run that is not there they are', async () => {
      world().provider.answers({ deltas: ['a'] })
      const { runId } = (await run()).body
      expect(await io(runId, 'nobody')).toMatchObject({
        inputs: null,
        outputs: null,
        reason: 'no I/O captured',
      })
      const { status, body } = await world().call('GET', '/runs/nothing/nodes/llm/io', { as: 'viewer' })
      expect([status, body.error.code]).toEqual([404, 'run_not_found'])
    })
  })
})

describe.each([
  [
    'off',
    { SERVICE_IO_CAPTURE: 'off' },
    {
      capture_level: 'off',
      inputs: null,
      outputs: null,
      bytes_in: null,
      bytes_out: null,
      reason: 'capture disabled',
    },
    null,
  ],
  [
    'metadata',
    { SERVICE_IO_CAPTURE: 'metadata' },
    {
      capture_level: 'metadata',
      inputs: null,
      outputs: null,
      bytes_in: 2,
      bytes_out: 4000,
      reason: 'sizes only',
    },
    4000,
  ],
  [
    'hosted',
    { SERVICE_TOPOLOGY: 'hosted' },
    {
      capture_level: 'metadata',
      inputs: null,
      outputs: null,
      bytes_out: 4000,
      truncated: false,
      reason: 'sizes only',
    },
    4000,
  ],
  [
    'a small cap',
    { SERVICE_IO_CAPTURE_MAX_BYTES: '1024' },
    {
      capture_level: 'full',
      inputs: { prompt: 'hi' },
      outputs: { output: { _truncated: true, _bytes: 4000, _preview: 'ä'.repeat(1024) } },
      bytes_out: 4000,
      truncated: true,
      reason: null,
    },
    4000,
  ],
])('capture level: %s', (_, env, kept, spanBytes) => {
  let world: World
  beforeAll(async () => {
    world = await openWorld({ env: env as Record<string, string> })
    await world.registerModel()
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test('decides what is kept of a run', async () => {
    world.provider.answers({ deltas: ['ä'.repeat(2_000)] })
    const { body } = await world.call('POST', '/runs', {
      as: 'viewer',
      body: { input: 'hi', model: 'test-model', stream: false },
    })
    const answer = await world.call('GET', `/runs/${body.runId}/nodes/llm/io`, { as: 'viewer' })
    expect(answer.body).toMatchObject(kept)
    const { spans } = (await world.call('GET', `/runs/${body.runId}/trace`, { as: 'viewer' })).body
    expect(spans[1].bytes_out).toBe(spanBytes)
    expect(spans[1].attributes['service.bytes_out'] ?? null).toBe(spanBytes)
  })
})
