import type { ManagedRegistration } from './engine'
import type { EngineRun } from './lease'
import { currentOf, type Phase, type Slot, type SlotState } from './slots'

/** What is told of a model besides, while there is something to tell. */
interface Notes {
  /** How long it has been on its way, the wait for a place included. */
  loadingMs?: number
  /** What is wrong with its being in memory, for a person. */
  warning?: string
}

export interface LiveModel extends Notes {
  resident: boolean
  /** What it is doing besides: `cold` where it has no slot. */
  phase: Phase | 'cold'
  inflight: number
  draining: boolean
  baseUrl?: string
}

export interface LiveEngine extends Notes {
  logicalId: string
  engine: ManagedRegistration['binding']
  model: string
  modality: ManagedRegistration['modality']
  phase: Phase
  baseUrl: string | null
  inflight: number
  draining: boolean
  priority: number
}

/** What is known of whoever holds a slot. */
export interface Holder {
  registration?: ManagedRegistration
  run?: Pick<EngineRun, 'baseUrl'>
  warning?: string
}

export function liveModel(
  { slots }: SlotState,
  held: ReadonlyMap<number, Holder>,
  id: string,
  now: number,
): LiveModel {
  const slot = currentOf(slots, id) ?? slots.findLast((other) => other.id === id)
  if (!slot) return { resident: false, phase: 'cold', inflight: 0, draining: false }
  const one = held.get(slot.number)
  const baseUrl = one?.run?.baseUrl
  const resident = slot.phase === 'ready'
  const shown = resident && baseUrl ? { baseUrl } : {}
  return {
    resident,
    phase: slot.phase,
    inflight: inflight(slot),
    draining: isDraining(slot),
    ...shown,
    ...notes(slot, one, now),
  }
}

/** All engines alive, those that load and stop included: as many as count against the ceiling. */
export const liveEngines = (
  { slots }: SlotState,
  held: ReadonlyMap<number, Holder>,
  now: number,
): LiveEngine[] =>
  slots.flatMap((slot) => {
    const one = held.get(slot.number)
    if (!one?.registration) return []
    const { binding, model, modality } = one.registration
    return {
      logicalId: slot.id,
      engine: binding,
      model,
      modality,
      phase: slot.phase,
      baseUrl: one.run?.baseUrl ?? null,
      inflight: inflight(slot),
      draining: isDraining(slot),
      priority: slot.lifecycle.priority,
      ...notes(slot, one, now),
    }
  })

const notes = ({ phase, since }: Slot, one: Holder | undefined, now: number): Notes => ({
  ...(phase === 'waiting' || phase === 'loading' ? { loadingMs: Math.max(0, now - since) } : {}),
  ...(one?.warning === undefined ? {} : { warning: one.warning }),
})

const inflight = ({ phase, tickets }: Slot): number => (phase === 'ready' ? tickets.length : 0)

const isDraining = ({ draining, retired, phase }: Slot): boolean =>
  draining !== null || retired || phase === 'stopping'
