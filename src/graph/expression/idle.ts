/** What an entry takes besides its text, counted in characters of an expression. */
const ENTRY_CHARACTERS = 1_000

/**
 * Things that are costly to make from a text and used by one at a time: lent out, and taken back for the next who wants
 * the same. Of those that nobody has, the ones not used for longest go when their texts are over `maxCharacters`.
 */
export function idleByText<T>(make: (text: string) => T, maxCharacters: number) {
  const idle = new Map<string, T[]>()
  let characters = 0

  function take(text: string): T | undefined {
    const all = idle.get(text)
    const one = all?.pop()
    if (one === undefined) return undefined
    characters -= text.length + ENTRY_CHARACTERS
    if (all!.length === 0) idle.delete(text)
    return one
  }

  return {
    /** @throws what `make` throws */
    borrow: (text: string): T => take(text) ?? make(text),

    giveBack(text: string, one: T) {
      if (text.length + ENTRY_CHARACTERS > maxCharacters) return
      const all = idle.get(text) ?? []
      all.push(one)
      // Put in again, it is the youngest.
      idle.delete(text)
      idle.set(text, all)
      characters += text.length + ENTRY_CHARACTERS
      for (const oldest of idle.keys()) {
        while (characters > maxCharacters && take(oldest) !== undefined) {}
        if (characters <= maxCharacters) break
      }
    },
  }
}
