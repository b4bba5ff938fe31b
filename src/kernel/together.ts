interface Waiting<In, Out> {
  input: In
  done: PromiseWithResolvers<Out>
}

/**
 * Does for many at once what is asked for one by one. What comes in the same turn of the event loop, or while the last
 * round is on its way, makes one round of at most `atMost`; `work` gives a result for each input, in their order. What
 * a round fails with is told to all of it.
 */
export function together<In, Out>(
  atMost: number,
  work: (inputs: In[]) => Promise<readonly Out[]>,
): (input: In) => Promise<Out> {
  const waiting: Waiting<In, Out>[] = []
  let working = false

  async function drain() {
    while (waiting.length > 0) await round(waiting.splice(0, atMost))
    working = false
  }

  async function round(batch: Waiting<In, Out>[]) {
    try {
      const results = await work(batch.map(({ input }) => input))
      for (const [index, { done }] of batch.entries()) done.resolve(results[index]!)
    } catch (error) {
      for (const { done } of batch) done.reject(error)
    }
  }

  return (input) => {
    const done = Promise.withResolvers<Out>()
    waiting.push({ input, done })
    if (!working) {
      working = true
      setImmediate(() => void drain())
    }
    return done.promise
  }
}
