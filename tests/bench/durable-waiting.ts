import { graph, node } from '../support/graphs'
import { type Install, install, KINDS, type Kind } from './durable-install'
import { timed } from './loops'
import { markdown, quantile, round } from './statistics'

const AT_ONCE = 50
const RESUMED = 200
const LISTED = 30
const AT_REST_MS = 5_000
/** `waiting=500` tries the bench out. */
const WAITING = Number(Bun.argv.find((arg) => arg.startsWith('waiting='))?.slice('waiting='.length) ?? 10_000)

/** Runs that wait for a person: what they cost, and how soon one goes on. */
export async function durableWaiting(command: string[]) {
  const columns = []
  for (const kind of KINDS) columns.push(await waiting(command, kind))
  const [sqlite, postgres] = columns
  markdown(
    Object.entries(sqlite!).map(([what, value]) => ({
      [`${WAITING.toLocaleString('en')} runs at a gate`]: what,
      SQLite: value,
      Postgres: postgres![what]!,
    })),
  )
}

async function waiting(command: string[], kind: Kind): Promise<Record<string, string>> {
  await using tycho = await install(command, kind)
  const edges = ['in.out>ask.in', 'ask.out>out.in']
  const ir = graph([node('in', 'input'), node('ask', 'human'), node('out', 'output')], edges, {
    id: 'agent.wait',
  })
  await tycho.call('POST', '/agents', { ir })
  const emptyStartMs = await tycho.restart()
  const emptyMiB = tycho.residentMiB()

  const startedAt = performance.now()
  const ids = await begin(tycho)
  const seconds = (performance.now() - startedAt) / 1000
  const fullMiB = tycho.residentMiB()

  const startMs = await tycho.restart()
  const startedMiB = tycho.residentMiB()
  const before = tycho.cpuMs()
  await Bun.sleep(AT_REST_MS)
  const restMs = (tycho.cpuMs() - before) / (AT_REST_MS / 1000)
  const listed = await timed(LISTED, () => tycho.call('GET', '/runs?status=waiting'))
  const resumed: number[] = []
  for (const id of ids.slice(0, RESUMED)) resumed.push(...(await timed(1, () => goOn(tycho, id))))

  const ms = (samples: number[], share: number) => `${round(quantile(samples, share), 1)} ms`
  return {
    'brought there': `${Math.round(WAITING / seconds)}/s`,
    'memory: none waits, all were brought there': `${Math.round(emptyMiB)}, ${Math.round(fullMiB)} MiB`,
    'memory after a restart with all of them': `${Math.round(startedMiB)} MiB`,
    'start: none waits, all wait': `${Math.round(emptyStartMs)}, ${Math.round(startMs)} ms`,
    'processor time at rest': `${round(restMs, 1)} ms a second`,
    '`GET /runs?status=waiting` p50, p99': `${ms(listed, 0.5)}, ${ms(listed, 0.99)}`,
    'from the answer to the end of the run p50, p99': `${ms(resumed, 0.5)}, ${ms(resumed, 0.99)}`,
  }
}

/** The ids of as many runs, when all of them wait. */
async function begin(tycho: Install): Promise<string[]> {
  const ids: string[] = []
  let left = WAITING
  const enqueue = async () => {
    while (left-- > 0)
      ids.push((await tycho.call('POST', '/agents/agent.wait/durable-runs', { input: 1 })).run_id)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, enqueue))
  while (await tycho.isAtWork()) await Bun.sleep(20)
  return ids
}

async function goOn(tycho: Install, id: string) {
  await tycho.call('POST', `/runs/${id}/resume`, { input: 1 })
  while ((await tycho.call('GET', `/runs/${id}`)).status !== 'completed') await Bun.sleep(1)
}
