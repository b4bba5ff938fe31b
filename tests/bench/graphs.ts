import { parse } from '#graph/validate'
import { graph, node, shouting } from '../support/graphs'
import { bareEnvironment, emptyFolder, startTycho } from '../support/process'
import { quantile, round, table } from './statistics'

const PASSWORD = 'correct horse battery'
const WARM_UP_RUNS = 500
const MEASURE_MS = 8_000
const ARRIVALS_PER_S = 400
const LARGE = 1_000

/**
 * Graphs without a model: input → transform → output of a published agent, not streamed, traced in full, from one
 * client process; and what a thousand nodes take.
 */
export async function benchGraphs(command: string[]) {
  await using tycho = await startTycho({
    command,
    args: ['serve', '--log-level', 'warn'],
    env: bareEnvironment(emptyFolder()),
  })
  const { control } = tycho.urls as { control: string }
  const { token } = await post(`${control}/auth/setup`, '', { username: 'bench', password: PASSWORD })
  const ir = shouting({ id: 'agent.bench' })
  ir.nodes[1]!.config = { expr: '{"answer": "$in", "kind": "greeting"}' }
  await post(`${control}/agents`, token, { ir })
  const body = JSON.stringify({ input: 'hello', stream: false })
  const run = () => send(`${control}/agents/agent.bench/runs`, token, body)

  await Promise.all(Array.from({ length: 20 }, () => repeat(WARM_UP_RUNS / 20, run)))
  const rows = []
  for (const atOnce of [1, 60]) {
    const { samples, seconds } = await closedLoop(atOnce, MEASURE_MS, run)
    rows.push({
      load: `${atOnce} at once`,
      'runs/s': Math.round(samples.length / seconds),
      'p50 ms': round(quantile(samples, 0.5)),
      'p95 ms': round(quantile(samples, 0.95)),
    })
  }
  const { samples, seconds } = await openLoop(ARRIVALS_PER_S, MEASURE_MS, run)
  rows.push({
    load: `${ARRIVALS_PER_S} arrive a second`,
    'runs/s': Math.round(samples.length / seconds),
    'p50 ms': round(quantile(samples, 0.5)),
    'p95 ms': round(quantile(samples, 0.95)),
  })
  table('Runs of input → transform → output, SQLite, capture full', rows)
  await large(control, token)
}

async function large(control: string, token: string) {
  const steps = Array.from({ length: LARGE - 2 }, (_, index) =>
    node(`n${index}`, 'transform', { config: { expr: '{"value": "$in"}' } }),
  )
  const ids = ['in', ...steps.map(({ id }) => id), 'end']
  const ir = graph(
    [node('in', 'input'), ...steps, node('end', 'output')],
    ids.slice(1).map((id, index) => `${ids[index]}.out>${id}.in`),
    { id: 'agent.large' },
  )
  // Each step wraps its input once more; flat values keep this about the nodes.
  for (const step of steps) step.config = { expr: '"$in"' }
  const text = JSON.stringify(ir)
  const validated = await timed(20, async () => void parse(JSON.parse(text)))
  const body = JSON.stringify({ ir, input: 'x', stream: false })
  const ran = await timed(10, () => send(`${control}/graphs/runs`, token, body))
  table(`A graph of ${LARGE} nodes in a row`, [
    { measure: 'validated, ms', p50: round(quantile(validated, 0.5)), max: round(Math.max(...validated)) },
    { measure: 'run inline, ms', p50: round(quantile(ran, 0.5)), max: round(Math.max(...ran)) },
  ])
}

async function closedLoop(atOnce: number, forMs: number, work: () => Promise<unknown>) {
  const samples: number[] = []
  const startedAt = performance.now()
  const worker = async () => {
    while (performance.now() - startedAt < forMs) samples.push(...(await timed(1, work)))
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return { samples, seconds: (performance.now() - startedAt) / 1000 }
}

/** Work that comes whether or not what came before is done. */
async function openLoop(perSecond: number, forMs: number, work: () => Promise<unknown>) {
  const pending: Promise<number[]>[] = []
  const startedAt = performance.now()
  const elapsed = () => performance.now() - startedAt
  while (elapsed() < forMs) {
    while (pending.length < (elapsed() / 1000) * perSecond) pending.push(timed(1, work))
    await Bun.sleep(1)
  }
  return { samples: (await Promise.all(pending)).flat(), seconds: elapsed() / 1000 }
}

async function timed(times: number, work: () => Promise<unknown>): Promise<number[]> {
  const samples: number[] = []
  for (let i = 0; i < times; i++) {
    const startedAt = performance.now()
    await work()
    samples.push(performance.now() - startedAt)
  }
  return samples
}

async function repeat(times: number, work: () => Promise<unknown>) {
  for (let i = 0; i < times; i++) await work()
}

const post = async (url: string, token: string, body: unknown) =>
  JSON.parse(await send(url, token, JSON.stringify(body)))

async function send(url: string, token: string, body: string): Promise<string> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
    body,
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text}`)
  return text
}
