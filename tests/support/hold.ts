import type { ChatScript } from './fake-provider'

/** A chat whose stream stops before the chunk of index `at` until it is let go. The first chunk carries no text. */
export function held(script: ChatScript, at: number) {
  const gate = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  return {
    script: {
      ...script,
      before(index: number) {
        if (index < at) return
        reached.resolve()
        return gate.promise
      },
    } satisfies ChatScript,
    /** The stream stands at the gate. */
    reached: reached.promise,
    letGo: gate.resolve,
  }
}
