import { openDatabase } from '#kernel/db/open'
import { type EffectServer, effectServer } from '../support/effects'
import { freePort, freshPostgresDatabase } from '../support/postgres'
import { bareEnvironment, emptyFolder, startTycho } from '../support/process'
import { childOf, randomGraph } from '../support/random-graphs'

const CALL_MS = 5_000
/** From one kill to the next, so that it hits anything: a start, a commit, a wait. */
const FIRST_KILL_MS = 100
const KILL_SPREAD_MS = 500

interface Options {
  kind: 'sqlite' | 'postgres'
  seed: number
  graphs: number
  runs: number
  kills: number
  /** Workers beside the control plane, which are killed instead of it. */
  workers?: number
  /** SIGTERM is a rolling restart: then nothing at all may be done twice. */
  signal?: 'SIGKILL' | 'SIGTERM'
  log?: (text: string) => void
}

export interface CrashReport {
  runs: number
  /** Runs whose output is not that of the uninterrupted run. */
  wrong: string[]
  /** Steps that were on record when a process died, and were done again all the same. */
  repeated: string[]
  /** Effects that were asked for more often than crashes can explain: once, and once more for each. */
  excessive: string[]
  committedAtKills: number
  effects: number
  doneTwice: number
  seconds: number
}

/**
 * Runs of random graphs in real processes that are killed again and again. After each kill the database says what was
 * on record; none of that may be done again.
 */
export async function crash(options: Options): Promise<CrashReport> {
  const startedAt = performance.now()
  await using server = effectServer()
  await using install = await installed(options, server)
  const { documents } = install
  const expected = await install.uninterrupted()
  server.effects.clear()

  const ids = new Map<string, string>()
  const starting = (async () => {
    for (let index = 0; index < options.runs; index++) {
      const agent = documents[index % documents.length]!.id
      ids.set(await install.start(agent), agent)
    }
  })()
  const onRecord = await killing(options, install, server)
  await starting
  const wrong: string[] = []
  for (const [id, agent] of ids) {
    const { output, error } = await install.ended(id)
    if (output !== expected.get(agent)) wrong.push(`${agent} ${id}: ${output ?? error}`)
  }
  const asked = [...server.effects].map(([key, { asked }]) => ({ key, asked }))
  return {
    runs: ids.size,
    wrong,
    repeated: asked.filter(({ key, asked }) => asked > (onRecord.get(key) ?? asked)).map(({ key }) => key),
    excessive: asked.filter(({ asked }) => asked > 1 + options.kills).map(({ key }) => key),
    committedAtKills: onRecord.size,
    effects: asked.length,
    doneTwice: asked.filter(({ asked }) => asked > 1).length,
    seconds: (performance.now() - startedAt) / 1000,
  }
}

// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
type Call = (method: string, path: string, body?: unknown) => Promise<any>

/** An install with its agents, and a person who answers its gates. */
async function installed({ kind, seed, graphs, workers = 0 }: Options, server: EffectServer) {
  const dir = emptyFolder()
  const env: Record<string, string> = {
    ...bareEnvironment(dir),
    SERVICE_SECRET_KEY: 'a key for tests',
    SERVICE_ARTIFACT_DIR: `${dir}/artifacts`,
    SERVICE_CONTROL_PLANE_PORT: String(await freePort()),
    SERVICE_DURABLE: 'true',
    DATABASE_URL: kind === 'postgres' ? await freshPostgresDatabase() : `sqlite:${dir}/tycho.db`,
  }
  const serve = () => startTycho({ args: ['serve', '--planes', 'control', '--log-level', 'error'], env })
  const work = () => startTycho({ args: ['worker', '--log-level', 'error'], env })
  const processes = [await serve(), ...(await Promise.all(Array.from({ length: workers }, work)))]
  let token = ''

  /** Whoever calls while the process is dead, or not up yet, calls again. */
  const call: Call = async (method, path, body) => {
    for (;;) {
      const answer = await once(method, path, body).catch(() => null)
      if (answer && answer.error?.code !== 'starting') return answer
      await Bun.sleep(20)
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
  const documents = Array.from({ length: graphs }, (_, index) =>
    randomGraph(seed * 1_000 + index, server.url),
  )
  for (const ir of [childOf(server.url), ...documents]) await call('POST', '/agents', { ir })
  const over = new AbortController()
  const answering = answerGates(call, over.signal)

  async function start(agent: string): Promise<string> {
    const { run_id, error } = await call('POST', `/agents/${agent}/durable-runs`, { input: 'in' })
    if (!run_id) throw new Error(`${agent} was not started: ${JSON.stringify(error)}`)
    return run_id
  }

  async function ended(id: string): Promise<{ output: string | null; error: string | null }> {
    for (;;) {
      const run = await call('GET', `/runs/${id}`)
      if (run.status === 'completed' || run.status === 'failed') return run
      await Bun.sleep(50)
    }
  }

  return {
    documents,
    databaseUrl: env.DATABASE_URL!,
    start,
    ended,

    /** By agent, what comes of it when nothing happens. */
    async uninterrupted(): Promise<Map<string, string>> {
      const pairs = documents.map(async ({ id }) => {
        const { output, error } = await ended(await start(id))
        if (output === null) throw new Error(`${id} fails by itself: ${error}`)
        return [id, output] as const
      })
      return new Map(await Promise.all(pairs))
    },

    /** Ends one of those that do the work, and gives back what starts it again. */
    async kill(signal: NodeJS.Signals) {
      const index = workers > 0 ? 1 + Math.floor(Math.random() * workers) : 0
      await processes[index]!.end(signal)
      return async () => {
        processes[index] = await (index === 0 ? serve() : work())
      }
    },

    async [Symbol.asyncDispose]() {
      over.abort()
      await answering
      await Promise.all(processes.map((process) => process.end('SIGKILL')))
    },
  }
}

type Install = Awaited<ReturnType<typeof installed>>

/** By the key of each effect that was on record at a kill: how often it had been asked for until then. */
async function killing(
  { kills, signal = 'SIGKILL', log = () => {} }: Options,
  install: Install,
  server: EffectServer,
): Promise<Map<string, number>> {
  const onRecord = new Map<string, number>()
  for (let kill = 0; kill < kills; kill++) {
    await Bun.sleep(FIRST_KILL_MS + Math.random() * KILL_SPREAD_MS)
    const startAgain = await install.kill(signal)
    for (const key of await recordedSteps(install.databaseUrl)) {
      const asked = server.effects.get(key)?.asked
      if (asked !== undefined && !onRecord.has(key)) onRecord.set(key, asked)
    }
    log(`kill ${kill + 1}: ${onRecord.size} effects on record`)
    await startAgain()
  }
  return onRecord
}

/** Always answers the same, and leaves gates alone that end by themselves: so outcomes do not depend on who is faster. */
async function answerGates(call: Call, signal: AbortSignal) {
  while (!signal.aborted) {
    const { runs = [] } = await call('GET', '/runs?status=waiting&limit=200')
    await Promise.all(
      runs.map(async ({ id, awaiting_node: node }: { id: string; awaiting_node: string }) => {
        const { deadline } = await call('GET', `/runs/${id}/awaiting`)
        if (deadline === null) await call('POST', `/runs/${id}/resume`, { input: `answer of ${node}`, node })
      }),
    )
    await Bun.sleep(30)
  }
}

/** Idempotency keys of the steps that are on record now. */
async function recordedSteps(url: string): Promise<string[]> {
  await using database = openDatabase(url)
  const rows = await database.db.selectFrom('run_steps').select(['run_id', 'key']).execute()
  return rows.map(({ run_id, key }) => `${run_id}:${key}`)
}
