/** Model and tool calls of one run at the same time. */
const AT_ONCE = 16

interface Item {
  index: number
  /** Indexes of those that wait for this one, all of them higher. */
  next: readonly number[]
  waitsFor: number
}

/** An item's place among those that are done at the same time. What only waits can leave it to others meanwhile. */
export interface Slot {
  leave(): void
  enter(): void
}

/**
 * Does the work of each item once all before it are done; those that wait for nothing go side by side. Items are in
 * topological order.
 *
 * A failure counts as if they had gone one by one: what comes later in the order is stopped, what comes earlier still
 * goes on, and the earliest failure is the one that is thrown. So it does not depend on who was faster.
 * @throws the earliest failure, or the reason of `signal`
 */
export function schedule(
  items: readonly Item[],
  work: (index: number, signal: AbortSignal, slot: Slot) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const waits = items.map(({ waitsFor }) => waitsFor)
  const ready = lowestFirst(items.filter(({ waitsFor }) => waitsFor === 0).map(({ index }) => index))
  const working = new Map<number, AbortController>()
  const resting = new Set<number>()
  const ended = Promise.withResolvers<void>()
  let failure: { index: number; error: unknown } | undefined

  const isOff = (index: number) => signal.aborted || (failure !== undefined && index > failure.index)

  function stopLater(reason: unknown) {
    for (const [index, controller] of working) if (isOff(index)) controller.abort(reason)
  }

  const onAbort = () => {
    stopLater(signal.reason)
    advance()
  }

  function advance() {
    while (working.size - resting.size < AT_ONCE) {
      const index = ready.peek()
      if (index === undefined || isOff(index)) break
      ready.take()
      void start(index)
    }
    if (working.size > 0) return
    signal.removeEventListener('abort', onAbort)
    if (failure) ended.reject(failure.error)
    else if (signal.aborted) ended.reject(signal.reason)
    else ended.resolve()
  }

  async function start(index: number) {
    const controller = new AbortController()
    working.set(index, controller)
    try {
      await work(index, controller.signal, slotOf(index))
      for (const later of items[index]!.next) {
        waits[later]!--
        if (waits[later] === 0) ready.add(later)
      }
    } catch (error) {
      // What was stopped because of an earlier failure did not fail by itself.
      if (!isOff(index)) {
        failure = { index, error }
        stopLater(new Error('Another step of the run failed.'))
      }
    }
    working.delete(index)
    resting.delete(index)
    advance()
  }

  const slotOf = (index: number): Slot => ({
    leave() {
      resting.add(index)
      advance()
    },
    enter: () => void resting.delete(index),
  })

  signal.addEventListener('abort', onAbort, { once: true })
  advance()
  return ended.promise
}

/** A few numbers at a time, of which the lowest is wanted. */
function lowestFirst(start: number[]) {
  const descending = start.toSorted((a, b) => b - a)
  return {
    peek: () => descending.at(-1),
    take: () => descending.pop(),
    add(value: number) {
      let low = 0
      let high = descending.length
      while (low < high) {
        const middle = (low + high) >> 1
        if (descending[middle]! > value) low = middle + 1
        else high = middle
      }
      descending.splice(low, 0, value)
    },
  }
}
