import { afterEach, expect, jest, test } from 'bun:test'
import { migrate } from '#kernel/db/migrate'
import { openSqlite } from '#kernel/db/open'
import type { Db } from '#kernel/db/tables'
import { readEnv } from '#kernel/env'
import { createLogger } from '#kernel/log'
import { secretBox } from '#kernel/secrets'
import { captureLevel } from '../../src/control/settings/capture'
import { settingsService } from '../../src/control/settings/service'
import { openWorld } from '../support/world'

afterEach(() => void jest.useRealTimers())

test('every process reads the stored values again within 15 seconds, until it stops', async () => {
  await using database = await emptyDatabase()
  const { settings } = serviceOn(database.db)
  const stop = new AbortController()
  jest.useFakeTimers()
  await settings.start(stop.signal)
  await store(database.db, 'rag.default_top_k', '9')
  expect(settings.get('rag.default_top_k')).toBe(5)

  jest.advanceTimersByTime(15_000)
  await until(() => settings.get('rag.default_top_k') === 9)

  await until(() => jest.getTimerCount() === 1)
  stop.abort()
  expect(jest.getTimerCount()).toBe(0)
})

test('a value that stops being valid is logged by its key, once, and never with the value', async () => {
  await using database = await emptyDatabase()
  const { settings, lines } = serviceOn(database.db)
  await store(database.db, 'rag.default_top_k', '"hunter2"')
  await settings.refresh()
  await settings.refresh()
  expect(lines.filter((line) => line.includes('rag.default_top_k'))).toHaveLength(1)
  expect(lines.join()).not.toContain('hunter2')
})

test('a change that is stored but cannot be read back says so for its keys', async () => {
  await using database = await emptyDatabase()
  let readings = 0
  const { settings } = serviceOn(
    database.db.withPlugin({
      transformQuery({ node }) {
        // The first reading is the transaction's own, the second would apply what it stored.
        if (node.kind === 'SelectQueryNode' && ++readings === 2) throw new Error('the connection was lost')
        return node
      },
      transformResult: async ({ result }) => result,
    }),
  )
  const { apply_errors } = await settings.change({ 'rag.default_top_k': 9 })
  expect(apply_errors).toEqual({ 'rag.default_top_k': expect.stringContaining('not applied') })
  await settings.refresh()
  expect(settings.get('rag.default_top_k')).toBe(9)
})

test('a value stored before the environment pinned or capped it gives way', async () => {
  await using database = await emptyDatabase()
  await store(database.db, 'telemetry.io_capture', '"full"')
  await store(database.db, 'telemetry.io_capture_max_bytes', '4096')
  await store(database.db, 'mcp.call_timeout_s', '10')
  const { settings } = serviceOn(database.db, {
    SERVICE_MCP_CALL_TIMEOUT_S: '45',
    SERVICE_IO_CAPTURE: 'metadata',
    SERVICE_IO_CAPTURE_MAX_BYTES: '2048',
  })
  await settings.refresh()
  expect(settings.get('mcp.call_timeout_s')).toBe(45)
  expect(settings.get('telemetry.io_capture')).toBe('metadata')
  expect(settings.get('telemetry.io_capture_max_bytes')).toBe(2048)
  const shown = settings.read().settings.find(({ key }) => key === 'telemetry.io_capture')
  expect(shown).toMatchObject({ source: 'env', stored_value: 'full', stored_invalid: false })
})

test('a process without SERVICE_SECRET_KEY warns that its secrets will be lost', async () => {
  await using world = await openWorld({
    env: { SERVICE_SECRET_KEY: '', SERVICE_INVOKE_TOKEN: 'let me in please' },
  })
  const { body } = await world.call('GET', '/settings', { as: 'admin' })
  const fact = (key: string) => body.boot.find((entry: { key: string }) => entry.key === key)
  expect(fact('secret_key_ephemeral')).toMatchObject({
    value: true,
    warning: expect.stringContaining('SERVICE_SECRET_KEY'),
  })
  expect(fact('invoke_token_set').value).toBe(true)
  expect(JSON.stringify(body)).not.toContain('let me in')
})

test.each([
  ['full', 'local', undefined, 'full', 'full'],
  ['full', 'local', 'metadata', 'metadata', 'full'],
  ['full', 'local', 'off', 'off', 'full'],
  ['full', 'hosted', undefined, 'metadata', 'metadata'],
  ['full', 'hosted', 'full', 'metadata', 'metadata'],
  ['full', 'hosted', 'off', 'off', 'metadata'],
  ['metadata', 'local', undefined, 'metadata', 'full'],
  ['metadata', 'local', 'full', 'metadata', 'full'],
  ['metadata', 'hosted', 'off', 'off', 'metadata'],
  ['off', 'local', 'full', 'off', 'full'],
  ['off', 'hosted', undefined, 'off', 'metadata'],
] as const)(
  'ceiling %s, topology %s and policy %p capture %s',
  (ceiling, topology, policy, level, byTopology) => {
    expect(captureLevel({ ceiling, topology, policy })).toEqual({
      level,
      ceiling,
      topology_default: byTopology,
    })
  },
)

function serviceOn(db: Db, env: Record<string, string> = {}) {
  const lines: string[] = []
  const settings = settingsService({
    db,
    env: readEnv(env),
    secrets: secretBox(['a key for tests']),
    log: createLogger({ level: 'debug', readable: false, write: (line) => lines.push(line) }),
    baseUrl: 'http://127.0.0.1:8080',
    boot: [],
    now: () => 1,
  })
  return { settings, lines }
}

async function emptyDatabase() {
  const database = openSqlite(':memory:')
  await migrate(database.db)
  return database
}

const store = (db: Db, key: string, value: string) =>
  db.insertInto('settings').values({ key, value, sealed: null, updated_at: 1 }).execute()

/** Lets what is under way go on until the condition holds; only promises are waited for, so no clock is needed. */
async function until(condition: () => boolean) {
  for (let turn = 0; turn < 1_000 && !condition(); turn++) await Promise.resolve()
  expect(condition()).toBe(true)
}
