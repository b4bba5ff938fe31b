/** What a part of a model's text means. */
export type Piece =
  | { kind: 'content'; text: string }
  | { kind: 'reasoning'; text: string }
  /** A call of a tool, with as much of its arguments as is known. */
  | { kind: 'call'; name: string; arguments: string }
  /** More of the arguments of the last call. */
  | { kind: 'arguments'; text: string }

export type Call = Extract<Piece, { kind: 'call' }>

/** The calls in an answer, each with all of its arguments. */
export function callsOf(pieces: readonly Piece[]): Call[] {
  const calls: Call[] = []
  for (const piece of pieces) {
    if (piece.kind === 'call') calls.push({ ...piece })
    else if (piece.kind === 'arguments') calls.at(-1)!.arguments += piece.text
  }
  return calls
}

export interface TextParser {
  push(text: string): Piece[]
  /** What still waited, when the model has ended. */
  end(): Piece[]
}

/** Text that came and is not understood yet, and what was understood and not taken yet. */
export interface Reading {
  held: string
  out: Piece[]
}

/**
 * A parser of text that comes in parts of any size: `step` goes one step on and is false where more text must come first,
 * `leave` makes the best of what is left.
 */
export function textParser(reading: Reading, step: () => boolean, leave: () => void): TextParser {
  const taken = () => reading.out.splice(0)
  return {
    push(text) {
      reading.held += text
      while (step());
      return taken()
    },
    end() {
      leave()
      reading.held = ''
      return taken()
    },
  }
}
