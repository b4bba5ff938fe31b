/**
 * Which engines stay loaded: a pure function from (state, event, time) to a new state and what is to be done.
 * `resident.ts` does it. Nothing here waits, reads a clock or knows what an engine is.
 *
 *     waiting → loading → ready → stopping → (gone)
 *
 * 1. Every process alive counts against the ceiling: loading, ready and stopping ones. Those that stop are on their
 *    way out, so admission counts the others, and the new one waits for the last of them to be gone.
 * 2. A slot waits for processes that end, never for a lease: who holds a lease may ask for another model without
 *    waiting for himself. Where only a lease stands in the way the answer is `no_capacity`, at once.
 * 3. Victims are idle slots, for the ceiling and for memory alike: those without keep-warm first, then by priority, then the least recently used.
 */
export interface Lifecycle {
  keepWarm: boolean
  idleTimeoutSec: number
  priority: number
}

export type Phase = 'waiting' | 'loading' | 'ready' | 'stopping'

/** One request for a model: it waits in a slot until the engine is ready, and then is its lease. */
export type Ticket = number

export interface Slot {
  readonly number: number
  readonly id: string
  readonly lifecycle: Lifecycle
  readonly phase: Phase
  /** Waiting or loading: who waits for the engine. Ready: who uses it. */
  readonly tickets: readonly Ticket[]
  /** To be stopped when its last lease ends: because somebody asked, or because of a lowered ceiling. */
  readonly draining: 'asked' | 'ceiling' | null
  /** Its registration was replaced or deleted: it ends with its last lease and gets no new one. */
  readonly retired: boolean
  /** When somebody asked for the model that had no slot. */
  readonly since: number
  /** When it was last taken or given back. */
  readonly lastUsed: number
}

export interface SlotState {
  readonly ceiling: number
  /** Oldest first. */
  readonly slots: readonly Slot[]
  readonly nextNumber: number
}

export type SlotEvent =
  | { type: 'request'; ticket: Ticket; id: string; lifecycle: Lifecycle }
  /** A lease ends, or somebody who waits leaves. */
  | { type: 'release'; ticket: Ticket }
  /** With the life cycle of what was loaded: a registration may be replaced while its slot waits for room. */
  | { type: 'loaded'; slot: number; lifecycle: Lifecycle }
  | { type: 'load-failed'; slot: number; error: unknown }
  | { type: 'crashed'; slot: number; error: unknown }
  /** No process of the slot runs any more. */
  | { type: 'gone'; slot: number }
  | { type: 'evict'; id: string }
  /** The registration was replaced or deleted. */
  | { type: 'retire'; id: string }
  | { type: 'ceiling'; ceiling: number }
  /** The memory does not hold what is to be loaded: an idle engine makes room, where there is one. */
  | { type: 'crowded' }
  | { type: 'tick' }

export type SlotEffect =
  | { type: 'start'; slot: number; id: string }
  | { type: 'stop'; slot: number }
  | { type: 'grant'; ticket: Ticket; slot: number }
  | { type: 'refuse'; ticket: Ticket; because: 'no_capacity' | { error: unknown } }
  /** The engine under a lease is dead. */
  | { type: 'revoke'; ticket: Ticket; error: unknown }

export const emptySlots = (ceiling: number): SlotState => ({ ceiling, slots: [], nextNumber: 1 })

export function step(state: SlotState, event: SlotEvent, now: number) {
  const draft: Draft = {
    ceiling: state.ceiling,
    slots: state.slots.map((slot) => ({ ...slot, tickets: [...slot.tickets] })),
    nextNumber: state.nextNumber,
    effects: [],
  }
  apply(draft, event, now)
  if (event.type !== 'request') holdCeiling(draft)
  startWaiting(draft)
  const { effects, ...next } = draft
  return { state: next as SlotState, effects }
}

/** The slot that new requests for the id go to. */
export const currentOf = <S extends Slot>(slots: readonly S[], id: string): S | undefined =>
  slots.find((slot) => slot.id === id && !slot.retired && slot.phase !== 'stopping')

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }
type DraftSlot = Omit<Mutable<Slot>, 'tickets'> & { tickets: Ticket[] }
interface Draft {
  ceiling: number
  slots: DraftSlot[]
  nextNumber: number
  effects: SlotEffect[]
}

function apply(draft: Draft, event: SlotEvent, now: number) {
  switch (event.type) {
    case 'request':
      return request(draft, event, now)
    case 'release':
      return release(draft, event.ticket, now)
    case 'loaded':
      return loaded(draft, find(draft, event.slot), event.lifecycle, now)
    case 'load-failed':
    case 'crashed':
      return ended(draft, find(draft, event.slot), event.error)
    case 'gone':
      ended(draft, find(draft, event.slot), undefined)
      return drop(draft, event.slot)
    case 'evict':
    case 'retire':
      return drain(draft, currentOf(draft.slots, event.id), event.type)
    case 'ceiling':
      draft.ceiling = event.ceiling
      return
    case 'crowded':
      for (const victim of victimsIn(draft).slice(0, 1)) stop(draft, victim)
      return
    case 'tick':
      for (const slot of draft.slots) if (isReapable(slot, now)) stop(draft, slot)
  }
}

function request(draft: Draft, { ticket, id, lifecycle }: SlotEvent & { type: 'request' }, now: number) {
  const slot = currentOf(draft.slots, id) ?? admit(draft, id, lifecycle, now)
  if (!slot) {
    draft.effects.push({ type: 'refuse', ticket, because: 'no_capacity' })
    return
  }
  slot.tickets.push(ticket)
  slot.draining = null
  slot.lastUsed = now
  if (slot.phase === 'ready') draft.effects.push({ type: 'grant', ticket, slot: slot.number })
}

/** A slot for a model that has none, at the cost of idle ones; `undefined`, and nobody evicted, where those are too few. */
function admit(draft: Draft, id: string, lifecycle: Lifecycle, now: number): DraftSlot | undefined {
  const needed = committed(draft) + 1 - draft.ceiling
  const victims = victimsIn(draft).filter(({ draining }) => draining === null)
  if (victims.length < needed) return undefined
  for (const victim of victims.slice(0, Math.max(0, needed))) stop(draft, victim)
  const slot: DraftSlot = {
    number: draft.nextNumber++,
    id,
    lifecycle,
    phase: 'waiting',
    tickets: [],
    draining: null,
    retired: false,
    since: now,
    lastUsed: now,
  }
  draft.slots.push(slot)
  return slot
}

function release(draft: Draft, ticket: Ticket, now: number) {
  const slot = draft.slots.find(({ tickets }) => tickets.includes(ticket))
  // Revoked or refused before: its engine is gone, and so is the ticket.
  if (!slot) return
  slot.tickets = slot.tickets.filter((other) => other !== ticket)
  slot.lastUsed = now
  if (slot.tickets.length > 0) return
  if (slot.phase === 'waiting') return drop(draft, slot.number)
  // A load that nobody waits for any more goes on: who asked once is likely to ask again.
  if (slot.retired || slot.draining === 'asked') stop(draft, slot)
}

function loaded(draft: Draft, slot: DraftSlot | undefined, lifecycle: Lifecycle, now: number): void {
  if (slot?.phase !== 'loading') return
  slot.phase = 'ready'
  slot.lifecycle = lifecycle
  slot.lastUsed = now
  for (const ticket of slot.tickets) draft.effects.push({ type: 'grant', ticket, slot: slot.number })
}

/** The engine is of no use any more; its process may still be on the way out. */
function ended(draft: Draft, slot: DraftSlot | undefined, error: unknown): void {
  if (!slot || slot.phase === 'stopping') return
  for (const ticket of slot.tickets) {
    if (slot.phase === 'ready') draft.effects.push({ type: 'revoke', ticket, error })
    else draft.effects.push({ type: 'refuse', ticket, because: { error } })
  }
  slot.tickets = []
  slot.draining = null
  slot.phase = 'stopping'
}

function drain(draft: Draft, slot: DraftSlot | undefined, why: 'evict' | 'retire') {
  // One that waits was not started yet: it starts with whatever is registered by then.
  if (!slot || slot.phase === 'waiting') return
  slot.draining = 'asked'
  slot.retired = why === 'retire'
  if (slot.tickets.length === 0) stop(draft, slot)
}

/**
 * After the ceiling was lowered: idle slots go at once, busy ones when their last lease ends. Asked again after every
 * event, for whoever becomes idle next may be the one to go, and marks that are not needed any more disappear.
 */
function holdCeiling(draft: Draft): void {
  for (const slot of draft.slots) if (slot.draining === 'ceiling') slot.draining = null
  const excess = () => committed(draft) - draft.ceiling
  for (const slot of victimsIn(draft)) if (excess() > 0) stop(draft, slot)
  for (const slot of draft.slots.filter(({ phase }) => phase === 'waiting').reverse()) {
    if (excess() > 0) giveUp(draft, slot)
  }
  const busy = draft.slots.filter(({ phase }) => phase === 'loading' || phase === 'ready')
  let leaving = busy.filter(({ draining }) => draining !== null).length
  for (const slot of inVictimOrder(busy)) {
    if (leaving >= excess() || slot.draining !== null) continue
    slot.draining = 'ceiling'
    leaving++
  }
}

/** There is no room for it any more, and none will come by itself. */
function giveUp(draft: Draft, slot: DraftSlot): void {
  for (const ticket of slot.tickets) draft.effects.push({ type: 'refuse', ticket, because: 'no_capacity' })
  drop(draft, slot.number)
}

function startWaiting(draft: Draft): void {
  for (const slot of draft.slots) {
    if (slot.phase !== 'waiting') continue
    if (alive(draft) >= draft.ceiling) return
    slot.phase = 'loading'
    draft.effects.push({ type: 'start', slot: slot.number, id: slot.id })
  }
}

function stop(draft: Draft, slot: DraftSlot): void {
  slot.phase = 'stopping'
  slot.draining = null
  draft.effects.push({ type: 'stop', slot: slot.number })
}

function drop(draft: Draft, number: number): void {
  draft.slots = draft.slots.filter((slot) => slot.number !== number)
}

const find = (draft: Draft, number: number) => draft.slots.find((slot) => slot.number === number)

/** What the ceiling is held against: all that is loaded or promised. */
const committed = ({ slots }: Draft): number => slots.filter(({ phase }) => phase !== 'stopping').length

const alive = ({ slots }: Draft): number => slots.filter(({ phase }) => phase !== 'waiting').length

const isIdle = ({ phase, tickets }: Slot | DraftSlot): boolean => phase === 'ready' && tickets.length === 0

const isReapable = (slot: DraftSlot, now: number): boolean =>
  isIdle(slot) && !slot.lifecycle.keepWarm && now - slot.lastUsed >= slot.lifecycle.idleTimeoutSec * 1000

/** The idle ones, first who is to go first. */
const victimsIn = ({ slots }: Draft): DraftSlot[] => inVictimOrder(slots.filter(isIdle))

const inVictimOrder = (slots: DraftSlot[]): DraftSlot[] =>
  [...slots].sort(
    (a, b) =>
      Number(a.lifecycle.keepWarm) - Number(b.lifecycle.keepWarm) ||
      a.lifecycle.priority - b.lifecycle.priority ||
      a.lastUsed - b.lastUsed ||
      a.number - b.number,
  )
