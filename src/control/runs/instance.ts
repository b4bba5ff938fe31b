import { hostname } from 'node:os'
import type { Opened } from '#kernel/db/open'
import type { Db } from '#kernel/db/tables'
import type { Logger } from '#kernel/log'
import { every } from '#kernel/loop'
import type { SpanRecord } from '../traces/store'
import { interrupted } from './live'
import { instanceStore, runStore } from './store'

const BEAT_MS = 5_000
/** An instance without a heartbeat for so long is dead. Instances' clocks must agree far better than this. */
const DEAD_AFTER_MS = 30_000
/** Rows of instances that never came back. */
const FORGET_AFTER_MS = 24 * 60 * 60 * 1000

const REASON = interrupted('control-plane restarted while run was in-flight').message

interface Deps {
  database: Opened
  instanceId: string
  /** Closes the spans of runs that are failed, in the same transaction. */
  closeSpans: (tx: Db, runIds: string[], error: string, now: number) => Promise<SpanRecord[]>
  /** Told of each of them once they are stored. */
  onClosed: (span: SpanRecord) => void
  log: Logger
  now: () => number
}

/**
 * What this process is called among those that share a database: the same after a restart at the same place. A port
 * that the system chose is another one each time, and so is the name.
 */
export const instanceName = (port: number): string =>
  port === 0 ? `${hostname()}:${crypto.randomUUID()}` : `${hostname()}:${port}`

/**
 * Fails the runs of processes that died. An SQLite file has one process, so at its start every unfinished run is an
 * orphan; on Postgres, those of this instance's predecessor, and at any time those of an instance without heartbeat.
 */
export function instanceKeeper({ database, instanceId, closeSpans, onClosed, log, now }: Deps) {
  const { db, kind } = database
  const startedAt = now()

  async function sweep(alive: string[] | null) {
    const { failed, spans } = await db.transaction().execute(async (tx) => {
      const failed = await runStore(tx).interrupt(alive, REASON, now())
      return { failed, spans: await closeSpans(tx, failed, REASON, now()) }
    })
    for (const span of spans) onClosed(span)
    if (failed.length > 0)
      log.warn({ runs: failed.length }, 'runs of a process that died are marked as failed')
  }

  const alive = () => instanceStore(db).seenSince(now() - DEAD_AFTER_MS)

  async function beat() {
    await instanceStore(db).beat(instanceId, startedAt, now())
    await sweep(await alive())
    await instanceStore(db).removeUnseenSince(now() - FORGET_AFTER_MS)
  }

  return {
    /** Before the first run of this process. */
    async start(signal: AbortSignal) {
      if (kind === 'sqlite') return sweep(null)
      const others = (await alive()).filter((id) => id !== instanceId)
      await sweep(others)
      await beat()
      every(BEAT_MS, 'heartbeat', beat, log, signal)
    },

    /** After the last run has ended. */
    async stop() {
      if (kind !== 'postgres') return
      // A database that is gone must not keep the process from ending: the row dies of age.
      await instanceStore(db)
        .remove(instanceId)
        .catch((error) => log.warn({ err: error }, 'this instance could not be signed off'))
    },
  }
}
