import { crash } from '../crash/durable-harness'
import { table } from './statistics'

/** `minutes=20`: how long it goes on, both databases in turn. */
const MINUTES = Number(Bun.argv.find((arg) => arg.startsWith('minutes='))?.slice('minutes='.length) ?? 10)

const ROUND = {
  sqlite: { graphs: 200, runs: 1_000, kills: 30, workers: 0 },
  /** A minute under load in which a control plane or one of two workers is killed every few seconds. */
  postgres: {
    graphs: 200,
    runs: 1_000,
    kills: 20,
    workers: 2,
    betweenMs: [1_000, 3_000] as [number, number],
  },
}

/** `npm run bench -- durable-crash`: thousands of runs of random graphs in processes that are killed. */
export async function benchDurableCrash() {
  const startedAt = performance.now()
  const totals = { sqlite: nothing(), postgres: nothing() }
  for (let round = 0; round === 0 || performance.now() - startedAt < MINUTES * 60_000; round++) {
    for (const kind of ['sqlite', 'postgres'] as const) {
      const report = await crash({ kind, seed: Math.floor(Math.random() * 1_000_000), ...ROUND[kind] })
      for (const problem of ['wrong', 'repeated', 'excessive'] as const) {
        for (const what of report[problem]) console.log(`${kind}: ${problem}: ${what}`)
      }
      const total = totals[kind]
      total.graphs += report.graphs
      total.runs += report.runs
      total.kills += report.kills
      total['of them in a commit'] += report.inCommit
      total['effects on record at a kill'] += report.committedAtKills
      total.effects += report.effects
      total['in flight, done again'] += report.doneTwice
      total['lost or wrong'] += report.wrong.length
      total['on record, done again'] += report.repeated.length
      total['done too often'] += report.excessive.length
      total.seconds += Math.round(report.seconds)
      console.log(kind, JSON.stringify(total))
    }
  }
  const rows = Object.entries(totals).map(([database, total]) => ({ database, ...total }))
  table('Killed with SIGKILL at random instants and within commits', rows)
}

const nothing = () => ({
  graphs: 0,
  runs: 0,
  kills: 0,
  'of them in a commit': 0,
  'effects on record at a kill': 0,
  effects: 0,
  'in flight, done again': 0,
  'lost or wrong': 0,
  'on record, done again': 0,
  'done too often': 0,
  seconds: 0,
})
