import { newId } from '#kernel/ids'
import type { GapRecord } from '../recording/record'
import type { StateFiles } from '../state-files'

const FILE = 'gap.json'

/** A hole in the records, while it lasts: kept on disk, so that a restart still tells of it. */
export function openGap(state: StateFiles, now: () => number) {
  let gap: Pick<GapRecord, 'from' | 'to' | 'dropped'> | null = state.read(FILE) ?? null
  let isSaved = true

  return {
    get isOpen() {
      return gap !== null
    },
    get dropped() {
      return gap?.dropped ?? 0
    },

    /** One more record that is not written. */
    drop() {
      const at = now()
      gap = gap
        ? { ...gap, to: Math.max(at, gap.from), dropped: gap.dropped + 1 }
        : { from: at, to: at, dropped: 1 }
      isSaved = false
    },

    /** Ends the hole where `write` finds room for the line that tells of it. */
    close(write: (line: GapRecord) => boolean) {
      if (!gap || !write({ v: 1, type: 'gap', id: newId('gateway_request', now()), ...gap })) return
      gap = null
      isSaved = false
    },

    save() {
      if (isSaved) return
      if (gap) state.write(FILE, gap)
      else state.remove(FILE)
      isSaved = true
    },
  }
}
