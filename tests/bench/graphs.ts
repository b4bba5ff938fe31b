import { parse } from '#graph/validate'
import { graph, node } from '../support/graphs'
import { freshPostgresDatabase, stopPostgres } from '../support/postgres'
import { benchPlane, type Send } from './client'
import { closedLoop, ms, openLoop, repeat, summary, timed } from './loops'
import { engineAlone, installPeers, langGraph } from './peers'
import { markdown, quantile, round } from './statistics'
import { INPUT, threeNodes } from './three-nodes'

const WARM_UP_RUNS = 500
const MEASURE_MS = 8_000
const AT_ONCE = [1, 60]
const ARRIVALS_PER_S = 400
const LARGE = 1_000
const CHAINS = [10, 250, 500, 750, 1_000]
/** The root has a span too. */
const TRACED_NODES = 9_999

/**
 * Graphs without a model, not streamed, traced in full, from one client process; beside the same work in LangGraph.js;
 * and what a node, a thousand nodes and ten thousand spans take.
 */
export async function benchGraphs(command: string[]) {
  {
    await using plane = await benchPlane(command)
    const tycho = await threeNodeRuns(plane.send)
    besidePeers(tycho)
    await perNode(plane.send)
    await largeGraph(plane.send)
  }
  await longTraces(command)
}

async function threeNodeRuns(send: Send) {
  await send('/agents', JSON.stringify({ ir: threeNodes() }))
  const body = JSON.stringify({ input: INPUT, stream: false })
  const run = () => send('/agents/agent.bench/runs', body)
  await Promise.all(Array.from({ length: 20 }, () => repeat(WARM_UP_RUNS / 20, run)))

  const closed = []
  for (const atOnce of AT_ONCE) closed.push(summary(await closedLoop(atOnce, MEASURE_MS, run)))
  const arriving = summary(await openLoop(ARRIVALS_PER_S, MEASURE_MS, run))
  markdown([
    ...closed.map((row, index) => ({
      Load: AT_ONCE[index] === 1 ? '1 at once' : `${AT_ONCE[index]} at once, closed loop`,
      ...row,
    })),
    { Load: `${ARRIVALS_PER_S} arrive a second`, ...arriving },
  ])
  return closed
}

function besidePeers(tycho: ReturnType<typeof summary>[]) {
  installPeers()
  const wide = (what: string, rows: ReturnType<typeof summary>[]) => ({
    'The same three nodes': what,
    '1 at once, runs/s': rows[0]!['runs/s'],
    p50: rows[0]!.p50,
    '60 at once, runs/s': rows[1]!['runs/s'],
    'p50 ': rows[1]!.p50,
  })
  markdown([
    wide('Tycho: HTTP, record and trace', tycho),
    wide(
      'Tycho’s interpreter alone',
      AT_ONCE.map((atOnce) => summary(engineAlone(atOnce, MEASURE_MS))),
    ),
    wide(
      'LangGraph.js, no checkpointer',
      AT_ONCE.map((atOnce) => summary(langGraph(atOnce, MEASURE_MS))),
    ),
  ])
}

/** The slope of the time of a run over its nodes. */
async function perNode(send: Send) {
  const points: { nodes: number; time: number }[] = []
  for (const nodes of CHAINS) {
    const body = JSON.stringify({ ir: chain(nodes), input: 'x', stream: false })
    await repeat(3, () => send('/graphs/runs', body))
    points.push({ nodes, time: quantile(await timed(15, () => send('/graphs/runs', body)), 0.5) })
  }
  console.log(`\nEach further node of a chain takes ${round(slope(points) * 1_000, 0)} µs.`)
}

/** Least squares; milliseconds per node. */
function slope(points: { nodes: number; time: number }[]): number {
  const mean = (of: (point: { nodes: number; time: number }) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length
  const [nodes, time] = [mean((point) => point.nodes), mean((point) => point.time)]
  const covariance = mean((point) => (point.nodes - nodes) * (point.time - time))
  return covariance / mean((point) => (point.nodes - nodes) ** 2)
}

async function largeGraph(send: Send) {
  const ir = chain(LARGE)
  const text = JSON.stringify(ir)
  const validated = await timed(20, async () => void parse(JSON.parse(text)))
  const body = JSON.stringify({ ir, input: 'x', stream: false })
  const ran = await timed(10, () => send('/graphs/runs', body))
  console.log(
    `\nA graph of ${LARGE.toLocaleString('en')} nodes in a row is validated in ${ms(quantile(validated, 0.5))} and run inline in ${ms(quantile(ran, 0.5))} (p50).`,
  )
}

async function longTraces(command: string[]) {
  const rows = [await longTrace(command, 'SQLite', {})]
  rows.push(await longTrace(command, 'Postgres', { DATABASE_URL: await freshPostgresDatabase() }))
  await stopPostgres()
  markdown(rows)
}

async function longTrace(command: string[], database: string, env: Record<string, string>) {
  await using plane = await benchPlane(command, env)
  const body = JSON.stringify({ ir: chain(TRACED_NODES), input: 'x', stream: false })
  const { runId } = JSON.parse(await plane.send('/graphs/runs', body))
  const read = () => plane.send(`/runs/${runId}/trace`)
  const text = await read()
  const spans = JSON.parse(text).spans.length
  if (spans !== TRACED_NODES + 1) throw new Error(`the trace has ${spans} spans`)
  const samples = await timed(15, read)
  return {
    'GET trace of 10,000 spans': database,
    p50: ms(quantile(samples, 0.5)),
    max: ms(Math.max(...samples)),
    size: `${round(Buffer.byteLength(text) / 1e6, 1)} MB`,
  }
}

/** Nodes in a row that pass a value on. */
function chain(length: number) {
  const steps = Array.from({ length: length - 2 }, (_, index) =>
    node(`n${index}`, 'transform', { config: { expr: '"$in"' } }),
  )
  const ids = ['in', ...steps.map(({ id }) => id), 'end']
  return graph(
    [node('in', 'input'), ...steps, node('end', 'output')],
    ids.slice(1).map((id, index) => `${ids[index]}.out>${id}.in`),
    { id: 'agent.chain' },
  )
}
