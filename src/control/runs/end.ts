import type { Db } from '#kernel/db/tables'
import { AppError } from '#kernel/errors'
import type { Logger } from '#kernel/log'
import { interrupted, type Outcome } from './live'
import type { RunWrites } from './run-writes'
import { type RunEnd, runStore } from './store'

interface Deps {
  db: Db
  writes: RunWrites
  log: Logger
  now: () => number
}

/** What else is written with a completed run, in the same transaction. */
export type Alongside = (tx: Db, output: string) => Promise<void>

/**
 * Writes the end of a run down. What it returns is what counts: a run that somebody else ended meanwhile stays as they
 * ended it.
 */
export const recordEnd =
  ({ db, writes, log, now }: Deps, id: string, alongside: Alongside | undefined) =>
  async (outcome: Outcome): Promise<Outcome> => {
    try {
      const isWritten =
        outcome.status === 'completed' && alongside
          ? await db.transaction().execute(async (tx) => {
              const isFirst = await runStore(tx).end(id, endOf(outcome), now())
              if (isFirst) await alongside(tx, outcome.output)
              return isFirst
            })
          : await writes.end(id, endOf(outcome), now())
      return isWritten ? outcome : await endedBySomebodyElse(db, id)
    } catch (error) {
      log.error({ err: error, run: id }, 'the end of a run could not be stored')
      return fail(db, log, now, id)
    }
  }

const endOf = (outcome: Outcome): RunEnd =>
  outcome.status === 'completed'
    ? { status: 'completed', output: outcome.output, error: outcome.note, note_code: outcome.noteCode }
    : { status: 'failed', output: null, error: outcome.error.message, note_code: null }

async function endedBySomebodyElse(db: Db, id: string): Promise<Outcome> {
  const row = await runStore(db).find(id)
  const error =
    row?.error === 'cancelled'
      ? new AppError('run_cancelled', row.error)
      : new AppError('run_interrupted', row?.error ?? interrupted('its record is gone').message)
  return { status: 'failed', error }
}

/** The second attempt says only that the first one failed; a restart would find the run unfinished otherwise. */
async function fail(db: Db, log: Logger, now: () => number, id: string): Promise<Outcome> {
  const error = new AppError('internal_error', 'The end of the run could not be stored. Its output is lost.')
  const outcome = { status: 'failed', error } as const
  await runStore(db)
    .end(id, endOf(outcome), now())
    .catch((err) => log.error({ err, run: id }, 'the run stays unfinished until the next start'))
  return outcome
}
