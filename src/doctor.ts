import { accessSync, constants, existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { pendingMigrations } from '#kernel/db/migrate'
import { type Opened, openDatabase } from '#kernel/db/open'
import { databaseBytes } from '#kernel/db/portable'
import type { Env } from '#kernel/env'
import { engineFindings } from './doctor-engines'
import { placesOf } from './places'
import { VERSION } from './version'

const PROBE_MS = 1_000

interface Finding {
  what: string
  state: 'ok' | 'note' | 'missing'
  text: string
  /** What to do about it. */
  hint?: string
}

/** `tycho doctor`: what is configured, what is missing and how to get it. @returns true when nothing is missing. */
export async function doctor(env: Env): Promise<boolean> {
  const places = placesOf(env, true)
  const findings = [
    {
      what: 'Tycho',
      state: 'ok',
      text: `${VERSION}, Bun ${Bun.version}, ${process.platform} ${process.arch}`,
    } as Finding,
    dataFolder(places.dataDir),
    ...(await database(places.databaseUrl)),
    secretKey(env),
    ...(await engineFindings(env, places)),
    ...(await Promise.all(planes(env).map(listener))),
  ]
  const width = Math.max(...findings.map(({ what }) => what.length))
  for (const { what, state, text, hint } of findings) {
    console.log(`${MARK[state]} ${what.padEnd(width)}  ${text}`)
    if (hint) console.log(`  ${' '.repeat(width)}  → ${hint}`)
  }
  return findings.every(({ state }) => state !== 'missing')
}

const MARK = { ok: '✓', note: '·', missing: '✗' }

function dataFolder(dir: string): Finding {
  const what = 'Data folder'
  if (!existsSync(dir)) return { what, state: 'note', text: `${dir} is made at the first start` }
  try {
    accessSync(dir, constants.R_OK | constants.W_OK)
    return { what, state: 'ok', text: dir }
  } catch {
    return {
      what,
      state: 'missing',
      text: `${dir} cannot be written`,
      hint: 'Give yourself the right to write there, or set SERVICE_DATA_DIR.',
    }
  }
}

async function database(url: string): Promise<Finding[]> {
  const what = 'Database'
  const file = /^sqlite:(.+)$/.exec(url)?.[1]
  if (file && file !== ':memory:' && !existsSync(file)) {
    return [{ what, state: 'note', text: `SQLite, ${file} is made at the first start` }]
  }
  let opened: Opened
  try {
    opened = openDatabase(url)
  } catch (error) {
    return [{ what, state: 'missing', text: (error as Error).message, hint: 'Set DATABASE_URL.' }]
  }
  await using database = opened
  const name =
    database.kind === 'sqlite'
      ? `SQLite, ${database.database}`
      : `Postgres, ${database.database} on ${database.host}`
  try {
    const megabytes = ((await databaseBytes(database.db)) / 2 ** 20).toFixed(1)
    const pending = await pendingMigrations(database.db)
    const state =
      pending.length > 0 ? `, to be brought up to date at the next start (${pending.join(', ')})` : ''
    return [{ what, state: 'ok', text: `${name}, ${megabytes} MiB${state}` }, backup(database, file)]
  } catch (error) {
    return [
      {
        what,
        state: 'missing',
        text: `${name}: ${(error as Error).message}`,
        hint: 'Check that it runs and DATABASE_URL is right.',
      },
    ]
  }
}

function backup({ kind }: Opened, file: string | undefined): Finding {
  const text =
    kind === 'postgres'
      ? 'with pg_dump and pg_restore'
      : `\`tycho backup <file>\`, also while Tycho runs; to restore, stop Tycho and put the file in place of ${file}`
  const rest =
    kind === 'sqlite'
      ? `Keep the rest of ${dirname(file!)} with it: secret.key, inference/, artifacts/. `
      : ''
  return { what: 'Backup', state: 'note', text, hint: `${rest}More in docs/backup.md.` }
}

function secretKey(env: Env): Finding {
  if (env.SERVICE_SECRET_KEY) return { what: 'Secret key', state: 'ok', text: 'from SERVICE_SECRET_KEY' }
  return {
    what: 'Secret key',
    state: 'note',
    text: 'a desktop launch keeps its own; `tycho serve` makes one that dies with the process',
    hint: 'For `tycho serve`, set SERVICE_SECRET_KEY to a long random text.',
  }
}

const planes = (env: Env) => [
  {
    what: 'Control plane',
    host: env.SERVICE_HOST,
    port: env.SERVICE_CONTROL_PLANE_PORT,
    variable: 'SERVICE_CONTROL_PLANE_PORT',
  },
  {
    what: 'Inference plane',
    host: env.SERVICE_HOST,
    port: env.SERVICE_INFERENCE_PLANE_PORT,
    variable: 'SERVICE_INFERENCE_PLANE_PORT',
  },
  {
    what: 'AI gateway',
    host: env.SERVICE_GATEWAY_HOST,
    port: env.SERVICE_GATEWAY_PORT,
    variable: 'SERVICE_GATEWAY_PORT',
  },
  {
    what: 'Interface',
    host: env.SERVICE_HOST,
    port: env.SERVICE_INTERFACE_PORT,
    variable: 'SERVICE_INTERFACE_PORT',
  },
]

/** A port is free, ours, or somebody else's. */
async function listener({ what, host, port, variable }: ReturnType<typeof planes>[number]): Promise<Finding> {
  const url = `http://${host}:${port}`
  const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(PROBE_MS) })
    .then((response) => response.json() as Promise<{ status?: string }>)
    .catch((error: { code?: string }) => error)
  if ('status' in answer && answer.status === 'ok') return { what, state: 'ok', text: `answers at ${url}` }
  if ('code' in answer && (answer.code === 'ECONNREFUSED' || answer.code === 'ConnectionRefused'))
    return { what, state: 'note', text: `not running; ${url} is free` }
  return {
    what,
    state: 'missing',
    text: `${url} is taken by another program`,
    hint: `Stop it, or set ${variable}.`,
  }
}
