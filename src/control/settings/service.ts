import { exclusively } from '#kernel/db/portable'
import type { Db } from '#kernel/db/tables'
import type { Env } from '#kernel/env'
import type { Logger } from '#kernel/log'
import { every } from '#kernel/loop'
import type { SecretBox } from '#kernel/secrets'
import type { BootFact } from './boot-facts'
import { SETTING_KEYS, type SettingKey, type SettingValue } from './catalog'
import { readChanges } from './changes'
import { orphansOf, present } from './present'
import { readRow, resolveAll, rowOf, type Stored } from './resolve'
import type { ChangedSettings, Settings } from './schema'
import { type SettingRow, settingsStore } from './store'

/** Every process must see a change within about 15 seconds (specification, part 8). */
const REFRESH_MS = 10_000

interface Deps {
  db: Db
  env: Env
  secrets: SecretBox
  log: Logger
  /** The control plane's own address, as the browser reaches it: default redirect URLs start with it. */
  baseUrl: string
  /** Shown beside the settings. */
  boot: BootFact[]
  now: () => number
}

export type SettingsService = ReturnType<typeof settingsService>

/** Platform settings: readers ask `get`, which answers from memory; the database is read at start and then every 10 s. */
export function settingsService({ db, env, secrets, log, baseUrl, boot, now }: Deps) {
  const deployment = { env, baseUrl }
  let stored: ReadonlyMap<string, Stored> = new Map()
  let resolved = resolveAll(stored, deployment)
  let invalid = ''
  let lastRefresh: Promise<void> = Promise.resolve()

  /** One at a time, so that an older reading never replaces a newer one. */
  function refresh(): Promise<void> {
    lastRefresh = lastRefresh.catch(() => undefined).then(load)
    return lastRefresh
  }

  async function load() {
    stored = decode(await settingsStore(db).all())
    resolved = resolveAll(stored, deployment)
    warnOfInvalid()
  }

  const decode = (rows: SettingRow[]) => new Map(rows.map((row) => [row.key, readRow(row, secrets)]))

  /** Once for each change of what is wrong, not at every reading. */
  function warnOfInvalid() {
    const keys = SETTING_KEYS.filter((key) => resolved[key].storedInvalid)
    if (keys.join() !== invalid && keys.length > 0) {
      log.warn({ keys }, 'stored settings do not validate or cannot be read: their defaults count')
    }
    invalid = keys.join()
  }

  const read = (): Settings => ({
    settings: SETTING_KEYS.map((key) => present(key, resolved[key], deployment)),
    boot,
    orphaned: orphansOf(stored),
  })

  function rowFor(key: SettingKey, value: unknown): SettingRow {
    const text = JSON.stringify(value)
    const secret = rowOf(key).type === 'secret'
    return {
      key,
      value: secret ? null : text,
      sealed: secret ? secrets.seal(text) : null,
      updated_at: now(),
    }
  }

  return {
    /** The value that counts now: environment, then stored, then default. Never waits. */
    get: <Key extends SettingKey>(key: Key): SettingValue<Key> => resolved[key].value as SettingValue<Key>,

    read,

    /**
     * Stores all of a patch or nothing, and applies it here at once; other processes follow within seconds.
     * @throws {AppError} `invalid_setting`
     */
    async change(patch: Record<string, unknown>): Promise<ChangedSettings> {
      await exclusively(db, 'settings', async (tx) => {
        const store = settingsStore(tx)
        const { put, remove } = readChanges(patch, decode(await store.all()), deployment)
        for (const key of remove) await store.remove(key)
        for (const [key, value] of put) await store.put(rowFor(key, value))
      })
      const failure = await refresh().then(
        () => null,
        (error: unknown) => {
          log.warn({ err: error }, 'changed settings are stored but could not be read back')
          return 'Stored, but not applied here yet; this process tries again within seconds.'
        },
      )
      return {
        ...read(),
        apply_errors: failure ? Object.fromEntries(Object.keys(patch).map((key) => [key, failure])) : {},
      }
    },

    /** Reads the stored values again. */
    refresh,

    /** Loads the stored values, then follows what other processes store until `signal` fires. */
    async start(signal: AbortSignal) {
      await refresh()
      every(REFRESH_MS, 'settings', refresh, log, signal)
    },

    /** Secrets that were sealed with a key this process does not have. */
    unreadableSecrets: (): SettingKey[] =>
      SETTING_KEYS.filter((key) => resolved[key].stored?.readable === false),
  }
}
