import { crash } from '../crash/durable-harness'
import { durableRates } from './durable-rates'
import { durableWaiting } from './durable-waiting'
import { table } from './statistics'

const KINDS = ['sqlite', 'postgres'] as const

/** Durable runs: what a step and a run cost beside others who do the same, and what runs cost that only wait. */
export async function benchDurable(command: string[]) {
  await durableRates(command)
  await durableWaiting(command)
}

/** `npm run bench -- durable-crash`: thousands of runs of random graphs in processes that are killed. */
export async function benchDurableCrash() {
  const rows = []
  for (const kind of KINDS) {
    const size =
      kind === 'sqlite'
        ? { graphs: 200, runs: 2_000, kills: 30 }
        : { graphs: 100, runs: 1_000, kills: 10, workers: 2 }
    const { wrong, repeated, excessive, ...counts } = await crash({
      kind,
      seed: Date.now() % 1_000_000,
      ...size,
    })
    rows.push({
      database: kind,
      ...counts,
      seconds: Math.round(counts.seconds),
      wrong: wrong.length,
      'done again': repeated.length,
      excessive: excessive.length,
    })
  }
  table('Killed with SIGKILL at random instants', rows)
}
