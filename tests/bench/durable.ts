import { durableRates } from './durable-rates'
import { durableWaiting } from './durable-waiting'

/** Durable runs: what a step and a run cost beside others who do the same, and what runs cost that only wait. */
export async function benchDurable(command: string[]) {
  await durableRates(command)
  await durableWaiting(command)
}
