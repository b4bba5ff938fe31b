import { passingJournal } from '#graph/journal'
import type { Ports } from '#graph/ports'
import { runGraph } from '#graph/run'
import { parse } from '#graph/validate'
import { closedLoop, repeat } from './loops'
import { INPUT, threeNodes } from './three-nodes'

/**
 * The graph of the benchmark in our interpreter alone, as a process of its own, without a server, a record or a trace:
 * `bun tests/bench/engine.ts <at once> <for ms>` prints what was measured as JSON.
 */
const WARM_UP_RUNS = 500
const [atOnce = 1, forMs = 1_000] = Bun.argv.slice(2).map(Number)

const { document } = parse(threeNodes())
// The nodes of this graph ask nothing of the world.
const ports = { journal: passingJournal() } as Ports
const { signal } = new AbortController()
const run = () => runGraph(document!, { runId: 'bench', input: INPUT, history: [] }, ports, () => {}, signal)

await repeat(WARM_UP_RUNS, run)
console.log(JSON.stringify(await closedLoop(atOnce, forMs, run)))
