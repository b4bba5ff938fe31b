import { AppError } from '#kernel/errors'
import type { Logger } from '#kernel/log'
import { every } from '#kernel/loop'
import type { ManagedRegistration, Plan } from './engine'
import type { EngineRun, Lease } from './lease'
import { type Holder, liveEngines, liveModel } from './live'
import { type Memory, shortOfMemory, totalOf } from './memory'
import { orAbort } from './or-abort'
import { makeRoom } from './room'
import {
  currentOf,
  emptySlots,
  type SlotEffect,
  type SlotEvent,
  type SlotState,
  step,
  type Ticket,
} from './slots'
import { waitingRoom } from './waiting-room'

/** How often idle engines are looked for. */
const REAP_MS = 30_000

interface Deps {
  /** What is registered under the id now. @throws {AppError} `model_not_found` */
  registration: (id: string) => ManagedRegistration
  /** Checks program and weights. @throws {AppError} `engine_unavailable`, `incomplete_weights` */
  plan: (registration: ManagedRegistration) => Promise<Plan>
  run: (id: string, plan: Plan) => EngineRun
  /** How many engines may be alive. */
  ceiling: number
  memory: Memory
  now: () => number
  log: Logger
  reapMs?: number
}

/** What holds a slot: everything about it that `slots.ts` need not know. */
interface Held extends Holder {
  plan?: Plan
  run?: EngineRun
  stopAsked: boolean
  readonly gone: PromiseWithResolvers<void>
}

export type Resident = ReturnType<typeof residentEngines>

/** The engines in memory. `slots.ts` decides who stays; this does what it decided, one event at a time. */
export function residentEngines(deps: Deps) {
  const { registration, plan, run, ceiling, memory, now, log, reapMs = REAP_MS } = deps
  let state: SlotState = emptySlots(ceiling)
  let nextTicket: Ticket = 1
  const held = new Map<number, Held>()
  const waiting = waitingRoom({ left: (ticket) => dispatch({ type: 'release', ticket }) })
  const leases = new Map<Ticket, AbortController>()
  const checks = new Map<string, Promise<unknown>>()
  const events: SlotEvent[] = []
  let dispatching = false
  const closing = new AbortController()
  every(reapMs, 'idle engines', () => dispatch({ type: 'tick' }), log, closing.signal)

  /** An effect may bring the next event at once; it waits its turn. */
  function dispatch(event: SlotEvent): void {
    events.push(event)
    if (dispatching) return
    dispatching = true
    for (let next = events.shift(); next; next = events.shift()) {
      const { state: after, effects } = step(state, next, now())
      state = after
      for (const effect of effects) perform(effect)
    }
    dispatching = false
  }

  function perform(effect: SlotEffect) {
    switch (effect.type) {
      case 'start':
        return void live(effect.slot, effect.id)
      case 'stop':
        return stop(held.get(effect.slot))
      case 'grant':
        return grant(effect.ticket, effect.slot)
      case 'refuse':
        return refuse(effect.ticket, effect.because)
      case 'revoke':
        leases.get(effect.ticket)?.abort(effect.error ?? stopped())
        leases.delete(effect.ticket)
    }
  }

  /** One engine from its start to its end. */
  async function live(slot: number, id: string): Promise<void> {
    const one: Held = { stopAsked: false, gone: Promise.withResolvers() }
    held.set(slot, one)
    try {
      one.registration = registration(id)
      one.plan = await plan(one.registration)
      await takeRoom(slot, id, one)
      if (!one.stopAsked) {
        one.run = run(id, one.plan)
        await one.run.start()
        dispatch({ type: 'loaded', slot, lifecycle: one.registration.lifecycle })
        const error = await Promise.race([one.run.died, one.run.gone])
        if (error) dispatch({ type: 'crashed', slot, error })
      }
    } catch (error) {
      dispatch({ type: 'load-failed', slot, error: withWarning(error, one) })
    }
    await one.run?.gone
    dispatch({ type: 'gone', slot })
    held.delete(slot)
    one.gone.resolve()
  }

  /** A model that the memory does not hold is loaded all the same, and whoever looks is told. */
  async function takeRoom(slot: number, id: string, one: Held): Promise<void> {
    const need = one.plan?.memory
    if (!need) return
    const others = () => state.slots.filter(({ number }) => number !== slot)
    const taken = () => others().reduce((sum, { number }) => sum + takenBy(held.get(number)), 0)
    const freeBytes = await makeRoom(totalOf(need), {
      free: () => memory.free(taken()),
      evictIdle: () => dispatch({ type: 'crowded' }),
      leaving: () =>
        others().flatMap(({ number, phase }) => (phase === 'stopping' ? held.get(number)!.gone.promise : [])),
      isOver: () => one.stopAsked,
    })
    if (freeBytes === null) return
    one.warning = shortOfMemory(need, freeBytes)
    log.warn({ model: id, ...need, freeBytes }, 'a model is loaded that the memory hardly holds')
  }

  function stop(one: Held | undefined): void {
    if (!one) return
    one.stopAsked = true
    void one.run?.stop()
  }

  function grant(ticket: Ticket, slot: number): void {
    const one = held.get(slot)!
    const dead = new AbortController()
    leases.set(ticket, dead)
    const release = () => {
      leases.delete(ticket)
      dispatch({ type: 'release', ticket })
    }
    waiting.grant(ticket, {
      registration: one.registration!,
      plan: one.plan!,
      baseUrl: one.run!.baseUrl,
      signal: dead.signal,
      release,
      condemn(error) {
        dispatch({ type: 'crashed', slot, error })
        stop(one)
      },
      [Symbol.asyncDispose]: async () => release(),
    })
  }

  function refuse(ticket: Ticket, because: (SlotEffect & { type: 'refuse' })['because']): void {
    waiting.refuse(ticket, because === 'no_capacity' ? noCapacity() : (because.error ?? stopped()))
  }

  /** Finds out before anybody is evicted for it whether the model can be loaded at all. */
  function check(id: string): Promise<unknown> {
    const under = checks.get(id) ?? plan(registration(id)).finally(() => checks.delete(id))
    checks.set(id, under)
    return under
  }

  async function acquire(id: string, signal: AbortSignal): Promise<Lease> {
    const known = registration(id)
    if (!currentOf(state.slots, id)) await orAbort(check(id), signal)
    signal.throwIfAborted()
    if (closing.signal.aborted) throw shuttingDown()
    // Asked anew only where time has passed: it may have been replaced or deleted meanwhile.
    return await request(id, currentOf(state.slots, id) ? known : registration(id), signal)
  }

  function request(id: string, { lifecycle }: ManagedRegistration, signal: AbortSignal): Promise<Lease> {
    const ticket = nextTicket++
    const lease = waiting.enter(ticket, signal)
    dispatch({ type: 'request', ticket, id, lifecycle })
    return lease
  }

  /** Resolves when the model's engine is gone, or at once where it has to finish what it does. */
  async function send(type: 'evict' | 'retire', id: string): Promise<void> {
    const slot = currentOf(state.slots, id)
    dispatch({ type, id })
    if (slot && state.slots.find(({ number }) => number === slot.number)?.phase === 'stopping') {
      await held.get(slot.number)?.gone.promise
    }
  }

  return {
    acquire,
    /** Loads a model; it stays until somebody else needs the room. */
    async warm(id: string, signal: AbortSignal): Promise<void> {
      await using _ = await acquire(id, signal)
    },
    evict: (id: string) => send('evict', id),
    /** After a registration was replaced or deleted: its engine serves who has it, and nobody else. */
    retire: (id: string) => send('retire', id),
    setCeiling: (ceiling: number) => dispatch({ type: 'ceiling', ceiling }),
    ceiling: (): number => state.ceiling,
    /** Stops what was idle for too long. Done by itself every half minute. */
    reap: () => dispatch({ type: 'tick' }),

    model: (id: string) => liveModel(state, held, id, now()),
    engines: () => liveEngines(state, held, now()),

    /** Stops every engine, whoever uses it, and refuses who waits. */
    async [Symbol.asyncDispose]() {
      closing.abort()
      for (const ticket of waiting.tickets()) {
        waiting.refuse(ticket, shuttingDown())
        dispatch({ type: 'release', ticket })
      }
      const all = [...held.values()]
      for (const one of all) stop(one)
      await Promise.all(all.map(({ gone }) => gone.promise))
    },
  }
}

const takenBy = (one: Held | undefined): number => totalOf(one?.plan?.memory)

/** Why it failed may be that the memory was short. */
const withWarning = (error: unknown, { warning }: Held): unknown =>
  warning !== undefined && error instanceof AppError
    ? new AppError(error.code, `${error.message}\n${warning}`, { status: error.status, cause: error })
    : error

const noCapacity = () =>
  new AppError(
    'no_capacity',
    'All engine slots are in use. Try again when an answer has ended, evict a model, or raise maxResident.',
  )
const stopped = () => new AppError('engine_unavailable', 'The engine was stopped.')
const shuttingDown = () => new AppError('shutting_down', 'Tycho is shutting down.')
