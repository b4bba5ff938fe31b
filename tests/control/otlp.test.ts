import { afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { openDatabase } from '#kernel/db/open'
import { newId } from '#kernel/ids'
import { spanId, traceId } from '../../src/control/traces/ids'
import { type OtlpReceiver, otlpReceiver } from '../support/otlp-receiver'
import { secondPlane } from '../support/second-plane'
import { eachDatabase, type World } from '../support/world'

const SECRET = 'the launch code is 0000'

const configure = (world: World, body: Record<string, unknown>) =>
  world.call('PATCH', '/settings', { as: 'admin', body })

const run = async (world: World) => {
  const { body } = await world.call('POST', '/runs', {
    as: 'editor',
    body: { model: 'test-model', input: SECRET, stream: false },
  })
  return body.runId as string
}

/** A run as a dead process left it, with an open span and one that it had closed, and sent, before. */
async function leftOpen(world: World, id: string) {
  await using database = openDatabase(world.env.DATABASE_URL!)
  const { db } = database
  await db
    .insertInto('runs')
    .values({
      id,
      status: 'streaming',
      model: 'm',
      runtime: 'inproc',
      capture_level: 'full',
      instance_id: 'a-dead-one:1',
      created_at: 1,
      updated_at: 1,
    })
    .execute()
  const span = (name: string, status: 'running' | 'ok', seq: number) => ({
    id: `${id}:${name}`,
    run_id: id,
    trace_id: traceId(id),
    span_id: spanId(name),
    node_id: name,
    name,
    status,
    start_ns: 1_700_000_000_000_000_001n,
    end_ns: status === 'ok' ? 1_700_000_000_000_000_002n : null,
    attributes: '{}',
    executor_id: 'inproc',
    worker_host: 'x:1',
    seq,
    created_at: 1,
  })
  await db
    .insertInto('spans')
    .values([span('ask', 'running', 0), span('closed', 'ok', 1)])
    .execute()
}

eachDatabase((world) => {
  let receiver: OtlpReceiver
  beforeAll(async () => {
    await world().registerModel()
  })
  beforeEach(async () => {
    receiver = otlpReceiver()
    await configure(world(), {
      'telemetry.otlp_enabled': true,
      'telemetry.otlp_endpoint': receiver.url,
      'telemetry.otlp_headers': { 'x-collector-key': 'the key' },
      'telemetry.otlp_redact_attrs': [],
    })
  })
  afterEach(() => receiver.stop())

  test('a run arrives with the ids, times and parents that its trace has', async () => {
    const id = await run(world())
    const { body: trace } = await world().call('GET', `/runs/${id}/trace`, { as: 'editor' })
    const ours = () => receiver.spans.filter(({ attributes }) => attributes['service.run_id'] === id)
    await receiver.until(() => ours().length === trace.spans.length)

    for (const span of trace.spans) {
      const sent = ours().find(({ spanId }) => spanId === span.span_id)!
      expect(sent).toMatchObject({
        traceId: span.trace_id,
        parentSpanId: span.parent_span_id ?? '',
        name: span.name,
        kind: 'SPAN_KIND_INTERNAL',
        status: { code: 'STATUS_CODE_OK' },
        resource: { 'service.name': 'service-control-plane' },
      })
      // The trace is JSON, whose numbers a test reads rounded.
      expect(Number(sent.start)).toBe(span.start_ns)
      expect(Number(sent.end)).toBe(span.end_ns)
      expect(sent.end).toBeGreaterThanOrEqual(sent.start)
    }
    const node = ours().find(({ name }) => name === 'llm')!
    expect(node.attributes).toMatchObject({
      'gen_ai.request.model': 'test-model',
      'service.node_id': 'llm',
      'service.status': 'ok',
      'service.executor_id': 'inproc',
      'service.bytes_in': SECRET.length,
    })
    expect(receiver.requests[0]!.path).toBe('/v1/traces')
    expect(receiver.requests[0]!.headers.get('x-collector-key')).toBe('the key')
  })

  test('nothing of what was said leaves', async () => {
    const id = await run(world())
    await receiver.until(() => receiver.spans.some(({ name }) => name === id))
    const bytes = Buffer.concat(receiver.requests.map((request) => request.bytes)).toString('latin1')
    expect(bytes).not.toContain('launch code')
    const allowed =
      /^(gen_ai\.request\.model|gen_ai\.usage\.\w+|ttft_ms|service\.(bytes_in|bytes_out|run_id|node_id|status|executor_id|worker_host))$/
    for (const { attributes, events, status } of receiver.spans) {
      for (const name of Object.keys(attributes)) expect(name).toMatch(allowed)
      expect(events).toBe(0)
      expect(status.message ?? '').toBe('')
    }
  })

  test('what a dead process left open arrives too, once it is swept', async () => {
    const id = newId()
    await leftOpen(world(), id)
    await using _ = await secondPlane(world())
    const { body: trace } = await world().call('GET', `/runs/${id}/trace`, { as: 'admin' })
    await receiver.until(() => receiver.spans.length > 0)
    expect(receiver.spans).toHaveLength(1)
    const [sent] = receiver.spans
    expect(sent).toMatchObject({
      name: 'ask',
      traceId: trace.spans[0].trace_id,
      status: { code: 'STATUS_CODE_ERROR' },
      attributes: { 'service.run_id': id, 'service.node_id': 'ask', 'service.status': 'err' },
    })
    expect(Number(sent!.start)).toBe(trace.spans[0].start_ns)
    expect(Number(sent!.end)).toBe(trace.spans[0].end_ns)
  })

  test('a name in the redact list is hidden in the exported copy only', async () => {
    await configure(world(), {
      'telemetry.otlp_redact_attrs': ['service.worker_host', 'gen_ai.request.model'],
    })
    const id = await run(world())
    await receiver.until(() => receiver.spans.some(({ name }) => name === id))
    const node = receiver.spans.find(({ name }) => name === 'llm')!
    expect(node.attributes).toMatchObject({
      'gen_ai.request.model': '[redacted]',
      'service.worker_host': '[redacted]',
      'service.run_id': id,
    })
    const { body } = await world().call('GET', `/runs/${id}/trace`, { as: 'editor' })
    const stored = body.spans.find((span: { name: string }) => span.name === 'llm')
    expect(stored.attributes['gen_ai.request.model']).toBe('test-model')
  })

  test('a collector that is named while runs go on gets what closes from then on', async () => {
    const other = otlpReceiver()
    await configure(world(), { 'telemetry.otlp_endpoint': `${other.url}/v1/traces` })
    const id = await run(world())
    await other.until(() => other.spans.some(({ name }) => name === id))
    expect(other.requests[0]!.path).toBe('/v1/traces')
    expect(receiver.spans.some(({ name }) => name === id)).toBe(false)
    await configure(world(), { 'telemetry.otlp_enabled': false })
    const silent = await run(world())
    await configure(world(), { 'telemetry.otlp_enabled': true })
    const next = await run(world())
    await other.until(() => other.spans.some(({ name }) => name === next))
    expect(other.spans.some(({ name }) => name === silent)).toBe(false)
    await other.stop()
  })

  test.each(['refuse', 'hang'] as const)('a collector that would %s slows no run', async (behave) => {
    receiver.behave = behave
    const startedAt = performance.now()
    const ids = await Promise.all(Array.from({ length: 20 }, () => run(world())))
    expect(performance.now() - startedAt).toBeLessThan(5_000)
    await receiver.until(() => receiver.requests.length > 0)
    const { body } = await world().call('GET', `/runs/${ids[0]}`, { as: 'editor' })
    expect(body.status).toBe('completed')
  })

  test('a test tells whether the collector of the settings takes spans', async () => {
    const { status, body } = await world().call('POST', '/settings/otlp:test', { as: 'admin', body: {} })
    expect(status).toBe(200)
    expect(body).toMatchObject({ ok: true, error: null, latency_ms: expect.any(Number) })
    expect(receiver.requests[0]!.headers.get('x-collector-key')).toBe('the key')
    receiver.behave = 'refuse'
    const refused = await world().call('POST', '/settings/otlp:test', { as: 'admin', body: {} })
    expect(refused.body).toMatchObject({ ok: false, error: expect.stringContaining('401') })
  })

  test('a test of another address sends the stored headers nowhere', async () => {
    const other = otlpReceiver()
    const { body } = await world().call('POST', '/settings/otlp:test', {
      as: 'admin',
      body: { endpoint: other.url },
    })
    expect(body.ok).toBe(true)
    expect(other.requests[0]!.headers.get('x-collector-key')).toBe(null)
    await world().call('POST', '/settings/otlp:test', {
      as: 'admin',
      body: { endpoint: other.url, headers: { 'x-other': 'mine' } },
    })
    expect(other.requests[1]!.headers.get('x-other')).toBe('mine')
    await other.stop()
  })

  test.each([
    ['http://127.0.0.1:1', /ECONNREFUSED|refused|connect/i],
    ['not an address', /http or https/],
  ])('a test of %s says what is wrong', async (endpoint, why) => {
    const { body } = await world().call('POST', '/settings/otlp:test', { as: 'admin', body: { endpoint } })
    expect(body).toMatchObject({ ok: false, error: expect.stringMatching(why) })
  })

  test('only an admin may test', async () => {
    expect((await world().call('POST', '/settings/otlp:test', { as: 'editor', body: {} })).status).toBe(403)
  })
})
