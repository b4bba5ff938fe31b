import { KEEPALIVE_MS } from '#kernel/http/sse'
import type { Logger } from '#kernel/log'
import { interrupted, type LiveLimits, type LiveRun, liveRun, type Work } from './live'

export interface RunLimits extends LiveLimits {
  /** How long the frames of a finished run are kept for those who attach again. */
  keepMs: number
  /** At most so many characters of finished runs' frames are kept, the latest. */
  maxKeptChars: number
  /** Silence after which a stream sends a comment. */
  keepaliveMs: number
  /** How long a failure of a graph is still an HTTP status (interface, 3.2). */
  primingMs: number
}

export const RUN_LIMITS: RunLimits = {
  graceMs: 10_000,
  maxRunChars: 16 * 1024 * 1024,
  keepMs: 60_000,
  maxKeptChars: 64 * 1024 * 1024,
  keepaliveMs: KEEPALIVE_MS,
  primingMs: 15_000,
}

export type LiveRuns = ReturnType<typeof liveRuns>

/** The runs of this process: those that go on, and for a while those that ended. */
export function liveRuns({ limits, log }: { limits: RunLimits; log: Logger }) {
  const running = new Map<string, LiveRun>()
  // In the order they ended.
  const finished = new Map<string, { run: LiveRun; chars: number; timer: ReturnType<typeof setTimeout> }>()
  let keptChars = 0

  function keep(run: LiveRun) {
    const timer = setTimeout(() => forget(run.id), limits.keepMs)
    timer.unref()
    // Frames count differently once they are read: what was added is what is taken away.
    const chars = run.keptChars
    finished.set(run.id, { run, chars, timer })
    keptChars += chars
    for (const id of finished.keys()) {
      if (keptChars <= limits.maxKeptChars) break
      forget(id)
    }
  }

  function forget(id: string) {
    const kept = finished.get(id)
    if (!kept) return
    clearTimeout(kept.timer)
    finished.delete(id)
    keptChars -= kept.chars
  }

  return {
    limits,

    begin(work: Work): LiveRun {
      const run = liveRun(work, limits, log)
      running.set(run.id, run)
      void run.outcome.then(() => {
        running.delete(run.id)
        keep(run)
      })
      return run
    },

    /** A run that goes on here, or whose frames are still kept. */
    find: (id: string): LiveRun | undefined => running.get(id) ?? finished.get(id)?.run,

    running: (id: string): LiveRun | undefined => running.get(id),

    /** Fails what still goes on, and forgets everything. */
    async stop() {
      const reason = interrupted('control-plane restarted while run was in-flight', 'shutting_down')
      await Promise.all([...running.values()].map((run) => run.stop(reason)))
      for (const id of [...finished.keys()]) forget(id)
    },
  }
}
