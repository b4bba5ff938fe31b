import { graph, node } from '../support/graphs'
import { runsByHand } from './durable-by-hand'
import { freshDatabase, type Install, install, KINDS, type Kind } from './durable-install'
import type { Measured } from './loops'
import { dbos, installPeers } from './peers'
import { markdown, quantile, round } from './statistics'

export const STEPS = 3
export const RESULT = 'x'.repeat(200)
const ROUNDS = 3
const WARM_UP_RUNS = 200
/** One at a time says what a step costs, many at once what comes through. */
const LOADS = [
  { atOnce: 1, runs: 60 },
  { atOnce: 50, runs: 600 },
] as const
/** Short where the time of many is taken; where one is, looking must not take part of the machine. */
const POLL_MS = { many: 2, one: 20 }

type Way = (load: (typeof LOADS)[number]) => Promise<Measured>

/** Runs of three steps, whose ways to be done take turns in each round. */
export async function durableRates(command: string[]) {
  installPeers()
  await using cleanup = new AsyncDisposableStack()
  const ways = new Map<string, Way>()
  for (const kind of KINDS) {
    const tycho = cleanup.use(await install(command, kind))
    await prepare(tycho)
    const byHand = cleanup.use(await runsByHand(await freshDatabase(kind), kind))
    ways.set(`Tycho, ${named(kind)}`, (load) => runsOf(tycho, load))
    ways.set(`the same rows by hand, ${named(kind)}`, ({ atOnce, runs }) => byHand.run(runs, atOnce))
  }
  const dbosDatabase = await freshDatabase('postgres')
  ways.set('DBOS, Postgres', async ({ atOnce, runs }) => dbos(dbosDatabase, STEPS, runs, atOnce))

  const measured = new Map([...ways.keys()].map((name) => [name, LOADS.map((): Measured[] => [])]))
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, way] of ways)
      for (const [index, load] of LOADS.entries()) measured.get(name)![index]!.push(await way(load))
  }
  markdown([...measured].map(([name, [one, many]]) => rowOf(name, one!, many!)))
}

const named = (kind: Kind) => (kind === 'sqlite' ? 'SQLite' : 'Postgres')

function rowOf(name: string, one: Measured[], many: Measured[]) {
  const alone = one.flatMap(({ samples }) => samples)
  const crowded = many.flatMap(({ samples }) => samples)
  const rates = many.map(({ seconds }) => LOADS[1].runs / seconds)
  const ms = (samples: number[], share: number) => `${round(quantile(samples, share))} ms`
  return {
    [`${STEPS} steps`]: name,
    'a step p50, 1 run at once': ms(alone, 0.5),
    p99: ms(alone, 0.99),
    [`runs/s, ${LOADS[1].atOnce} at once`]: String(Math.round(quantile(rates, 0.5))),
    'a step p50': ms(crowded, 0.5),
    'p99 ': ms(crowded, 0.99),
  }
}

async function prepare(tycho: Install) {
  const steps = Array.from({ length: STEPS }, (_, index) =>
    node(`s${index}`, 'tool', { config: { tool: 'echo', args: { value: RESULT } } }),
  )
  const ids = ['in', ...steps.map(({ id }) => id), 'end']
  const edges = ids.slice(1).map((id, index) => `${ids[index]}.out>${id}.in`)
  const ir = graph([node('in', 'input'), ...steps, node('end', 'output')], edges, { id: 'agent.bench' })
  await tycho.call('POST', '/agents', { ir })
  await runAll(tycho, WARM_UP_RUNS, 50)
}

/** A step is as long as its span: the tool only gives back what it got. */
async function runsOf(tycho: Install, { runs, atOnce }: (typeof LOADS)[number]): Promise<Measured> {
  const since = Date.now()
  const seconds = await runAll(tycho, runs, atOnce)
  const spans = await tycho.db
    .selectFrom('spans')
    .select(({ eb, ref }) => eb(ref('end_ns'), '-', ref('start_ns')).as('ns'))
    .where('node_type', '=', 'tool')
    .where('created_at', '>=', since)
    .execute()
  return { samples: spans.map(({ ns }) => Number(ns) / 1_000_000), seconds }
}

/** Seconds from the first request until the last run has ended. */
async function runAll(tycho: Install, runs: number, atOnce: number): Promise<number> {
  let left = runs
  const startedAt = performance.now()
  const ended = async () => {
    while (await tycho.isAtWork()) await Bun.sleep(atOnce === 1 ? POLL_MS.one : POLL_MS.many)
  }
  const one = async () => {
    while (left-- > 0) {
      await tycho.call('POST', '/agents/agent.bench/durable-runs', { input: 'x' })
      if (atOnce === 1) await ended()
    }
  }
  await Promise.all(Array.from({ length: atOnce }, one))
  await ended()
  return (performance.now() - startedAt) / 1000
}
