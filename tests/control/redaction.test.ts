import { describe, expect, test } from 'bun:test'
import { openDatabase } from '#kernel/db/open'
import { silentLogger } from '#kernel/log'
import { redactor } from '../../src/control/traces/redact'
import { startRetention } from '../../src/control/traces/retention'
import { shouting } from '../support/graphs'
import { eachDatabase, type World } from '../support/world'

const MS_PER_DAY = 24 * 60 * 60 * 1000

describe('rules', () => {
  const rules = redactor({ keys: ['Password', 'api_key'], patterns: ['\\d{4}-\\d{4}', 'ann@\\S+'] })

  test.each([
    ['a key in any case', { PASSWORD: 'x', user: 'ann' }, { PASSWORD: '[redacted]', user: 'ann' }],
    ['a key at any depth', { a: [{ b: { api_key: { k: 1 } } }] }, { a: [{ b: { api_key: '[redacted]' } }] }],
    ['every match of every pattern', 'ann@x.org, 1234-5678, 0000-1111', '[redacted] [redacted], [redacted]'],
    ['a match in a name', { 'card 1234-5678': 1 }, { 'card [redacted]': 1 }],
    ['keys of JSON inside a text', '{"password": "x", "n": 1}', '{"password":"[redacted]","n":1}'],
    ['JSON without such keys stays as it is written', '{ "n": 1.0 }', '{ "n": 1.0 }'],
    ['text that only looks like JSON', '[a] 1234-5678', '[a] [redacted]'],
    ['nothing where nothing is to be hidden', { a: [null, true, 7, 'x'] }, { a: [null, true, 7, 'x'] }],
  ])('hide %s', (_, given, hidden) => {
    expect(rules.value(given)).toEqual(hidden)
  })

  test('find a number by its digits', () => {
    expect(redactor({ patterns: ['\\d{16}'] }).value({ card: 4111111111111111 })).toEqual({
      card: '[redacted]',
    })
  })

  test('that match nothing in particular change nothing', () => {
    expect(redactor({ patterns: ['x*'] }).value('abc')).toBe('abc')
  })

  test('that cannot be applied hide everything', () => {
    expect(redactor({ patterns: ['('] }).value({ a: 'x' })).toEqual({ '[redacted]': '[redacted]' })
    const endless = redactor({ patterns: ['a{0,900}b'] })
    expect(endless.value('a'.repeat(1_000_000))).toBe('[redacted]')
    // Each value has steps of its own.
    expect(endless.value('xy')).toBe('xy')
  })
})

eachDatabase((world) => {
  const agent = async (id: string, policy: Record<string, unknown>) => {
    const ir = { ...shouting(), id }
    const made = await world().call('POST', '/agents', { as: 'editor', body: { ir } })
    expect(made.status).toBe(201)
    const put = await world().call('PUT', `/agents/${id}/io-policy`, { as: 'editor', body: policy })
    expect(put.status).toBe(200)
  }
  const run = async (id: string, input: unknown) =>
    (
      await world().call('POST', `/agents/${id}/runs`, {
        as: 'editor',
        body: { version: '1.0.0', input, stream: false },
      })
    ).body.runId as string
  const io = async (runId: string, node: string, of: World = world()) =>
    (await of.call('GET', `/runs/${runId}/nodes/${node}/io`, { as: 'editor' })).body

  test("an agent's rules hold before anything is stored", async () => {
    await agent('agent.hidden', { io_capture: 'full', redact_rules: { patterns: ['(?i)code \\d+'] } })
    const runId = await run('agent.hidden', 'the code 1234 is secret')
    const nodes = shouting().nodes.map((node: { id: string }) => node.id)
    const records = await Promise.all(nodes.map((node: string) => io(runId, node)))
    expect(JSON.stringify(records)).not.toMatch(/code 1234/i)
    expect(JSON.stringify(records)).toContain('the [redacted] is secret')
    expect(JSON.stringify(records)).toContain('THE [redacted] IS SECRET')

    await using database = openDatabase(world().env.DATABASE_URL!)
    const rows = await database.db.selectFrom('node_io').selectAll().where('run_id', '=', runId).execute()
    expect(JSON.stringify(rows)).not.toMatch(/code 1234/i)
    // The answer itself is the caller's.
    const { body } = await world().call('GET', `/runs/${runId}`, { as: 'editor' })
    expect(body.output).toBe('THE CODE 1234 IS SECRET')
  })

  test('recorded inputs and outputs go after their time, and the trace stays', async () => {
    await agent('agent.brief', { io_capture: 'full', io_retention_seconds: 3_600 })
    await agent('agent.kept', { io_capture: 'full' })
    const node = shouting().nodes[0]!.id
    const brief = await run('agent.brief', 'a')
    const kept = await run('agent.kept', 'b')
    expect((await io(brief, node)).reason).toBe(null)

    await sweepUntil(world(), { days: 0, inHours: 0.9 }, async () => true)
    expect((await io(brief, node)).inputs).not.toBe(null)
    await sweepUntil(world(), { days: 0, inHours: 2 }, async () => (await io(brief, node)).inputs === null)
    expect(await io(brief, node)).toMatchObject({ inputs: null, reason: 'no I/O captured' })
    expect((await io(kept, node)).inputs).not.toBe(null)

    await sweepUntil(world(), { days: 2, inHours: 47 }, async () => true)
    expect((await io(kept, node)).inputs).not.toBe(null)
    await sweepUntil(world(), { days: 2, inHours: 49 }, async () => (await io(kept, node)).inputs === null)
    const { body } = await world().call('GET', `/runs/${kept}/trace`, { as: 'editor' })
    expect(body.spans.length).toBeGreaterThan(2)
  })

  test("a document that is sent along is nobody's, also done again and under the id of an agent", async () => {
    await agent('agent.taken', {
      io_capture: 'full',
      io_retention_seconds: 3_600,
      redact_rules: { patterns: ['secret'] },
    })
    const ir = { ...shouting(), id: 'agent.taken' }
    const node = ir.nodes[0]!.id
    const send = async (path: string, body: object) =>
      (await world().call('POST', path, { as: 'editor', body: { ...body, stream: false } })).body.runId
    const first = await send('/graphs/runs', { ir, input: 'a secret' })
    const again = await send(`/runs/${first}/rerun`, {})
    const onceMore = await send(`/runs/${again}/rerun`, {})
    const own = await run('agent.taken', 'a secret')
    const ownAgain = await send(`/runs/${own}/rerun`, { input: 'a secret' })
    const inline = [first, again, onceMore]
    for (const id of inline) expect((await io(id, node)).outputs).toEqual({ out: 'a secret' })
    for (const id of [own, ownAgain]) expect((await io(id, node)).outputs).toEqual({ out: 'a [redacted]' })

    const isGone = async (id: string) => (await io(id, node)).inputs === null
    await sweepUntil(world(), { days: 0, inHours: 2 }, async () => (await isGone(own)) && isGone(ownAgain))
    for (const id of inline) expect(await isGone(id)).toBe(false)
  })
})

/** Sweeps as a plane would at that time, until it shows. */
async function sweepUntil(
  world: World,
  { days, inHours }: { days: number; inHours: number },
  holds: () => Promise<boolean>,
) {
  await using database = openDatabase(world.env.DATABASE_URL!)
  const stopping = new AbortController()
  let rounds = 0
  startRetention(
    {
      db: database.db,
      settings: {
        get: () => {
          rounds++
          return days as never
        },
      },
      log: silentLogger(),
      now: () => Date.now() + (inHours / 24) * MS_PER_DAY,
      retentionSweepMs: 1,
    },
    stopping.signal,
  )
  const giveUp = AbortSignal.timeout(10_000)
  // The third round begins when the second is over.
  while (rounds < 3 || !(await holds())) {
    if (giveUp.aborted) throw new Error('it was not swept')
    await Bun.sleep(5)
  }
  stopping.abort()
}
