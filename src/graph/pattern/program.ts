import { type Assertion, PatternError, type Piece, type UnitTest } from './syntax'

export type Instruction =
  | { op: 'one'; test: UnitTest }
  | { op: 'assert'; what: Assertion }
  | { op: 'split'; first: number; second: number }
  | { op: 'jump'; to: number }
  | { op: 'save'; slot: number }
  /** A group inside a repetition begins each turn unmatched. */
  | { op: 'clear'; from: number; to: number }
  /** A turn that took nothing is not one: ends this way if the place is still the one in the slot. */
  | { op: 'progress'; slot: number }
  | { op: 'match' }

export interface Program {
  instructions: readonly Instruction[]
  /** Two for the whole match, two per group, then one for each repetition of what may be empty. */
  slots: number
  repetitionsFrom: number
}

/** Each instruction costs one step per character at most; `(a{1000}){1000}` would be a million of them. */
const MAX_INSTRUCTIONS = 5_000

/** Turns a pattern's tree into instructions. @throws {PatternError} */
export function compileProgram(branches: Piece[][], captures: number): Program {
  const program: Instruction[] = []
  let slots = (captures + 1) * 2
  const emit = <I extends Instruction>(instruction: I): I => {
    if (program.length >= MAX_INSTRUCTIONS) throw new PatternError('The regular expression is too large.')
    program.push(instruction)
    return instruction
  }

  alternatives(branches)
  emit({ op: 'match' })
  return { instructions: program, slots, repetitionsFrom: (captures + 1) * 2 }

  function alternatives(all: Piece[][]): void {
    const ends: { to: number }[] = []
    all.forEach((pieces, index) => {
      const split =
        index < all.length - 1 ? emit({ op: 'split', first: program.length + 1, second: 0 }) : null
      for (const piece of pieces) one(piece)
      if (!split) return
      ends.push(emit({ op: 'jump', to: 0 }))
      split.second = program.length
    })
    for (const end of ends) end.to = program.length
  }

  function one(piece: Piece): void {
    switch (piece.kind) {
      case 'one':
        emit({ op: 'one', test: piece.test })
        return
      case 'assert':
        emit({ op: 'assert', what: piece.what })
        return
      case 'group':
        if (piece.capture !== null) emit({ op: 'save', slot: piece.capture * 2 })
        alternatives(piece.branches)
        if (piece.capture !== null) emit({ op: 'save', slot: piece.capture * 2 + 1 })
        return
      case 'repeat':
        repeat(piece)
    }
  }

  function repeat({ body, min, max, greedy, captures }: Extract<Piece, { kind: 'repeat' }>): void {
    const turn = () => {
      if (captures[0] <= captures[1]) emit({ op: 'clear', from: captures[0], to: captures[1] })
      one(body)
    }
    const slot = max > min && mayBeEmpty(body) ? slots++ : null
    const optionalTurn = () => {
      if (slot === null) return turn()
      emit({ op: 'save', slot })
      turn()
      emit({ op: 'progress', slot })
    }
    for (let count = 0; count < min; count++) turn()
    const begin = program.length
    const exits: (() => void)[] = []
    for (let count = min; count < (max === Number.POSITIVE_INFINITY ? min + 1 : max); count++) {
      const split = emit({ op: 'split', first: program.length + 1, second: program.length + 1 })
      exits.push(() => {
        split[greedy ? 'second' : 'first'] = program.length
      })
      optionalTurn()
    }
    if (max === Number.POSITIVE_INFINITY) emit({ op: 'jump', to: begin })
    for (const exit of exits) exit()
  }
}

function mayBeEmpty(piece: Piece): boolean {
  switch (piece.kind) {
    case 'one':
      return false
    case 'assert':
      return true
    case 'group':
      return piece.branches.some((pieces) => pieces.every(mayBeEmpty))
    case 'repeat':
      return piece.min === 0 || mayBeEmpty(piece.body)
  }
}
