import { openDatabase } from '#kernel/db/open'
import { freePort, freshPostgresDatabase } from '../support/postgres'
import { bareEnvironment, emptyFolder, startTycho, type TychoProcess } from '../support/process'

const CALL_MS = 5_000
/** Between two looks at what waits for a person. */
const LOOK_MS = 30
/** Nobody stays away for so long, and where no run ends for so long, on any machine, they stand still. */
const PATIENCE_MS = 60_000

export interface InstallOptions {
  kind: 'sqlite' | 'postgres'
  /** Processes beside the control plane. */
  workers?: number
  /** Where the database is, if not a fresh one. */
  databaseUrl?: string
  env?: Record<string, string>
  logLevel?: 'error' | 'warn'
}

// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
export type Call = (method: string, path: string, body?: unknown) => Promise<any>

export type Install = Awaited<ReturnType<typeof durableInstall>>

/** An install with durable mode in processes of its own: a control plane, and on Postgres workers. */
export async function durableInstall({
  kind,
  workers = 0,
  databaseUrl,
  env: more = {},
  logLevel = 'error',
}: InstallOptions) {
  const dir = emptyFolder()
  const env: Record<string, string> = {
    ...bareEnvironment(dir),
    SERVICE_SECRET_KEY: 'a key for tests',
    SERVICE_ARTIFACT_DIR: `${dir}/artifacts`,
    SERVICE_CONTROL_PLANE_PORT: String(await freePort()),
    SERVICE_DURABLE: 'true',
    DATABASE_URL:
      databaseUrl ?? (kind === 'postgres' ? await freshPostgresDatabase() : `sqlite:${dir}/tycho.db`),
    ...more,
  }
  const serve = () => startTycho({ args: ['serve', '--planes', 'control', '--log-level', logLevel], env })
  const work = () => startTycho({ args: ['worker', '--log-level', logLevel], env })
  const ever: TychoProcess[] = []
  const begin = async (index: number) => {
    const process = await (index === 0 ? serve() : work())
    ever.push(process)
    return process
  }
  const processes: TychoProcess[] = [await begin(0)]
  for (let index = 1; index <= workers; index++) processes.push(await begin(index))
  let token = ''

  /** Whoever calls while the process is dead, or not up yet, calls again. */
  const call: Call = async (method, path, body) => {
    for (const deadline = performance.now() + PATIENCE_MS; ; await Bun.sleep(20)) {
      const answer = await once(method, path, body).catch((error) => error)
      const code = answer.error?.code
      if (!(answer instanceof Error) && code !== 'starting' && code !== 'internal_error') return answer
      if (performance.now() > deadline) throw new Error(`${method} ${path}: ${answer.message ?? code}`)
    }
  }
  const once: Call = async (method, path, body) => {
    const response = await fetch(processes[0]!.urls.control + path, {
      method,
      // A connection to a process that was killed may never say so.
      signal: AbortSignal.timeout(CALL_MS),
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return response.json()
  }
  ;({ token } = await call('POST', '/auth/setup', { username: 'ada', password: 'correct horse battery' }))

  return {
    dir,
    databaseUrl: env.DATABASE_URL!,
    processes,
    call,

    async publish(...documents: object[]) {
      for (const ir of documents) await call('POST', '/agents', { ir })
    },

    async start(agent: string, input: unknown = 'in'): Promise<string> {
      const { run_id, error } = await call('POST', `/agents/${agent}/durable-runs`, { input })
      if (!run_id) throw new Error(`${agent} was not started: ${JSON.stringify(error)}`)
      return run_id
    },

    /** Resolves once no run is left that has not ended, and tells what became of each. */
    async settled() {
      await using database = openDatabase(env.DATABASE_URL!)
      const runs = database.db.selectFrom('runs')
      const unfinished = () =>
        runs
          .select((is) => is.fn.countAll<number>().as('count'))
          .where('status', 'not in', ['completed', 'failed'])
          .executeTakeFirstOrThrow()
      const standing = () => database.db.selectFrom('durable_runs').selectAll().limit(3).execute()
      let left = Number.POSITIVE_INFINITY
      for (let deadline = performance.now() + PATIENCE_MS; left > 0; await Bun.sleep(LOOK_MS)) {
        // The program may hold the file, or Postgres be down.
        const count = Number((await unfinished().catch(() => null))?.count ?? left)
        if (count < left) deadline = performance.now() + PATIENCE_MS
        else if (performance.now() > deadline)
          throw new Error(`${left} runs stand still: ${JSON.stringify(await standing())}`)
        left = count
      }
      return await runs.select(['id', 'graph_id', 'trigger_id', 'output', 'error']).execute()
    },

    /** Lines with this text that any process has logged, dead or alive. */
    logged: (text: string) => ever.reduce((sum, process) => sum + process.output().split(text).length - 1, 0),

    /** The process that works on most runs right now; any, where none does. */
    async busiest(): Promise<number> {
      if (processes.length === 1) return 0
      await using database = openDatabase(env.DATABASE_URL!)
      const row = await database.db
        .selectFrom('durable_runs')
        .select(['executor', (is) => is.fn.countAll<number>().as('count')])
        .where('state', '=', 'running')
        .groupBy('executor')
        .orderBy('count', 'desc')
        .executeTakeFirst()
      const index = processes.findIndex(({ pid }) => row?.executor?.split(':')[1] === String(pid))
      return index >= 0 ? index : Math.floor(Math.random() * processes.length)
    },

    /** Ends a process, and gives back what starts it again. */
    async kill(index: number, signal: NodeJS.Signals = 'SIGKILL') {
      await processes[index]!.end(signal)
      return async () => {
        processes[index] = await begin(index)
      }
    },

    async [Symbol.asyncDispose]() {
      await Promise.all(processes.map((process) => process.end('SIGKILL')))
    },
  }
}

/**
 * A person who answers every gate, always the same, and leaves those alone that end by themselves: so outcomes do not
 * depend on who is faster.
 */
export async function answerGates(call: Call, signal: AbortSignal) {
  while (!signal.aborted) {
    const { runs = [] } = await call('GET', '/runs?status=waiting&limit=200')
    await Promise.all(
      runs.map(async ({ id, awaiting_node: node }: { id: string; awaiting_node: string }) => {
        const { deadline } = await call('GET', `/runs/${id}/awaiting`)
        if (deadline === null) await call('POST', `/runs/${id}/resume`, { input: `answer of ${node}`, node })
      }),
    )
    await Bun.sleep(LOOK_MS)
  }
}
