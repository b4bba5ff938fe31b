import { overlap } from '../../answer-text/overlap'

/** Ends an answer before the first of the stop texts; what may be the beginning of one waits. */
export function stopTexts(stops: readonly string[]) {
  let held = ''
  return {
    push(text: string): { text: string; stopped: boolean } {
      if (stops.length === 0) return { text, stopped: false }
      held += text
      const found = stops.map((stop) => held.indexOf(stop)).filter((at) => at !== -1)
      if (found.length > 0) {
        const text = held.slice(0, Math.min(...found))
        held = ''
        return { text, stopped: true }
      }
      const keep = Math.max(...stops.map((stop) => overlap(held, stop)))
      const ready = held.slice(0, held.length - keep)
      held = held.slice(held.length - keep)
      return { text: ready, stopped: false }
    },
    end: (): string => held,
  }
}
