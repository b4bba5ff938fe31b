/** Waits for a promise, but not longer than until the signal fires, whether or not the work heeds it. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: first, resolve, reject } = Promise.withResolvers<T>()
  const onAbort = () => reject(signal.reason)
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  return first
}

/** The items of a stream until the signal fires, whether or not the stream heeds it. */
export async function* untilAborted<T>(stream: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  let stop: (reason: unknown) => void = () => {}
  const onAbort = () => stop(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  const iterator = stream[Symbol.asyncIterator]()
  try {
    while (true) {
      signal.throwIfAborted()
      const { promise, resolve, reject } = Promise.withResolvers<IteratorResult<T>>()
      stop = reject
      iterator.next().then(resolve, reject)
      const { done, value } = await promise
      if (done) return
      yield value
    }
  } finally {
    signal.removeEventListener('abort', onAbort)
    // Not awaited: a stream that hangs would hang here again.
    void iterator.return?.().catch(() => {})
  }
}
