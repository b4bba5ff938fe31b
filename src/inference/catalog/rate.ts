const WINDOW_MS = 5_000
const SAMPLES = 50

/** How fast something grows, over the last seconds. */
export function rateMeter(now: () => number) {
  let samples: { at: number; value: number }[] = []

  return {
    reached(value: number) {
      const at = now()
      // What begins anew is no negative speed.
      if (value < (samples.at(-1)?.value ?? 0)) samples = []
      const last = samples.at(-1)
      if (last && at - last.at < WINDOW_MS / SAMPLES) samples[samples.length - 1] = { at: last.at, value }
      else samples.push({ at, value })
      if (samples.length > SAMPLES) samples.shift()
    },
    /** Per second; `null` while nothing comes. */
    perSecond(): number | null {
      const recent = samples.filter(({ at }) => now() - at <= WINDOW_MS)
      const [first, last] = [recent[0], recent.at(-1)]
      if (!first || !last || last.at === first.at) return null
      return Math.round(((last.value - first.value) * 1000) / (last.at - first.at))
    },
  }
}
