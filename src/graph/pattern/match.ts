import type { Instruction, Program } from './program'

/** A place in the program, and where the groups were met on the way to it. */
interface Thread {
  at: number
  slots: readonly number[]
}

type Condition = Extract<Instruction, { op: 'assert' | 'progress' }>

/** Where a match begins and ends: slots 0 and 1, then two per group; -1 is unset. */
export type Slots = readonly number[]

/**
 * Finds the match that JavaScript would find, by following all ways through the program at once, the preferred one
 * first (Pike's method). No instruction is done twice in the same state at one character, so the time is bounded by the
 * product of the two lengths. `spend` is told of every character's work, and may throw.
 */
export function findMatch(
  { instructions: program, slots: slotCount, repetitionsFrom }: Program,
  multiline: boolean,
  text: string,
  from: number,
  spend: (steps: number) => void,
): Slots | null {
  const unset: Slots = new Array(slotCount).fill(-1)
  const tracked = Math.min(slotCount - repetitionsFrom, MAX_TRACKED)
  const seenAt = new Int32Array(program.length << tracked).fill(-1)
  let threads: Thread[] = []
  let found: Slots | null = null

  for (let place = from; place <= text.length; place++) {
    if (!found) follow(threads, { at: 0, slots: withSlot(unset, 0, place) }, place)
    if (threads.length === 0 && found) break
    spend(threads.length + 1)
    const next: Thread[] = []
    for (const thread of threads) {
      const instruction = program[thread.at]!
      if (instruction.op === 'match') {
        found = withSlot(thread.slots, 1, place)
        // The ways that come after this one are less preferred.
        break
      }
      if (instruction.op === 'one' && place < text.length && instruction.test(text.charCodeAt(place))) {
        follow(next, { at: thread.at + 1, slots: thread.slots }, place + 1)
      }
    }
    threads = next
  }
  return found

  /** Adds every place that can be reached from a thread without taking a character. */
  function follow(into: Thread[], start: Thread, place: number): void {
    const open = [start]
    while (open.length > 0) {
      const thread = open.pop()!
      if (seen(thread, place)) continue
      const { slots, at } = thread
      const instruction = program[at]!
      switch (instruction.op) {
        case 'one':
        case 'match':
          into.push(thread)
          break
        case 'jump':
          open.push({ at: instruction.to, slots })
          break
        case 'split':
          open.push({ at: instruction.second, slots }, { at: instruction.first, slots })
          break
        case 'save':
          open.push({ at: at + 1, slots: withSlot(slots, instruction.slot, place) })
          break
        case 'clear':
          open.push({ at: at + 1, slots: slots.map((slot, index) => (isOf(instruction, index) ? -1 : slot)) })
          break
        case 'progress':
        case 'assert':
          if (passes(instruction, slots, place)) open.push({ at: at + 1, slots })
      }
    }
  }

  function seen({ at, slots }: Thread, place: number): boolean {
    const state = at + program.length * justBegun(slots, place)
    const before = seenAt[state] === place
    seenAt[state] = place
    return before
  }

  /** Which repetitions have taken nothing in this turn so far: two ways that differ in this can end differently. */
  function justBegun(slots: Slots, place: number): number {
    let begun = 0
    for (let index = 0; index < tracked; index++) {
      if (slots[repetitionsFrom + index] === place) begun |= 1 << index
    }
    return begun
  }

  function passes(condition: Condition, slots: Slots, place: number): boolean {
    if (condition.op === 'progress') return slots[condition.slot] !== place
    switch (condition.what) {
      case 'start':
        return place === 0 || (multiline && isLineEnd(text.charCodeAt(place - 1)))
      case 'end':
        return place === text.length || (multiline && isLineEnd(text.charCodeAt(place)))
      case 'boundary':
        return isWord(text.charCodeAt(place - 1)) !== isWord(text.charCodeAt(place))
      case 'inside':
        return isWord(text.charCodeAt(place - 1)) === isWord(text.charCodeAt(place))
    }
  }
}

/** Bounds the work: each doubles the states. */
const MAX_TRACKED = 6

const isOf = ({ from, to }: { from: number; to: number }, slot: number) =>
  slot >= from * 2 && slot <= to * 2 + 1

function withSlot(slots: Slots, slot: number, value: number): Slots {
  const copy = [...slots]
  copy[slot] = value
  return copy
}

const isLineEnd = (unit: number) => unit === 0x0a || unit === 0x0d || unit === 0x2028 || unit === 0x2029

/** Beyond either end there is no unit (NaN), which is no part of a word. */
const isWord = (unit: number) =>
  (unit >= 0x30 && unit <= 0x39) ||
  (unit >= 0x41 && unit <= 0x5a) ||
  unit === 0x5f ||
  (unit >= 0x61 && unit <= 0x7a)
