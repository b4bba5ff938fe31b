interface Bounds {
  maxRows: number
  maxChars: number
}

/**
 * Rows that wait to be written, at most one per id, the latest. Over its bounds the oldest give way: tracing must never
 * take the memory that runs need.
 */
export function waitingRows<T>(sizeOf: (row: T) => number, { maxRows, maxChars }: Bounds) {
  let rows = new Map<string, T>()
  let chars = 0
  let dropped = 0

  function put(id: string, row: T) {
    chars += sizeOf(row) - remove(id)
    rows.set(id, row)
    for (const oldest of rows.keys()) {
      if (rows.size <= maxRows && chars <= maxChars) break
      chars -= remove(oldest)
      dropped++
    }
  }

  function remove(id: string): number {
    const row = rows.get(id)
    if (row === undefined) return 0
    rows.delete(id)
    return sizeOf(row)
  }

  return {
    put,

    get size() {
      return rows.size
    },

    takeAll(): Map<string, T> {
      const taken = rows
      rows = new Map()
      chars = 0
      return taken
    },

    /** Puts back what was taken, as older than what came since; of the same id the newer stays. */
    putBack(taken: Map<string, T>) {
      const newer = rows
      rows = new Map()
      chars = 0
      for (const [id, row] of taken) if (!newer.has(id)) put(id, row)
      for (const [id, row] of newer) put(id, row)
    },

    /** How many were dropped since this was last asked. */
    takeDropped(): number {
      const count = dropped
      dropped = 0
      return count
    },
  }
}
