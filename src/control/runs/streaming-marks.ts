import type { Db } from '#kernel/db/tables'
import type { Logger } from '#kernel/log'
import { runStore } from './store'

/** Long enough for a run's first token to leave before its status is written. */
const DELAY_MS = 20

interface Deps {
  db: Db
  log: Logger
  now: () => number
}

export type StreamingMarks = ReturnType<typeof streamingMarks>

/**
 * Writes `streaming` down for the runs whose streams began, many in one statement and behind their first tokens. Whoever
 * reads records writes first, so nobody sees the delay.
 */
export function streamingMarks({ db, log, now }: Deps) {
  let ids = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  let writing: Promise<void> = Promise.resolve()

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    if (ids.size > 0) {
      const begun = [...ids]
      ids = new Set()
      // The status is not worth a run: its end is written whatever becomes of this.
      writing = runStore(db)
        .markStreaming(begun, now())
        .then(
          () => undefined,
          (err) => log.warn({ err, runs: begun.length }, 'the status of runs could not be stored'),
        )
    }
    return writing
  }

  return {
    add(id: string) {
      ids.add(id)
      timer ??= setTimeout(flush, DELAY_MS)
    },

    /** The run has ended before: its end is the only status left to write. */
    drop: (id: string) => void ids.delete(id),

    flush,
  }
}
