import { openDatabase } from '#kernel/db/open'
import { type EffectServer, effectServer } from '../support/effects'
import { childOf, randomGraph } from '../support/random-graphs'
import { answerGates, durableInstall, type Install } from './durable-install'
import { type CommitTrap, commitTrap } from './in-commit'

/** How many callers start runs at the same time, and how long each pauses at most. */
const CALLERS = 4
const CALLER_PAUSE_MS = 150

interface Options {
  kind: 'sqlite' | 'postgres'
  seed: number
  graphs: number
  /** At least so many; as long as there are kills to come, more are started. */
  runs: number
  kills: number
  /** From the start of the processes to the kill, at least and at most, so that it hits anything. */
  betweenMs?: [number, number]
  /** Workers beside the control plane. */
  workers?: number
  /** SIGTERM is a rolling restart: then what is in flight ends first. */
  signal?: 'SIGKILL' | 'SIGTERM'
  log?: (text: string) => void
}

export interface CrashReport {
  graphs: number
  runs: number
  /** Kills; and those of them that hit a process while it committed. */
  kills: number
  inCommit: number
  /** Runs whose output is not that of the uninterrupted run. */
  wrong: string[]
  /** Steps that were on record when a process died, and were done again all the same. */
  repeated: string[]
  /** Effects that were asked for more often than crashes can explain: once, and once more for each that came after. */
  excessive: string[]
  committedAtKills: number
  effects: number
  doneTwice: number
  /** Runs that went to another owner within a step, as the log has it: one that fell silent, or ran out of time to end. */
  interrupted: number
  seconds: number
}

/**
 * Runs of random graphs in real processes that are killed again and again, every other time in the middle of a commit.
 * After each kill the database says what was on record; none of that may be done again.
 */
export async function crash(options: Options): Promise<CrashReport> {
  const startedAt = performance.now()
  const { kind, seed, graphs } = options
  await using server = effectServer()
  await using install = await durableInstall({ ...options, logLevel: 'warn' })
  await using trap = await commitTrap(kind, install.databaseUrl)
  const documents = Array.from({ length: graphs }, (_, index) =>
    randomGraph(seed * 1_000 + index, server.url),
  )
  await install.publish(childOf(server.url), ...documents)
  const over = new AbortController()
  const answering = answerGates(install.call, over.signal)

  await together(documents, ({ id }) => install.start(id))
  const expected = new Map((await install.settled()).map(({ graph_id, output }) => [graph_id, output]))
  const failing = [...expected].filter(([, output]) => output === null)
  if (failing.length > 0) throw new Error(`These fail by themselves: ${failing}`)
  server.effects.clear()

  const killing = { isOver: false }
  const started = startRuns(options, install, documents, killing)
  const { onRecord, inCommit } = await kill(options, install, server, trap)
  killing.isOver = true
  await started
  const runs = await install.settled()
  over.abort()
  await answering
  const wrong = runs.filter(({ graph_id, output }) => output === null || output !== expected.get(graph_id))
  const asked = [...server.effects].map(([key, effect]) => ({ key, ...effect }))
  return {
    graphs,
    runs: runs.length - graphs,
    kills: options.kills,
    inCommit,
    wrong: wrong.map(({ graph_id, id, output, error }) => `${graph_id} ${id}: ${output ?? error}`),
    repeated: asked.filter(({ key, asked }) => asked > (onRecord.get(key) ?? asked)).map(({ key }) => key),
    excessive: asked
      .filter(({ key, asked }) => asked > 1 + options.kills - (server.since.get(key) ?? 0))
      .map(({ key }) => key),
    committedAtKills: onRecord.size,
    effects: asked.length,
    doneTwice: asked.filter(({ asked }) => asked > 1).length,
    interrupted: install.logged('fell silent') + install.logged('handed back within a step'),
    seconds: (performance.now() - startedAt) / 1000,
  }
}

/** A few at a time. */
async function together<T>(items: readonly T[], work: (item: T) => Promise<unknown>) {
  const left = [...items]
  const one = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: CALLERS }, one))
}

/** Until every kill has hit somebody at work. */
async function startRuns(
  { runs }: Options,
  install: Install,
  documents: readonly { id: string }[],
  killing: { isOver: boolean },
) {
  let started = 0
  const one = async () => {
    while (started < runs || !killing.isOver) {
      await install.start(documents[started++ % documents.length]!.id)
      await Bun.sleep(Math.random() * CALLER_PAUSE_MS)
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, one))
}

/** By the key of each effect that was on record at a kill: how often it had been asked for until then. */
async function kill(
  { kills, signal = 'SIGKILL', betweenMs: [least, most] = [100, 600], log = () => {} }: Options,
  install: Install,
  server: EffectServer,
  trap: CommitTrap,
) {
  const onRecord = new Map<string, number>()
  let inCommit = 0
  for (let kill = 1; kill <= kills; kill++) {
    await Bun.sleep(least + Math.random() * (most - least))
    const victim = await install.busiest()
    let startAgain = async () => {}
    const act = async () => {
      startAgain = await install.kill(victim, signal)
    }
    if (kill % 2 === 0 && signal === 'SIGKILL') inCommit += Number(await trap.within(act))
    else await act()
    for (const key of await recordedSteps(install.databaseUrl)) {
      const asked = server.effects.get(key)?.asked
      if (asked !== undefined && !onRecord.has(key)) onRecord.set(key, asked)
    }
    server.era = kill
    log(`kill ${kill}: ${onRecord.size} effects on record`)
    await startAgain()
  }
  return { onRecord, inCommit }
}

/** Idempotency keys of the steps that are on record now. */
async function recordedSteps(url: string): Promise<string[]> {
  await using database = openDatabase(url)
  const rows = await database.db.selectFrom('run_steps').select(['run_id', 'key']).execute()
  return rows.map(({ run_id, key }) => `${run_id}:${key}`)
}
