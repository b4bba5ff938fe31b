const OPEN = '<think>'
const CLOSE = '</think>'

export interface Split {
  text: string
  reasoning: string
}

/**
 * Takes a model's inline thinking out of its answer, piece by piece as it streams. At most one `<think>` block counts,
 * and only while the answer is still blank; any later tag, and a closing tag without an opening one, is the answer's
 * own text. A tag may be cut anywhere between two pieces, so a tail that could be the start of the sought one is held
 * back until the next piece tells.
 *
 * States: `before` (the answer is blank so far) → `inside` (after the opening tag) → `after`; or `before` → `after`
 * as soon as the answer has begun.
 */
export function thinkSplitter() {
  let state: 'before' | 'inside' | 'after' = 'before'
  let held = ''

  function push(piece: string): Split {
    if (state === 'after') return { text: piece, reasoning: '' }
    const pending = held + piece
    held = ''
    return state === 'before' ? beforeAnswer(pending) : insideBlock(pending)
  }

  function beforeAnswer(pending: string): Split {
    const begin = pending.search(/\S/)
    if (begin === -1) return { text: pending, reasoning: '' }
    const blank = pending.slice(0, begin)
    const rest = pending.slice(begin)
    if (rest.startsWith(OPEN)) {
      state = 'inside'
      const { text, reasoning } = insideBlock(rest.slice(OPEN.length))
      return { text: blank + text, reasoning }
    }
    if (OPEN.startsWith(rest)) {
      held = rest
      return { text: blank, reasoning: '' }
    }
    state = 'after'
    return { text: pending, reasoning: '' }
  }

  function insideBlock(pending: string): Split {
    const end = pending.indexOf(CLOSE)
    if (end !== -1) {
      state = 'after'
      return { text: pending.slice(end + CLOSE.length), reasoning: pending.slice(0, end) }
    }
    const keep = tailThatMayBegin(CLOSE, pending)
    held = pending.slice(pending.length - keep)
    return { text: '', reasoning: pending.slice(0, pending.length - keep) }
  }

  return {
    push,
    /** What is still held back once the model is done: thinking inside an unclosed block, else text. */
    flush(): Split {
      const rest = held
      held = ''
      return state === 'inside' ? { text: '', reasoning: rest } : { text: rest, reasoning: '' }
    },
  }
}

/** Length of the longest end of `text` that is a proper prefix of `tag`. */
function tailThatMayBegin(tag: string, text: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--) {
    if (text.endsWith(tag.slice(0, length))) return length
  }
  return 0
}
