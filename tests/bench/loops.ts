import { quantile, round } from './statistics'

export interface Measured {
  samples: number[]
  seconds: number
}

/** So many at the same time, each one after the other. */
export async function closedLoop(
  atOnce: number,
  forMs: number,
  work: () => Promise<unknown>,
): Promise<Measured> {
  const samples: number[] = []
  const startedAt = performance.now()
  const worker = async () => {
    while (performance.now() - startedAt < forMs) samples.push(...(await timed(1, work)))
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return { samples, seconds: (performance.now() - startedAt) / 1000 }
}

/** Work that comes whether or not what came before is done. */
export async function openLoop(
  perSecond: number,
  forMs: number,
  work: () => Promise<unknown>,
): Promise<Measured> {
  const pending: Promise<number[]>[] = []
  const startedAt = performance.now()
  const elapsed = () => performance.now() - startedAt
  while (elapsed() < forMs) {
    while (pending.length < (elapsed() / 1000) * perSecond) pending.push(timed(1, work))
    await Bun.sleep(1)
  }
  return { samples: (await Promise.all(pending)).flat(), seconds: elapsed() / 1000 }
}

/** How long each time took, in milliseconds. */
export async function timed(times: number, work: () => Promise<unknown>): Promise<number[]> {
  const samples: number[] = []
  for (let i = 0; i < times; i++) {
    const startedAt = performance.now()
    await work()
    samples.push(performance.now() - startedAt)
  }
  return samples
}

export async function repeat(times: number, work: () => Promise<unknown>) {
  for (let i = 0; i < times; i++) await work()
}

export const summary = ({ samples, seconds }: Measured) => ({
  'runs/s': Math.round(samples.length / seconds).toLocaleString('en'),
  p50: ms(quantile(samples, 0.5)),
  p95: ms(quantile(samples, 0.95)),
})

/** Three digits are as many as a repetition confirms. */
export const ms = (value: number): string =>
  `${value >= 100 ? round(value, 0) : round(value, value < 10 ? 2 : 1)} ms`
