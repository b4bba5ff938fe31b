import { openDatabase } from '#kernel/db/open'
import { effectServer } from '../support/effects'
import { freePort, freshPostgresDatabase } from '../support/postgres'
import { bareEnvironment, emptyFolder, startTycho, type TychoProcess } from '../support/process'
import { childOf, randomGraph } from '../support/random-graphs'

const CALL_MS = 5_000

// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
type Call = (method: string, path: string, body?: unknown) => Promise<any>

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
  /** Steps that were on record when the process died, and were done again all the same. */
  repeated: string[]
  /** Effects that were asked for more often than crashes can explain: once, and once more for each. */
  excessive: string[]
  committedAtKills: number
  effects: number
  doneTwice: number
  seconds: number
}

/**
 * Runs of random graphs in a real process that is killed again and again. After each kill the database says what was on
 * record; none of that may be done again.
 */
export async function crash({
  kind,
  seed,
  graphs,
  runs,
  kills,
  workers = 0,
  signal = 'SIGKILL',
  log = () => {},
}: Options): Promise<CrashReport> {
  const startedAt = performance.now()
  await using server = effectServer()
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
  let control = await serve()
  const team: TychoProcess[] = await Promise.all(Array.from({ length: workers }, work))
  let token = ''

  const call: Call = async (method, path, body) => {
    const response = await fetch(control.urls.control + path, {
      method,
      // A connection to a process that was killed may never say so.
      signal: AbortSignal.timeout(CALL_MS),
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return response.json()
  }
  /** Whoever calls while the process is dead, or not up yet, calls again. */
  const insist: Call = async (method, path, body) => {
    for (;;) {
      const answer = await call(method, path, body).catch(() => null)
      if (answer && answer.error?.code !== 'starting') return answer
      await Bun.sleep(20)
    }
  }

  ;({ token } = await call('POST', '/auth/setup', { username: 'ada', password: 'correct horse battery' }))
  const documents = Array.from({ length: graphs }, (_, index) =>
    randomGraph(seed * 1_000 + index, server.url),
  )
  for (const ir of [childOf(server.url), ...documents]) {
    const { error } = await call('POST', '/agents', { ir })
    if (error) throw new Error(`${ir.id}: ${error.message}`)
  }

  const over = new AbortController()
  const answering = answerGates(insist, over.signal)
  const start = async (agent: string): Promise<string> => {
    const { run_id, error } = await insist('POST', `/agents/${agent}/durable-runs`, { input: 'in' })
    if (!run_id) throw new Error(`${agent} was not started: ${JSON.stringify(error)}`)
    return run_id
  }
  const ended = async (id: string) => {
    for (;;) {
      const run = await insist('GET', `/runs/${id}`)
      if (run.status === 'completed' || run.status === 'failed')
        return run as { output: string | null; error: string | null }
      await Bun.sleep(50)
    }
  }

  // What comes of each graph when nothing happens to it.
  const expected = new Map<string, string>()
  for (const [index, id] of (await Promise.all(documents.map(({ id }) => start(id)))).entries()) {
    const { output, error } = await ended(id)
    if (output === null) throw new Error(`${documents[index]!.id} fails by itself: ${error}`)
    expected.set(documents[index]!.id, output)
  }
  server.effects.clear()
  log(`${graphs} graphs, ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)

  const ids = new Map<string, string>()
  const starting = (async () => {
    for (let index = 0; index < runs; index++) {
      const agent = documents[index % graphs]!.id
      ids.set(await start(agent), agent)
    }
  })()

  const repeated = new Set<string>()
  const frozen = new Map<string, number>()
  for (let kill = 0; kill < kills; kill++) {
    await Bun.sleep(100 + Math.random() * 500)
    const victim = workers > 0 ? Math.floor(Math.random() * workers) : -1
    await (victim < 0 ? control : team[victim]!).end(signal)
    // What was asked for until now, of the steps that are on record: not once more.
    for (const key of await recordedSteps(env.DATABASE_URL!)) {
      const asked = server.effects.get(key)?.asked
      if (asked !== undefined && !frozen.has(key)) frozen.set(key, asked)
    }
    log(`kill ${kill + 1}: ${frozen.size} effects on record`)
    if (victim < 0) control = await serve()
    else team[victim] = await work()
  }
  await starting
  const wrong: string[] = []
  for (const [id, agent] of ids) {
    const { output, error } = await ended(id)
    if (output !== expected.get(agent)) wrong.push(`${agent} ${id}: ${output ?? error}`)
  }
  over.abort()
  await answering
  for (const [key, asked] of frozen) if (server.effects.get(key)!.asked > asked) repeated.add(key)
  const excessive = [...server.effects].filter(([, { asked }]) => asked > 1 + kills).map(([key]) => key)
  const doneTwice = [...server.effects.values()].filter(({ asked }) => asked > 1).length
  await Promise.all([control, ...team].map((process) => process.end('SIGKILL')))
  return {
    runs: ids.size,
    wrong,
    repeated: [...repeated],
    excessive,
    committedAtKills: frozen.size,
    effects: server.effects.size,
    doneTwice,
    seconds: (performance.now() - startedAt) / 1000,
  }
}

/** A person who answers whatever is asked, always the same. */
async function answerGates(call: Call, signal: AbortSignal) {
  while (!signal.aborted) {
    const { runs = [] } = await call('GET', '/runs?status=waiting&limit=200')
    await Promise.all(
      runs
        // A gate that ends by itself is left alone, so that the outcome does not depend on who is faster.
        .filter(({ awaiting_node }: { awaiting_node: string }) => awaiting_node)
        .map(async ({ id, awaiting_node: node }: { id: string; awaiting_node: string }) => {
          const { deadline } = await call('GET', `/runs/${id}/awaiting`)
          if (deadline === null)
            await call('POST', `/runs/${id}/resume`, { input: `answer of ${node}`, node })
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
