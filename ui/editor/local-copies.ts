import type { Content } from './data'

/** What this browser keeps of a working copy as long as the server does not have it. */
export interface LocalCopy {
  content: Content
  /** What was typed as code where that is no document (yet). */
  text: string | null
  /** What the server had when the changes began: needed to bring both together. */
  base: Content | null
  agentId: string | null
  at: number
}

type Shelf = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'>

const PREFIX = 'tycho.edit.'
/** Beyond that the oldest goes: a browser gives some 5 MB for everything. */
const MAX_COPIES = 20

/** Copies by key: the id of a draft, or what stands for one that has none yet. */
export function localCopies(shelf: Shelf) {
  const keys = () =>
    Array.from({ length: shelf.length }, (_, index) => shelf.key(index) ?? '').filter((key) =>
      key.startsWith(PREFIX),
    )

  function read(key: string): LocalCopy | null {
    const text = shelf.getItem(PREFIX + key)
    if (text === null) return null
    try {
      return JSON.parse(text) as LocalCopy
    } catch {
      // Cut off in the middle, as by a full disk: there is nothing to bring back.
      return null
    }
  }

  function makeRoom(most: number) {
    const byAge = keys()
      .map((key) => ({ key, at: read(key.slice(PREFIX.length))?.at ?? 0 }))
      .sort((a, b) => a.at - b.at)
    for (const { key } of byAge.slice(0, Math.max(0, byAge.length - most))) shelf.removeItem(key)
  }

  return {
    read,

    /** False where the browser has no room for it. */
    keep(key: string, copy: LocalCopy): boolean {
      makeRoom(MAX_COPIES)
      try {
        shelf.setItem(PREFIX + key, JSON.stringify(copy))
        return true
      } catch {
        return false
      }
    },

    drop: (key: string) => shelf.removeItem(PREFIX + key),

    /** Copies of agents that never reached the server, the newest first. */
    strays: (but: string): { key: string; copy: LocalCopy }[] =>
      keys()
        .map((key) => key.slice(PREFIX.length))
        .filter((key) => key.startsWith('new:') && key !== but)
        .flatMap((key) => {
          const copy = read(key)
          return copy ? [{ key, copy }] : []
        })
        .sort((a, b) => b.copy.at - a.copy.at),
  }
}

export type LocalCopies = ReturnType<typeof localCopies>
