import { beforeAll, describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { openDatabase } from '#kernel/db/open'
import { asking, graph, node } from '../support/graphs'
import { held } from '../support/hold'
import { secondPlane } from '../support/second-plane'
import { eachDatabase } from '../support/world'

const SECRET = "It's a Secret to Everybody"
const MAX_BYTES = 1024 * 1024

const sign = (body: string | Uint8Array, secret = SECRET) =>
  createHmac('sha256', secret).update(body).digest('hex')

/** Says what its input was. */
const repeating = (id: string, version = '1.0.0', expr = '{"got":"$in"}') =>
  graph(
    [node('in', 'input'), node('say', 'transform', { config: { expr } }), node('out', 'output')],
    ['in.out>say.in', 'say.out>out.in'],
    { id, version },
  )

eachDatabase((world) => {
  let hook: string

  const call = (method: string, path: string, body?: unknown) =>
    world().call(method, path, { as: 'editor', body })
  const publish = async (ir: unknown) => (await call('POST', '/agents', { ir })).body
  const webhook = async (
    agentId: string,
    more: Record<string, unknown> = { version: '1.0.0' },
  ): Promise<string> => {
    const body = { agent_id: agentId, kind: 'webhook', config: { secret: SECRET }, ...more }
    return (await call('POST', '/triggers', body)).body.id
  }
  const deliver = (id: string, body: string | Uint8Array, signature: string | null = sign(body)) =>
    world().call('POST', `/hooks/${id}`, {
      body,
      headers: signature === null ? {} : { 'x-service-signature': signature },
    })
  const codeOf = ({ status, body }: { status: number; body: { error?: { code: string } } }) =>
    `${status} ${body.error?.code}`
  const runs = async () => (await world().call('GET', '/runs?limit=200', { as: 'admin' })).body.runs
  const record = async (id: string) => (await call('GET', `/runs/${id}`)).body

  beforeAll(async () => {
    await publish(repeating('agent.hook'))
    hook = await webhook('agent.hook')
  })

  test('a signed delivery is a run, and is answered with its end', async () => {
    const { status, body } = await deliver(hook, '{"order": 7}')
    expect(status).toBe(202)
    expect(body).toEqual({ runId: expect.any(String), status: 'completed', output: '{"got":{"order":7}}' })
    expect(await record(body.runId)).toMatchObject({
      trigger_id: hook,
      graph_id: 'agent.hook',
      graph_version: '1.0.0',
      user_id: null,
      session_id: null,
      status: 'completed',
    })
    const { last_fired_at } = (await call('GET', `/triggers/${hook}`)).body
    expect(Date.now() - new Date(last_fired_at).getTime()).toBeLessThan(60_000)
  })

  describe('the signature', () => {
    // Of this text under this secret, by OpenSSL.
    const VECTOR = '757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'
    const flipped = VECTOR.replace(/^7/, '6')

    test.each<[string, string | null, string]>([
      // The text is no JSON: 400 says that its signature was right.
      ['bare', VECTOR, '400 invalid_payload'],
      ['with its name', `sha256=${VECTOR}`, '400 invalid_payload'],
      ['in capitals', `sha256=${VECTOR.toUpperCase()}`, '400 invalid_payload'],
      ['missing', null, '401 invalid_signature'],
      ['empty', '', '401 invalid_signature'],
      ['one digit off, of the same length', flipped, '401 invalid_signature'],
      ['one digit off at the end', `sha256=${VECTOR.slice(0, -1)}0`, '401 invalid_signature'],
      ['cut short', VECTOR.slice(0, -2), '401 invalid_signature'],
      ['too long', `${VECTOR}00`, '401 invalid_signature'],
      ['of another kind', `sha1=${VECTOR}`, '401 invalid_signature'],
      ['no hex', `sha256=${'z'.repeat(64)}`, '401 invalid_signature'],
      ['the secret itself', SECRET, '401 invalid_signature'],
      ['under another secret', sign('Hello, World!', 'other'), '401 invalid_signature'],
      ['of another body', sign('Hello, World'), '401 invalid_signature'],
    ])('%s', async (_how, signature, answer) => {
      expect(codeOf(await deliver(hook, 'Hello, World!', signature))).toBe(answer)
    })

    test('is of the bytes as they came, not of what they mean', async () => {
      const spaced = ' { "b" : 1.0,\r\n\t"a" : "\\u00fc" }\n'
      expect((await deliver(hook, spaced)).body.output).toBe('{"got":{"b":1,"a":"ü"}}')
      for (const other of [spaced.trim(), JSON.stringify(JSON.parse(spaced)), `${spaced} `]) {
        expect(codeOf(await deliver(hook, spaced, sign(other)))).toBe('401 invalid_signature')
      }
    })

    test('takes any content type', async () => {
      for (const type of [
        'application/json',
        'text/plain',
        'application/x-www-form-urlencoded',
        'multipart/form-data; boundary=x',
      ]) {
        const { status } = await world().call('POST', `/hooks/${hook}`, {
          body: '"x"',
          headers: { 'x-service-signature': sign('"x"'), 'content-type': type },
        })
        expect([type, status]).toEqual([type, 202])
      }
    })

    test('is no bearer, and a bearer is no signature', async () => {
      const { body } = await world().call('POST', `/hooks/${hook}`, { as: 'admin', body: '{}' })
      expect(body.error.code).toBe('invalid_signature')
    })
  })

  test('the checks are made in order, and none of them makes a run', async () => {
    const schedule = await webhook('agent.hook', {
      version: '1.0.0',
      kind: 'schedule',
      config: { cron: '0 0 1 1 *' },
    })
    const off = await webhook('agent.hook', { version: '1.0.0', enabled: false })
    const before = (await runs()).length
    const large = 'x'.repeat(MAX_BYTES + 1)
    const wrong = 'no JSON'
    expect(codeOf(await deliver('nothing', wrong, null))).toBe('404 trigger_not_found')
    expect(codeOf(await deliver(schedule, wrong, null))).toBe('404 trigger_not_found')
    expect(codeOf(await deliver('%00', wrong, null))).toBe('404 trigger_not_found')
    expect(codeOf(await deliver(off, wrong, null))).toBe('409 trigger_disabled')
    expect(codeOf(await deliver(hook, large, null))).toBe('413 payload_too_large')
    expect(codeOf(await deliver(hook, wrong, null))).toBe('401 invalid_signature')
    expect(codeOf(await deliver(hook, wrong))).toBe('400 invalid_payload')
    expect(await runs()).toHaveLength(before)
  })

  test.each<[string, string | Uint8Array]>([
    ['half an object', '{"a":'],
    ['white space', ' \n'],
    ['bytes that are no UTF-8', Uint8Array.from([0x22, 0xff, 0x22])],
    ['endless depth', '['.repeat(100_000) + ']'.repeat(100_000)],
  ])('%s is no payload', async (_what, body) => {
    expect(codeOf(await deliver(hook, body))).toBe('400 invalid_payload')
  })

  test.each<[string, string, string]>([
    ['nothing', '', '{"got":null}'],
    ['null', 'null', '{"got":null}'],
    ['a text', '"hi"', '{"got":"hi"}'],
    ['a number', '0', '{"got":0}'],
    ['a list', '[1,[]]', '{"got":[1,[]]}'],
  ])('the input is what the body says: %s', async (_what, body, output) => {
    expect((await deliver(hook, body)).body).toMatchObject({ status: 'completed', output })
  })

  test('a body may be as large as 1 MiB, whether its length is stated or not', async () => {
    const full = `"${'x'.repeat(MAX_BYTES - 2)}"`
    expect((await deliver(hook, full)).status).toBe(202)
    const streamed = await fetch(`${world().urls.control}/hooks/${hook}`, {
      method: 'POST',
      headers: { 'x-service-signature': sign(`${full} `) },
      body: new Blob([full, ' ']).stream(),
    })
    expect([streamed.status, (await streamed.json()).error.code]).toEqual([413, 'payload_too_large'])
  })

  test('a pin never drifts', async () => {
    const { versions } = await publish(repeating('agent.pinned'))
    const byVersion = await webhook('agent.pinned')
    const byHash = await webhook('agent.pinned', { content_hash: versions[0].content_hash })
    await call('POST', '/agents/agent.pinned/versions', { ir: repeating('agent.pinned', '2.0.0', '"new"') })
    for (const id of [byVersion, byHash]) {
      const { body } = await deliver(id, '1')
      expect(body.output).toBe('{"got":1}')
      expect(await record(body.runId)).toMatchObject({ graph_version: '1.0.0' })
    }
  })

  test('a run that fails is told as such', async () => {
    await publish(repeating('agent.failing', '1.0.0', '{"got":"$in.nowhere"}'))
    const { status, body } = await deliver(await webhook('agent.failing'), '1')
    expect([status, body]).toEqual([
      202,
      { runId: expect.any(String), status: 'failed', error: expect.stringContaining('nowhere') },
    ])
    expect(await record(body.runId)).toMatchObject({ status: 'failed', error: body.error })
  })

  test('what needs durable mode is refused up front, without a run', async () => {
    const gated = graph(
      [node('in', 'input'), node('ask', 'human'), node('out', 'output')],
      ['in.out>ask.in', 'ask.out>out.in'],
      { id: 'agent.gated' },
    )
    await publish(gated)
    const id = await webhook('agent.gated')
    const before = (await runs()).length
    expect(codeOf(await deliver(id, '1'))).toBe('400 durable_required')
    expect((await call('GET', `/triggers/${id}`)).body.last_error).toContain('durably')
    expect(await runs()).toHaveLength(before)
  })

  test('a new secret counts at once, even one that looks like none', async () => {
    const id = await webhook('agent.hook')
    await call('PATCH', `/triggers/${id}`, { config: { secret: '***' } })
    expect(codeOf(await deliver(id, '1'))).toBe('401 invalid_signature')
    expect((await deliver(id, '1', sign('1', '***'))).status).toBe(202)
  })

  test('a secret that is missing or cannot be read opens nothing', async () => {
    const id = await webhook('agent.hook')
    await using database = openDatabase(world().env.DATABASE_URL!)
    for (const secret of [Buffer.from('sealed by another key'), null]) {
      await database.db.updateTable('triggers').set({ secret }).where('id', '=', id).execute()
      for (const key of [SECRET, 'null', 'undefined']) {
        expect(codeOf(await deliver(id, '1', sign('1', key)))).toBe('401 invalid_signature')
      }
      expect(codeOf(await deliver(id, '1', createHmac('sha256', '').update('1').digest('hex')))).toBe(
        '401 invalid_signature',
      )
    }
  })

  test('a run keeps the name of the trigger that is gone', async () => {
    const id = await webhook('agent.hook')
    const { runId } = (await deliver(id, '1')).body
    await call('DELETE', `/triggers/${id}`)
    expect(codeOf(await deliver(id, '1'))).toBe('404 trigger_not_found')
    expect(await record(runId)).toMatchObject({ trigger_id: id, status: 'completed' })
  })

  describe('a run that takes long', () => {
    beforeAll(async () => {
      await world().registerModel()
      await publish(asking({ id: 'agent.slow' }))
    })

    test('is answered with where it stands, and goes on', async () => {
      await using impatient = await secondPlane(world(), { triggerLimits: { answerMs: 50 } })
      const slow = held({ deltas: ['so', ' slow'] }, 2)
      world().provider.answers(slow.script)
      const id = await webhook('agent.slow')
      const answer = await fetch(`${impatient.url}/hooks/${id}`, {
        method: 'POST',
        body: '"hi"',
        headers: { 'x-service-signature': sign('"hi"') },
      })
      const body = await answer.json()
      expect([answer.status, body]).toEqual([202, { runId: expect.any(String), status: 'streaming' }])
      slow.letGo()
      await ended(body.runId, 'so slow')
    })

    test('goes on when the one who delivered has hung up', async () => {
      await using strict = await secondPlane(world(), { runLimits: { graceMs: 0 } })
      const slow = held({ deltas: ['still', ' here'] }, 2)
      world().provider.answers(slow.script)
      const id = await webhook('agent.slow')
      const gone = new AbortController()
      const delivery = fetch(`${strict.url}/hooks/${id}`, {
        method: 'POST',
        body: '"hi"',
        headers: { 'x-service-signature': sign('"hi"') },
        signal: gone.signal,
      })
      await slow.reached
      gone.abort()
      await delivery.catch(() => {})
      const run = (await runs()).find(({ trigger_id }: { trigger_id: string }) => trigger_id === id)
      slow.letGo()
      await ended(run.id, 'still here')
    })

    /** Follows the run's stream, or its record where it is another plane's, to its end. */
    async function ended(id: string, output: string) {
      const isUnderWay = async () => ['created', 'streaming'].includes((await record(id)).status)
      for (const deadline = Date.now() + 10_000; await isUnderWay(); ) {
        if (Date.now() > deadline) throw new Error('the run did not end')
        await Bun.sleep(5)
      }
      expect(await record(id)).toMatchObject({ status: 'completed', output })
    }
  })
})
