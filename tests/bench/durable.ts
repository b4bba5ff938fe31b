import { readFileSync } from 'node:fs'
import { migrate } from '#kernel/db/migrate'
import { openDatabase } from '#kernel/db/open'
import { durably } from '#kernel/db/portable'
import { newId } from '#kernel/ids'
import { graph, node } from '../support/graphs'
import { freePort, freshPostgresDatabase } from '../support/postgres'
import { bareEnvironment, emptyFolder, startTycho } from '../support/process'
import { quantile, round, table } from './statistics'

const KINDS = ['sqlite', 'postgres'] as const
type Kind = (typeof KINDS)[number]

const PASSWORD = 'correct horse battery'
const RUNS = 1_000
const AT_ONCE = 50
const STEPS = 3
const RESUMED = 200
/** `waiting=500` tries the bench out. */
const WAITING = Number(Bun.argv.find((arg) => arg.startsWith('waiting='))?.slice('waiting='.length) ?? 10_000)

/** Durable runs: what a step costs beside the same rows written by hand, and what runs cost that only wait. */
export async function benchDurable(command: string[]) {
  const rates = []
  const waits = []
  for (const kind of KINDS) {
    rates.push({ database: kind, ...(await throughput(command, kind)), 'by hand runs/s': await byHand(kind) })
    waits.push({ database: kind, ...(await waiting(command, kind)) })
  }
  table(
    `${RUNS} runs of ${STEPS} steps over HTTP, ${AT_ONCE} at once; the same rows by hand, without HTTP`,
    rates,
  )
  table(`${WAITING} runs that wait for a person`, waits)
}

async function install(command: string[], kind: Kind) {
  const dir = emptyFolder()
  const env = {
    ...bareEnvironment(dir),
    SERVICE_SECRET_KEY: 'a key for benches',
    SERVICE_DURABLE: 'true',
    SERVICE_CONTROL_PLANE_PORT: String(await freePort()),
    DATABASE_URL: kind === 'postgres' ? await freshPostgresDatabase() : `sqlite:${dir}/tycho.db`,
  }
  const serve = () =>
    startTycho({ command, args: ['serve', '--planes', 'control', '--log-level', 'warn'], env })
  let tycho = await serve()
  let token = ''
  // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
  const call = async (method: string, path: string, body?: unknown): Promise<any> => {
    const answer = await fetch(tycho.urls.control + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return answer.json()
  }
  ;({ token } = await call('POST', '/auth/setup', { username: 'bench', password: PASSWORD }))
  return {
    call,
    databaseUrl: env.DATABASE_URL,
    residentMiB: () =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${tycho.pid}/status`, 'utf8'))![1]) / 1024,
    async restart() {
      await tycho.end()
      const startedAt = performance.now()
      tycho = await serve()
      return performance.now() - startedAt
    },
    [Symbol.asyncDispose]: async () => void (await tycho.end('SIGKILL')),
  }
}

type Install = Awaited<ReturnType<typeof install>>

async function throughput(command: string[], kind: Kind) {
  await using tycho = await install(command, kind)
  const steps = Array.from({ length: STEPS }, (_, index) =>
    node(`s${index}`, 'tool', { config: { tool: 'echo', args: { value: 'x'.repeat(200) } } }),
  )
  const ids = ['in', ...steps.map(({ id }) => id), 'end']
  const edges = ids.slice(1).map((id, index) => `${ids[index]}.out>${id}.in`)
  const ir = graph([node('in', 'input'), ...steps, node('end', 'output')], edges, { id: 'agent.bench' })
  await tycho.call('POST', '/agents', { ir })
  await runAll(tycho, 100)
  const seconds = await runAll(tycho, RUNS)
  await using database = openDatabase(tycho.databaseUrl)
  const spans = await database.db
    .selectFrom('spans')
    .select(({ eb, ref }) => eb(ref('end_ns'), '-', ref('start_ns')).as('ns'))
    .where('node_type', '=', 'tool')
    .execute()
  const ms = spans.map(({ ns }) => Number(ns) / 1_000_000)
  return {
    'runs/s': Math.round(RUNS / seconds),
    'step p50 ms': round(quantile(ms, 0.5)),
    'step p99 ms': round(quantile(ms, 0.99)),
  }
}

/** Seconds from the first request until the last run has ended. */
async function runAll(tycho: Install, runs: number): Promise<number> {
  const startedAt = performance.now()
  let left = runs
  const one = async () => {
    while (left-- > 0) await tycho.call('POST', '/agents/agent.bench/durable-runs', { input: 'x' })
  }
  await Promise.all(Array.from({ length: AT_ONCE }, one))
  await using database = openDatabase(tycho.databaseUrl)
  while (await anyLeft(database.db)) await Bun.sleep(5)
  return (performance.now() - startedAt) / 1000
}

const anyLeft = async (db: ReturnType<typeof openDatabase>['db']) =>
  (await db.selectFrom('durable_runs').select('run_id').limit(1).executeTakeFirst()) !== undefined

/** The limit: the rows of a run written one after the other, a commit for each step, with nothing around them. */
async function byHand(kind: Kind): Promise<number> {
  const url = kind === 'postgres' ? await freshPostgresDatabase() : `sqlite:${emptyFolder()}/hand.db`
  await using database = openDatabase(url)
  const { db } = database
  await migrate(db)
  const startedAt = performance.now()
  let left = RUNS
  async function one() {
    while (left-- > 0) {
      const id = newId()
      const at = Date.now()
      const run = {
        id,
        model: '',
        runtime: 'durable',
        capture_level: 'full',
        created_at: at,
        updated_at: at,
      } as const
      await durably(db, async (tx) => {
        await tx
          .insertInto('runs')
          .values({ ...run, status: 'created' })
          .execute()
        const row = { run_id: id, state: 'running', epoch: 1, wake_at: at, interp_version: 1 } as const
        await tx.insertInto('durable_runs').values(row).execute()
      })
      for (let step = 0; step < STEPS; step++) {
        const row = { run_id: id, key: `s${step}`, output: 'x'.repeat(200), created_at: at }
        await durably(db, (tx) => tx.insertInto('run_steps').values(row).execute())
      }
      await durably(db, async (tx) => {
        await tx.updateTable('runs').set({ status: 'completed', output: 'x' }).where('id', '=', id).execute()
        await tx.deleteFrom('durable_runs').where('run_id', '=', id).execute()
      })
    }
  }
  await Promise.all(Array.from({ length: kind === 'postgres' ? 10 : 1 }, one))
  return Math.round(RUNS / ((performance.now() - startedAt) / 1000))
}

async function waiting(command: string[], kind: Kind) {
  await using tycho = await install(command, kind)
  const edges = ['in.out>ask.in', 'ask.out>out.in']
  const ir = graph([node('in', 'input'), node('ask', 'human'), node('out', 'output')], edges, {
    id: 'agent.wait',
  })
  await tycho.call('POST', '/agents', { ir })
  const before = tycho.residentMiB()
  const ids: string[] = []
  const enqueue = async () => {
    while (ids.length < WAITING)
      ids.push((await tycho.call('POST', '/agents/agent.wait/durable-runs', { input: 1 })).run_id)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, enqueue))
  await using database = openDatabase(tycho.databaseUrl)
  const notThere = () =>
    database.db.selectFrom('durable_runs').select('run_id').where('state', '<>', 'waiting').limit(1)
  while ((await notThere().execute()).length > 0) await Bun.sleep(100)
  const after = tycho.residentMiB()
  const startMs = await tycho.restart()
  const samples: number[] = []
  for (const id of ids.slice(0, RESUMED)) {
    const startedAt = performance.now()
    await tycho.call('POST', `/runs/${id}/resume`, { input: 1 })
    while ((await tycho.call('GET', `/runs/${id}`)).status !== 'completed') await Bun.sleep(1)
    samples.push(performance.now() - startedAt)
  }
  return {
    'MiB before': Math.round(before),
    'MiB waiting': Math.round(after),
    'MiB after a restart': Math.round(tycho.residentMiB()),
    'restart ms': Math.round(startMs),
    'answer to end p50 ms': round(quantile(samples, 0.5)),
    'p99 ms': round(quantile(samples, 0.99)),
  }
}
