import { createHash } from 'node:crypto'
import type { Journal } from '#graph/journal'
import type { Payloads } from './payloads'
import type { StepRow } from './store'

/** Longer keys are stored by their hash: an index entry is bounded, and nested places may be long. */
const MAX_KEY_CHARS = 500

/** A place as the database can hold it. */
export const storedKey = (place: string): string =>
  place.length <= MAX_KEY_CHARS && !place.includes('\0')
    ? place
    : `sha256:${createHash('sha256').update(place).digest('hex')}`

interface Deps {
  runId: string
  steps: readonly Pick<StepRow, 'key' | 'output' | 'output_ref'>[]
  payloads: Pick<Payloads, 'keep' | 'read'>
  now: () => number
  /** Stores the row, or throws: the run is not ours any more. */
  record: (row: StepRow) => Promise<void>
  /** Before a step that is not on record; does not return where nothing new may begin. */
  mayBegin: () => Promise<void>
}

/** The journal of a run that outlives its process: what is on record is not done again. */
export function durableJournal({ runId, steps, payloads, now, record, mayBegin }: Deps): Journal {
  const done = new Map<string, Pick<StepRow, 'output' | 'output_ref'>>(steps.map((row) => [row.key, row]))
  const going = new Map<string, Promise<unknown>>()

  const kept = ({ output = null, output_ref = null }: Pick<StepRow, 'output' | 'output_ref'>) =>
    payloads.read({ json: output, ref: output_ref })

  async function perform(key: string, work: () => Promise<unknown>): Promise<unknown> {
    const { json, ref } = await payloads.keep(runId, await work())
    const row = { run_id: runId, key, output: json, output_ref: ref, created_at: now() }
    await record(row)
    done.set(key, row)
    // As it will be read after a crash, so that what follows is the same.
    return kept(row)
  }

  return {
    async step<T>(place: string, work: () => Promise<T>): Promise<T> {
      const key = storedKey(place)
      // Each who asks is held up by itself, also where several ask for the same.
      if (!done.has(key)) await mayBegin()
      const row = done.get(key)
      if (row) return kept(row) as Promise<T>
      const same = going.get(key) ?? perform(key, work).finally(() => going.delete(key))
      going.set(key, same)
      return same as Promise<T>
    },
  }
}
