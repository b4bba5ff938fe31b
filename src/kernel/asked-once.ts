interface Round<Out> {
  answer: Promise<Out>
  begun: boolean
}

/**
 * Asks once for all who want to know the same at the same moment. Whoever comes when the question is on its way waits
 * for the next one, so that nobody gets an answer that is older than its own question. All get the same object.
 */
export function askedOnce<In, Out>(keyOf: (input: In) => string, ask: (input: In) => Promise<Out>) {
  const last = new Map<string, Round<Out>>()

  return (input: In): Promise<Out> => {
    const key = keyOf(input)
    const before = last.get(key)
    if (before && !before.begun) return before.answer
    const round: Round<Out> = { begun: false, answer: Promise.resolve(null as Out) }
    round.answer = turn(before?.answer).then(() => {
      round.begun = true
      return ask(input)
    })
    last.set(key, round)
    const forget = () => {
      if (last.get(key) === round) last.delete(key)
    }
    round.answer.then(forget, forget)
    return round.answer
  }
}

/** When what was asked before is answered, or failed; else after this turn of the event loop. */
const turn = (before: Promise<unknown> | undefined): Promise<unknown> =>
  before?.catch(() => {}) ?? new Promise((resolve) => setImmediate(resolve))
