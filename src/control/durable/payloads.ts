import type { Db } from '#kernel/db/tables'
import { newId } from '#kernel/ids'
import type { Logger } from '#kernel/log'
import { every } from '#kernel/loop'
import { together } from '#kernel/together'
import type { ArtifactService } from '../artifacts/service'
import { checkpointFiles } from './checkpoint-files'
import type { Sealing } from './sealing'

/** Larger values are kept as artifacts, so that the journal's rows stay small. */
const MAX_INLINE_BYTES = 256 * 1024
/** How often files are looked for whose run ended while nobody removed them. */
const TIDY_MS = 60 * 60 * 1000
/** A file that old whose run is not there belongs to none that is about to be stored. */
const TIDIED_AFTER_MS = 60 * 60 * 1000
/** Runs that end at the same moment are asked about together. */
const ENDS_AT_ONCE = 64

/** A value as the journal has it: as JSON, or by the artifact that holds the JSON. */
export type Kept = { json: string; ref: null } | { json: null; ref: string }

export type Payloads = ReturnType<typeof payloads>

interface Deps {
  db: Db
  artifacts: Pick<ArtifactService, 'put' | 'read' | 'remove'>
  sealing: Sealing
  log: Logger
  now: () => number
}

/** What runs take and make, as it lies in checkpoints. */
export function payloads({ db, artifacts, sealing, log, now }: Deps) {
  const files = checkpointFiles(db)

  const filesOf = together(ENDS_AT_ONCE, async (runIds: string[]) => {
    const byRun = Map.groupBy(await files.of(runIds), ({ run_id }) => run_id)
    return runIds.map((runId) => byRun.get(runId)?.map(({ ref }) => ref) ?? [])
  })

  /** Those known to have belonged to runs that have ended. */
  async function remove(refs: readonly string[]) {
    for (const ref of refs) {
      await artifacts.remove(ref)
      await files.forget(ref)
    }
  }

  return {
    async keep(runId: string, value: unknown): Promise<Kept> {
      const json = JSON.stringify(value ?? null)
      // A character is at least a byte and at most three: most values need no counting.
      const isSmall = json.length * 3 <= MAX_INLINE_BYTES || Buffer.byteLength(json) <= MAX_INLINE_BYTES
      if (isSmall) return { json: sealing.seal(json), ref: null }
      const ref = newId('artifact', now())
      // First, so that whatever dies the file is known.
      await files.note(ref, runId, now())
      await artifacts.put(Buffer.from(sealing.seal(json)), 'application/octet-stream', ref)
      return { json: null, ref }
    },

    /** @throws {SealedAway} */
    async read({ json, ref }: { json: string | null; ref: string | null }): Promise<unknown> {
      if (ref === null) return JSON.parse(sealing.open(json ?? 'null'))
      const { file } = await artifacts.read(ref)
      return JSON.parse(sealing.open(await file.text()))
    },

    /** What people are shown of a run that waits. */
    seal: sealing.seal,
    open: sealing.open,

    /** When the run has ended, however it did. What cannot be removed now is removed later. */
    drop: (runId: string): Promise<void> =>
      filesOf(runId)
        .then(remove)
        .catch((error) => log.warn({ err: error, run: runId }, 'files of a run are left for later')),

    /** Removes what processes left that died between the end of a run and the removal of its files. */
    tidy(signal: AbortSignal): Promise<void> {
      const work = async () => remove(await files.orphans(now() - TIDIED_AFTER_MS))
      every(TIDY_MS, 'files of ended runs', work, log, signal)
      return work().catch((error) => log.warn({ err: error }, 'files of ended runs are left for later'))
    },
  }
}
