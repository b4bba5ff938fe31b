import type { Execute } from '#graph/events'

/**
 * The work of a graph, whose stream begins with the first thing a model says, with the end, or after `primingMs`,
 * whichever comes first; what fails before is an HTTP status.
 */
export const primed =
  (execute: Execute, primingMs: number): Execute =>
  async (emit, signal) => {
    let begun = false
    function begin() {
      if (begun) return
      begun = true
      clearTimeout(timer)
      emit({ type: 'streaming' })
    }
    const timer = setTimeout(begin, primingMs)
    try {
      const result = await execute((event) => {
        if (SAID.has(event.type)) begin()
        if (event.type !== 'streaming') emit(event)
      }, signal)
      begin()
      return result
    } finally {
      clearTimeout(timer)
    }
  }

const SAID = new Set(['streaming', 'delta', 'reasoning', 'tool_call'])
