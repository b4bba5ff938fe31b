interface Room {
  /** Bytes that are free for one more engine now. */
  free(): number
  /** Ends one idle engine, where there is one. */
  evictIdle(): void
  /** Each resolves when an engine that ends now is gone. */
  leaving(): Promise<void>[]
  /** The load is not wanted any more. */
  isOver(): boolean
}

/**
 * Makes room in memory: waits for engines that end, and ends idle ones, until so many bytes are free. Resolves with
 * `null` when they are; where nobody is left to go, with how many there are. Each turn sees one engine off.
 */
export async function makeRoom(neededBytes: number, room: Room): Promise<number | null> {
  while (!room.isOver()) {
    const freeBytes = room.free()
    if (neededBytes <= freeBytes) return null
    if (room.leaving().length === 0) room.evictIdle()
    const leaving = room.leaving()
    if (leaving.length === 0) return freeBytes
    await Promise.race(leaving)
  }
  return null
}
