import { expect, test } from 'bun:test'
import { type Opened, openDatabase } from '#kernel/db/open'
import { readEnv } from '#kernel/env'
import { silentLogger } from '#kernel/log'
import { secretBox } from '#kernel/secrets'
import { settingsService } from '../../src/control/settings/service'
import { eachDatabase, type World } from '../support/world'

eachDatabase((world) => {
  const patch = (body: unknown) => world().call('PATCH', '/settings', { as: 'admin', body })
  const read = async () => (await world().call('GET', '/settings', { as: 'admin' })).body
  const entry = async (key: string) =>
    (await read()).settings.find((setting: { key: string }) => setting.key === key)

  test('a change is answered with the settings as they now are, and counts at once', async () => {
    const { status, body } = await patch({ 'rag.default_top_k': 7 })
    const { apply_errors, ...settings } = body
    expect({ status, apply_errors }).toEqual({ status: 200, apply_errors: {} })
    expect(settings).toEqual(await read())
    expect(await entry('rag.default_top_k')).toEqual({
      key: 'rag.default_top_k',
      value: 7,
      stored_value: 7,
      default: 5,
      type: 'int',
      source: 'stored',
      env_var: null,
      env_pinned: false,
      env_capped: false,
      env_cap_value: null,
      apply: 'live',
      restart_pending: false,
      stored_invalid: false,
      constraints: { min: 1, max: 50, choices: null, nullable: false },
      description: expect.any(String),
      group: 'rag',
    })
  })

  test('a patch with one wrong value stores nothing and names what is wrong', async () => {
    const { status, body } = await patch({
      'auth.session_ttl_hours': 24,
      'rag.default_top_k': 51,
      'rag.no_such_key': 1,
      'rag.forgotten_key': null,
    })
    expect([status, body.error.code]).toEqual([422, 'invalid_setting'])
    expect(body.error.message).toContain('rag.default_top_k must be a whole number from 1 to 50')
    expect(body.error.message).toContain('rag.no_such_key')
    expect(body.error.message).toContain('rag.forgotten_key')
    expect(await entry('auth.session_ttl_hours')).toMatchObject({ source: 'default' })
  })

  test.each([
    ['a text', '"rag.default_top_k"', 422, 'invalid_setting'],
    ['a list', '[]', 422, 'invalid_setting'],
    ['null', 'null', 422, 'invalid_setting'],
    ['empty', '', 422, 'invalid_setting'],
    ['an object with a hidden key', '{"__proto__":{"rag.default_top_k":9}}', 422, 'invalid_setting'],
    ['no JSON', '{', 400, 'invalid_json'],
    [
      'a thousand keys',
      Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`k${i}`, 1])),
      422,
      'invalid_setting',
    ],
    ['an object with an inherited name', { constructor: null }, 422, 'invalid_setting'],
  ])('a body that is %s is refused', async (_name, body, status, code) => {
    const answer = await patch(body)
    expect([answer.status, answer.body.error.code]).toEqual([status, code])
    expect(answer.body.error.message.length).toBeLessThan(1_000)
  })

  test('an empty patch changes nothing', async () => {
    const before = await read()
    expect((await patch({})).body).toEqual({ ...before, apply_errors: {} })
  })

  test('what an earlier release stored is listed, cannot be written, and goes with null', async () => {
    await putRow(world(), 'ui.old_key', '"x"')
    await world().restart()
    expect((await read()).orphaned).toEqual(['ui.old_key'])
    expect((await patch({ 'ui.old_key': 'y' })).body.error.code).toBe('invalid_setting')
    expect((await patch({ 'ui.old_key': null })).body.orphaned).toEqual([])
    expect((await patch({ 'ui.old_key': null })).body.error.code).toBe('invalid_setting')
  })

  test.each([
    ['out of range', '51', 51],
    ['of another type', '"many"', 'many'],
    ['no JSON', 'many', null],
  ])('a stored value that is %s is shown as invalid, and the default counts', async (_name, text, shown) => {
    await putRow(world(), 'rag.default_top_k', text)
    await world().restart()
    expect(await entry('rag.default_top_k')).toMatchObject({
      value: 5,
      source: 'default',
      stored_value: shown,
      stored_invalid: true,
    })
    expect((await patch({ 'rag.default_top_k': null })).status).toBe(200)
    expect(await entry('rag.default_top_k')).toMatchObject({ stored_value: null, stored_invalid: false })
  })

  test('a secret setting is sealed, shows its names, is replaced whole and never comes back', async () => {
    await patch({ 'telemetry.otlp_headers': { Authorization: 'Bearer hunter2-hunter2', 'X-Team': 'blue' } })
    const answer = await patch({ 'telemetry.otlp_headers': { Authorization: 'Bearer hunter2-hunter2' } })
    const set = { set: true, names: ['Authorization'] }
    expect(await entry('telemetry.otlp_headers')).toMatchObject({
      value: set,
      stored_value: set,
      type: 'secret',
      stored_invalid: false,
    })
    expect(JSON.stringify([answer.body, await read()])).not.toContain('hunter2')

    await using database = openDatabase(world().env.DATABASE_URL!)
    const rows = await database.db.selectFrom('settings').selectAll().execute()
    expect(rows.find(({ key }) => key === 'telemetry.otlp_headers')).toMatchObject({ value: null })
    expect(rows.map(({ sealed }) => Buffer.from(sealed ?? []).toString('latin1')).join()).not.toContain(
      'hunter2',
    )

    const elsewhere = serviceOn(world(), database)
    await elsewhere.refresh()
    expect(elsewhere.get('telemetry.otlp_headers')).toEqual({ Authorization: 'Bearer hunter2-hunter2' })
  })

  test('a secret whose key is lost is reported, counts as unset, and can be set again', async () => {
    await patch({ 'telemetry.otlp_headers': { Authorization: 'x' } })
    const key = world().env.SERVICE_SECRET_KEY!
    world().env.SERVICE_SECRET_KEY = 'another key'
    await world().restart()
    const lost = { set: true, names: [], unreadable: true }
    expect(await entry('telemetry.otlp_headers')).toMatchObject({
      value: lost,
      stored_value: lost,
      source: 'default',
      stored_invalid: true,
    })
    await using database = openDatabase(world().env.DATABASE_URL!)
    const settings = serviceOn(world(), database)
    await settings.refresh()
    expect(settings.get('telemetry.otlp_headers')).toBeNull()

    await patch({ 'telemetry.otlp_headers': { 'X-New': 'y' } })
    expect(await entry('telemetry.otlp_headers')).toMatchObject({
      value: { set: true, names: ['X-New'] },
      stored_invalid: false,
    })
    world().env.SERVICE_SECRET_KEY = key
    await patch({ 'telemetry.otlp_headers': null })
    await world().restart()
    expect(await entry('telemetry.otlp_headers')).toMatchObject({ value: { set: false, names: [] } })
  })

  test('another process has a change as soon as it reads again', async () => {
    await using database = openDatabase(world().env.DATABASE_URL!)
    const worker = serviceOn(world(), database)
    expect(worker.get('tools.result_max_chars')).toBe(16_000)
    await worker.refresh()
    await patch({ 'tools.result_max_chars': 20_000 })
    expect(worker.get('tools.result_max_chars')).toBe(16_000)
    await worker.refresh()
    expect(worker.get('tools.result_max_chars')).toBe(20_000)
    await patch({ 'tools.result_max_chars': null })
    await worker.refresh()
    expect(worker.get('tools.result_max_chars')).toBe(16_000)
  })

  test('what a restart with another environment changes is shown beside the settings', async () => {
    const { boot } = await read()
    const facts = Object.fromEntries(
      boot.map(({ key, value }: { key: string; value: unknown }) => [key, value]),
    )
    const address = URL.parse(world().env.DATABASE_URL!)!
    expect(facts).toEqual({
      durable: false,
      topology: 'local',
      inference_plane_url: `${world().urls.inference}/v1`,
      cors_origins: expect.arrayContaining([world().urls.interface]),
      artifact_dir: world().env.SERVICE_ARTIFACT_DIR,
      invoke_token_set: false,
      secret_key_ephemeral: false,
      database:
        address.protocol === 'sqlite:'
          ? { host: '', database: address.pathname }
          : { host: address.host, database: address.pathname.slice(1) },
    })
    expect(boot.filter(({ warning }: { warning: string | null }) => warning !== null)).toEqual([])
    expect(JSON.stringify(facts)).not.toContain('tycho@')
  })
})

/** A second process's settings over the same database. */
const serviceOn = (world: World, { db }: Opened) =>
  settingsService({
    db,
    env: readEnv(world.env),
    secrets: secretBox([world.env.SERVICE_SECRET_KEY!]),
    log: silentLogger(),
    baseUrl: 'http://127.0.0.1:8080',
    boot: [],
    now: Date.now,
  })

/** What another release, or a hand, left in the table. */
async function putRow(world: World, key: string, value: string) {
  await using database = openDatabase(world.env.DATABASE_URL!)
  await database.db.deleteFrom('settings').where('key', '=', key).execute()
  await database.db.insertInto('settings').values({ key, value, sealed: null, updated_at: 1 }).execute()
}
