/**
 * Whose turn it is to ask a person: gates open one at a time, in the order of the graph. A step waits until every step
 * before it that may ask has ended, in its own graph and in those around it.
 */
export interface Turns {
  /** Resolves when it is the turn of `index`; never, when the run ends before. */
  of(index: number): Promise<void>
  ended(index: number): void
}

export function turns(askers: Iterable<number>, around: () => Promise<void>): Turns {
  const open = new Set(askers)
  let waiting: { index: number; resolve(): void }[] = []
  const isTurnOf = (index: number) => ![...open].some((other) => other < index)

  return {
    async of(index) {
      if (!isTurnOf(index)) {
        const { promise, resolve } = Promise.withResolvers<void>()
        waiting.push({ index, resolve })
        await promise
      }
      await around()
    },

    ended(index) {
      if (!open.delete(index)) return
      const ready = waiting.filter((one) => isTurnOf(one.index))
      waiting = waiting.filter((one) => !ready.includes(one))
      for (const { resolve } of ready) resolve()
    },
  }
}
