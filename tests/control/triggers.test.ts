import { beforeAll, describe, expect, test } from 'bun:test'
import { openDatabase } from '#kernel/db/open'
import { graph, node, shouting } from '../support/graphs'
import { eachDatabase } from '../support/world'

const AGENT = 'agent.mail'
const webhook = { agent_id: AGENT, kind: 'webhook', version: '1.0.0', config: { secret: 's3cret' } }
const schedule = { agent_id: AGENT, kind: 'schedule', version: '1.0.0', config: { cron: '0 7 * * 1' } }

eachDatabase((world) => {
  let hash: string

  const call = (method: string, path: string, body?: unknown) =>
    world().call(method, path, { as: 'editor', body })
  const create = async (body: unknown) => (await call('POST', '/triggers', body)).body
  const codeOf = ({ status, body }: { status: number; body: { error: { code: string } } }) =>
    `${status} ${body.error.code}`
  const publish = async (ir: unknown) => (await call('POST', '/agents', { ir })).body
  const remove = (id: string) => call('DELETE', `/triggers/${id}`)

  beforeAll(async () => {
    hash = (await publish(shouting({ id: AGENT }))).versions[0].content_hash
    await publish(graph([node('a', 'memory', { in: [] })], [], { id: 'agent.unexecutable' }))
  })

  test('a trigger has every field, and its secret is never shown', async () => {
    const { status, body } = await call('POST', '/triggers', webhook)
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9A-HJKMNP-TV-Z]{26}$/),
      agent_id: AGENT,
      version: '1.0.0',
      content_hash: null,
      kind: 'webhook',
      config: { secret: '***' },
      enabled: true,
      last_fired_at: null,
      next_fire_at: null,
      missed_fires: 0,
      last_error: null,
      created_at: expect.any(String),
      updated_at: body.created_at,
    })
    expect((await call('GET', `/triggers/${body.id}`)).body).toEqual(body)
    await using database = openDatabase(world().env.DATABASE_URL!)
    const row = await database.db.selectFrom('triggers').selectAll().where('id', '=', body.id).execute()
    expect(JSON.stringify(row) + Buffer.from(row[0]!.secret!).toString('latin1')).not.toContain('s3cret')
  })

  test('a schedule shows its config and when it fires next, in UTC', async () => {
    const input = { topics: ['a', 'ü'], deep: { none: null } }
    const made = await create({
      ...schedule,
      version: null,
      content_hash: hash,
      config: { cron: '30 5 1 1 *', input },
    })
    const year = new Date().getUTCFullYear() + 1
    expect(made).toMatchObject({
      version: null,
      content_hash: hash,
      config: { cron: '30 5 1 1 *', input },
      next_fire_at: expect.stringMatching(new RegExp(`^(${year}|${year - 1})-01-01T05:30:00.000Z$`)),
    })
  })

  test.each<[string, Record<string, unknown>, string]>([
    // Each line breaks what the lines below it break too, so that the order shows.
    [
      'no pin, and all the rest wrong',
      { version: undefined, config: {}, agent_id: 'agent.nobody' },
      '400 invalid_trigger',
    ],
    ['two pins', { content_hash: 'sha256:x', agent_id: 'agent.nobody' }, '400 invalid_trigger'],
    ['two nulls', { version: null, content_hash: null }, '400 invalid_trigger'],
    ['no secret', { config: {}, agent_id: 'agent.nobody' }, '400 invalid_trigger'],
    ['a blank secret', { config: { secret: '  ' } }, '400 invalid_trigger'],
    ['a secret that is no text', { config: { secret: 5 } }, '400 invalid_trigger'],
    ['an endless secret', { config: { secret: 'x'.repeat(1_025) } }, '400 invalid_trigger'],
    ['a key that means nothing', { config: { secret: 'x', cron: '* * * * *' } }, '400 invalid_trigger'],
    ['an unknown kind', { kind: 'email' }, '400 invalid_trigger'],
    ['a config that is no object', { config: 'x' }, '400 invalid_trigger'],
    ['a list as config', { config: [] }, '400 invalid_trigger'],
    ['no config', { config: undefined }, '400 invalid_trigger'],
    ['no agent', { agent_id: undefined }, '400 invalid_trigger'],
    ['an unknown agent', { agent_id: 'agent.nobody', version: '9' }, '404 agent_not_found'],
    ['an unknown version', { version: '9' }, '404 agent_version_not_found'],
    ['no such thing as the latest', { version: 'latest' }, '404 agent_version_not_found'],
    ['an unknown hash', { version: undefined, content_hash: 'sha256:0' }, '404 agent_version_not_found'],
    [
      'an agent that cannot be run',
      { agent_id: 'agent.unexecutable', version: '1.0.0' },
      '400 node_type_unavailable',
    ],
  ])('%s is refused, and nothing is made', async (_why, wrong, code) => {
    const before = (await call('GET', '/triggers')).body.triggers.length
    expect(codeOf(await call('POST', '/triggers', { ...webhook, ...wrong }))).toBe(code)
    expect((await call('GET', '/triggers')).body.triggers).toHaveLength(before)
  })

  test.each<[string, unknown]>([
    ['six fields', '0 * * * * *'],
    ['four fields', '* * * *'],
    ['a nickname', '@daily'],
    ['minute 60', '60 * * * *'],
    ['hour 24', '0 24 * * *'],
    ['words', 'every day at noon please'],
    ['a step of nothing', '*/0 * * * *'],
    ['a day that never comes', '0 0 30 2 *'],
    ['an endless one', `${'0,'.repeat(100)}0 * * * *`],
    ['nothing', ''],
    ['a number', 5],
    ['null', null],
  ])('of cron, %s is refused', async (_why, cron) => {
    expect(codeOf(await call('POST', '/triggers', { ...schedule, config: { cron } }))).toBe(
      '400 invalid_trigger',
    )
  })

  test.each(['*/15 9-17 * * MON-FRI', ' 0  0 29 2 * ', '0 0 * * 7', '5,35 * 1-15 JAN,jul *'])(
    'of cron, %s is taken',
    async (cron) => {
      const made = await create({ ...schedule, config: { cron } })
      expect(new Date(made.next_fire_at).getTime()).toBeGreaterThan(Date.now())
      await remove(made.id)
    },
  )

  test('an input too large or too deep is refused', async () => {
    const deep = JSON.parse('['.repeat(200) + ']'.repeat(200))
    for (const input of ['x'.repeat(256 * 1024), deep]) {
      const config = { cron: '* * * * *', input }
      expect(codeOf(await call('POST', '/triggers', { ...schedule, config }))).toBe('400 invalid_trigger')
    }
  })

  test('the list is newest first, goes on, and is narrowed to an agent', async () => {
    await publish(shouting({ id: 'agent.listed' }))
    const ids: string[] = []
    for (let index = 0; index < 5; index++) {
      ids.unshift((await create({ ...webhook, agent_id: 'agent.listed' })).id)
    }
    const page = async (query: string): Promise<string[]> =>
      (await call('GET', `/triggers?${query}`)).body.triggers.map(({ id }: { id: string }) => id)
    expect(await page('limit=3')).toEqual(ids.slice(0, 3))
    expect(await page(`limit=200&before=${ids[2]}&agent_id=agent.listed`)).toEqual(ids.slice(3))
    expect(await page('agent_id=agent.nobody')).toEqual([])
    expect(codeOf(await call('GET', '/triggers?limit=0'))).toBe('422 validation_error')
  })

  describe('a change', () => {
    const patch = (id: string, body: unknown) => call('PATCH', `/triggers/${id}`, body)

    test('switches a schedule off and on, and it waits for its next instant', async () => {
      const { id } = await create(schedule)
      const off = (await patch(id, { enabled: false })).body
      expect(off).toMatchObject({ enabled: false, next_fire_at: null, config: schedule.config })
      const on = (await patch(id, { enabled: true })).body
      expect(on).toMatchObject({ enabled: true, next_fire_at: expect.stringMatching(/T07:00:00.000Z$/) })
      expect((await patch(id, {})).body).toMatchObject({ enabled: true, next_fire_at: on.next_fire_at })
    })

    test('replaces the config whole', async () => {
      const { id } = await create({ ...schedule, config: { cron: '0 7 * * 1', input: 'old' } })
      const { body } = await patch(id, { config: { cron: '0 8 * * 1' } })
      expect(body).toMatchObject({
        config: { cron: '0 8 * * 1' },
        next_fire_at: expect.stringMatching(/T08:00:00.000Z$/),
      })
      expect(body.config).not.toHaveProperty('input')
      expect(body.updated_at >= body.created_at).toBe(true)
    })

    test.each<[string, 'webhook' | 'schedule', unknown]>([
      ['a pin', 'webhook', { version: '1.0.0' }],
      ['a hash beside what may be changed', 'webhook', { enabled: true, content_hash: 'x' }],
      ['the kind', 'webhook', { kind: 'schedule' }],
      ['the agent', 'webhook', { agent_id: 'agent.other' }],
      ['a config without its secret', 'webhook', { config: {} }],
      ['a config of the other kind', 'webhook', { config: { cron: '* * * * *' } }],
      ['a bad cron', 'schedule', { config: { cron: 'x' } }],
      ['no config at all', 'schedule', { config: null }],
      ['enabled that is no boolean', 'schedule', { enabled: 'yes' }],
      ['a list', 'schedule', []],
    ])('of %s is refused and changes nothing', async (_what, kind, body) => {
      const made = await create(kind === 'webhook' ? webhook : schedule)
      expect(codeOf(await patch(made.id, body))).toBe('400 invalid_trigger')
      expect((await call('GET', `/triggers/${made.id}`)).body).toEqual(made)
    })

    test('a webhook that came without its secret is enabled only with one', async () => {
      const { id } = await create(webhook)
      await using database = openDatabase(world().env.DATABASE_URL!)
      await database.db
        .updateTable('triggers')
        .set({ secret: null, enabled: 0 })
        .where('id', '=', id)
        .execute()
      expect((await call('GET', `/triggers/${id}`)).body.config).toEqual({})
      expect(codeOf(await patch(id, { enabled: true }))).toBe('400 invalid_trigger')
      const { body } = await patch(id, { enabled: true, config: { secret: 'set' } })
      expect(body).toMatchObject({ enabled: true, config: { secret: '***' } })
    })
  })

  test('deleting is for good', async () => {
    const { id } = await create(webhook)
    expect((await remove(id)).status).toBe(204)
    for (const [method, body] of [['GET'], ['PATCH', {}], ['DELETE']] as const) {
      expect(codeOf(await call(method, `/triggers/${id}`, body))).toBe('404 trigger_not_found')
    }
    expect(codeOf(await call('GET', '/triggers/%00'))).toBe('404 trigger_not_found')
  })

  test('an agent takes its triggers along', async () => {
    await publish(shouting({ id: 'agent.leaving' }))
    const mine = await create({ ...schedule, agent_id: 'agent.leaving' })
    const other = await create(webhook)
    await call('DELETE', '/agents/agent.leaving')
    expect((await call('GET', `/triggers/${mine.id}`)).status).toBe(404)
    expect((await call('GET', `/triggers/${other.id}`)).status).toBe(200)
  })

  test('they are for editors', async () => {
    for (const [method, path] of [
      ['GET', '/triggers'],
      ['POST', '/triggers'],
      ['DELETE', '/triggers/x'],
    ] as const) {
      expect(codeOf(await world().call(method, path, { as: 'viewer' }))).toBe('403 forbidden')
      expect(codeOf(await world().call(method, path))).toBe('401 unauthorized')
    }
  })
})
