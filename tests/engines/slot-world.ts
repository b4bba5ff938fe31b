import {
  emptySlots,
  type Lifecycle,
  type SlotEffect,
  type SlotEvent,
  type SlotState,
  step,
} from '#engines/slots'

/** A step of a random story. Numbers pick among what there is at that moment. */
export type Move =
  | { do: 'request'; id: number }
  | { do: 'leave'; pick: number }
  | { do: 'load'; pick: number; ok: boolean }
  | { do: 'crash'; pick: number }
  | { do: 'exit'; pick: number }
  | { do: 'evict'; id: number }
  | { do: 'replace'; id: number; lifecycle: Lifecycle }
  | { do: 'ceiling'; ceiling: number }
  | { do: 'crowd' }
  | { do: 'wait'; seconds: number }

interface Process {
  id: string
  /** How often the model's registration was replaced when it started. */
  generation: number
  phase: 'loading' | 'ready' | 'stopping'
  lifecycle: Lifecycle
  lastUsed: number
  leases: Set<number>
}

interface Request {
  id: string
  generation: number
  outcome: 'pending' | 'leased' | 'over'
}

/**
 * The world around the slots: processes that load, crash and take their time to end, and callers who come and go. It
 * keeps its own books from the effects alone and throws at the first one that breaks a rule of the specification.
 */
export class SlotWorld {
  now = 1_000_000
  state: SlotState
  readonly processes = new Map<number, Process>()
  readonly requests = new Map<number, Request>()
  readonly counts: Record<string, number> = {}
  #nextTicket = 1
  #generations = new Map<string, number>()

  constructor(
    ceiling: number,
    private readonly lifecycles: Map<string, Lifecycle>,
  ) {
    this.state = emptySlots(ceiling)
  }

  make(move: Move) {
    this.now += 1
    switch (move.do) {
      case 'request':
        return this.#request(`m${move.id}`)
      case 'leave':
        return this.#leave(pickOf(this.#live(), move.pick))
      case 'load':
        return this.#load(pickOf(this.#in('loading'), move.pick), move.ok)
      case 'crash':
        return this.#crash(pickOf(this.#in('ready'), move.pick))
      case 'exit':
        return this.#exit(pickOf(this.#in('stopping'), move.pick))
      case 'evict':
        return this.#send({ type: 'evict', id: `m${move.id}` })
      case 'replace': {
        const id = `m${move.id}`
        this.lifecycles.set(id, move.lifecycle)
        this.#generations.set(id, this.#generation(id) + 1)
        return this.#send({ type: 'retire', id })
      }
      case 'ceiling':
        return this.#send({ type: 'ceiling', ceiling: move.ceiling })
      case 'crowd':
        return this.#crowd()
      case 'wait':
        this.now += move.seconds * 1000
        return this.#send({ type: 'tick' })
    }
  }

  /** Lets every load and every stop come to its end. Nobody releases anything. */
  settle(ok: boolean): void {
    for (let round = 0; this.#in('loading').length + this.#in('stopping').length > 0; round++) {
      if (round > 200) throw new Error('loads and stops go on for ever')
      for (const slot of this.#in('stopping')) this.#exit(slot)
      for (const slot of this.#in('loading')) this.#load(slot, ok)
    }
    const forgotten = [...this.requests.values()].filter(({ outcome }) => outcome === 'pending')
    if (forgotten.length > 0) throw new Error(`${forgotten.length} requests were forgotten`)
  }

  releaseAll(): void {
    for (const ticket of this.#live()) this.#leave(ticket)
  }

  request(id: string): Request {
    const ticket = this.#nextTicket
    this.#request(id)
    return this.requests.get(ticket)!
  }

  get alive(): number {
    return this.processes.size
  }

  #request(id: string): void {
    const ticket = this.#nextTicket++
    this.requests.set(ticket, { id, generation: this.#generation(id), outcome: 'pending' })
    // A request that waits for a load counts as a use of it, as a lease does.
    const current = [...this.processes.values()].find(
      (process) => process.id === id && process.phase !== 'stopping' && this.#isCurrent(process),
    )
    this.#send({ type: 'request', ticket, id, lifecycle: this.lifecycles.get(id)! })
    if (current) current.lastUsed = this.now
  }

  #leave(ticket: number | undefined): void {
    const request = ticket === undefined ? undefined : this.requests.get(ticket)
    if (ticket === undefined || !request) return
    request.outcome = 'over'
    for (const process of this.processes.values()) {
      if (process.leases.delete(ticket)) process.lastUsed = this.now
    }
    this.#send({ type: 'release', ticket })
  }

  #load(slot: number | undefined, ok: boolean): void {
    const process = slot === undefined ? undefined : this.processes.get(slot)
    if (slot === undefined || process?.phase !== 'loading') return
    process.phase = ok ? 'ready' : 'stopping'
    process.lastUsed = this.now
    const { lifecycle } = process
    this.#send(ok ? { type: 'loaded', slot, lifecycle } : { type: 'load-failed', slot, error: 'bad' })
  }

  #crash(slot: number | undefined): void {
    const process = slot === undefined ? undefined : this.processes.get(slot)
    if (slot === undefined || process?.phase !== 'ready') return
    process.phase = 'stopping'
    this.#send({ type: 'crashed', slot, error: 'crash' })
    if (process.leases.size > 0) throw new Error('a lease outlived its engine')
  }

  /** Where there is an idle engine, one of them has to go, and no other. */
  #crowd(): void {
    const [idle, before] = [this.#idle().length, this.#in('stopping').length]
    this.#send({ type: 'crowded' })
    const went = this.#in('stopping').length - before
    if (went !== Math.min(1, idle)) throw new Error(`${went} of ${idle} idle engines made room in memory`)
  }

  #exit(slot: number | undefined): void {
    if (slot === undefined || this.processes.get(slot)?.phase !== 'stopping') return
    this.processes.delete(slot)
    this.#send({ type: 'gone', slot })
  }

  #send(event: SlotEvent): void {
    const before = this.#idle()
    const leaving = this.state.slots.flatMap((slot) =>
      slot.draining === 'asked' || slot.retired ? [slot.number] : [],
    )
    const waiting = this.state.slots.filter(({ phase }) => phase === 'waiting').length
    const held = this.#in('loading').length + this.#in('ready').length + waiting
    const { state, effects } = step(this.state, event, this.now)
    this.state = state
    for (const effect of effects) this.#check(effect, event)
    this.#checkVictims(event, effects, before, leaving)
    if (event.type === 'request') this.#checkRefusal(event, effects, before.length, held)
    this.#checkCeiling(event)
    this.#checkSingleFlight()
    if (event.type === 'tick') this.#checkReaped()
  }

  #check(effect: SlotEffect, event: SlotEvent): void {
    this.counts[effect.type] = (this.counts[effect.type] ?? 0) + 1
    switch (effect.type) {
      case 'start':
        this.#start(effect.slot, effect.id)
        break
      case 'stop':
        this.#stop(effect.slot, event)
        break
      case 'grant':
        this.#grant(effect.ticket, effect.slot)
        break
      case 'refuse':
        this.#outcome(effect.ticket, 'over')
        break
      case 'revoke':
        this.#revoke(effect.ticket)
    }
  }

  #start(slot: number, id: string): void {
    if (this.alive >= this.state.ceiling) throw new Error('an engine was started over the ceiling')
    const wanted = [...this.requests.values()].some((one) => one.id === id && one.outcome === 'pending')
    if (!wanted) throw new Error('an engine was started that nobody waits for')
    this.processes.set(slot, {
      id,
      generation: this.#generation(id),
      phase: 'loading',
      lifecycle: this.lifecycles.get(id)!,
      lastUsed: this.now,
      leases: new Set(),
    })
  }

  #stop(slot: number, event: SlotEvent): void {
    const process = this.processes.get(slot)
    if (!process || process.phase === 'stopping') throw new Error('what does not run was stopped')
    if (process.leases.size > 0) throw new Error('an engine in use was stopped')
    const asked = event.type === 'evict' || event.type === 'retire' || event.type === 'release'
    if (process.phase === 'loading' && !asked) throw new Error('a loading engine is busy, and was stopped')
    const idleFor = this.now - process.lastUsed
    const { keepWarm, idleTimeoutSec } = process.lifecycle
    if (event.type === 'tick' && (keepWarm || idleFor < idleTimeoutSec * 1000)) {
      throw new Error('an engine was reaped too early, or although it is kept warm')
    }
    process.phase = 'stopping'
  }

  #grant(ticket: number, slot: number): void {
    const request = this.#outcome(ticket, 'leased')
    const process = this.processes.get(slot)
    if (process?.phase !== 'ready') throw new Error('a lease was given on an engine that is not ready')
    if (process.id !== request.id) throw new Error('a lease was given on another model')
    if (process.generation < request.generation) throw new Error('a lease was given on a replaced engine')
    process.leases.add(ticket)
  }

  #revoke(ticket: number): void {
    const holder = [...this.processes.values()].find(({ leases }) => leases.delete(ticket))
    if (holder?.phase !== 'stopping') throw new Error('a lease was revoked on an engine that lives')
    this.requests.get(ticket)!.outcome = 'over'
  }

  #outcome(ticket: number, outcome: 'leased' | 'over'): Request {
    const request = this.requests.get(ticket)
    if (request?.outcome !== 'pending') throw new Error('a request was answered that nobody waits for')
    request.outcome = outcome
    return request
  }

  /** Who goes, without having been asked to, must be of less worth than who is idle too and stays. */
  #checkVictims(event: SlotEvent, effects: SlotEffect[], idleBefore: number[], leaving: number[]): void {
    if (event.type === 'evict' || event.type === 'retire' || event.type === 'tick') return
    const stopped = effects.flatMap((effect) => (effect.type === 'stop' ? [effect.slot] : []))
    const stayed = idleBefore.filter((slot) => this.processes.get(slot)?.phase === 'ready')
    for (const victim of stopped.filter((slot) => !leaving.includes(slot))) {
      for (const other of stayed) {
        const [gone, kept] = [this.processes.get(victim)!, this.processes.get(other)!]
        if (kept.leases.size > 0) continue
        if (compare(gone, kept) > 0) throw new Error('the wrong engine had to go')
      }
    }
  }

  #checkRefusal(
    event: SlotEvent & { type: 'request' },
    effects: SlotEffect[],
    idle: number,
    held: number,
  ): void {
    const refused = effects.some((effect) => effect.type === 'refuse' && effect.ticket === event.ticket)
    if (!refused) return
    if (effects.length > 1) throw new Error('somebody was evicted for a request that was refused')
    if (idle >= held + 1 - this.state.ceiling)
      throw new Error('a request was refused although there was room')
  }

  #checkCeiling(event: SlotEvent): void {
    const staying = this.#in('loading').length + this.#in('ready').length
    if (staying > this.state.ceiling && this.#idle().length > 0) {
      throw new Error('an idle engine stays although there are too many')
    }
    const marked = this.state.slots.filter(({ draining }) => draining === 'ceiling').length
    const leaving = this.state.slots.filter(({ draining }) => draining === 'asked').length
    const excess = Math.max(0, staying - leaving - this.state.ceiling)
    if (marked > excess) throw new Error('more engines drain than have to')
    // A request for one that drains keeps it; another is marked with the next event.
    if (marked < excess && event.type !== 'request') throw new Error('fewer engines drain than have to')
  }

  #checkSingleFlight(): void {
    const current = [...this.processes.values()]
      .filter((process) => process.phase !== 'stopping' && this.#isCurrent(process))
      .map(({ id }) => id)
    if (new Set(current).size < current.length) throw new Error('a model was loaded twice')
  }

  #checkReaped(): void {
    for (const slot of this.#idle()) {
      const { lifecycle, lastUsed } = this.processes.get(slot)!
      const idleFor = this.now - lastUsed
      if (!lifecycle.keepWarm && idleFor >= lifecycle.idleTimeoutSec * 1000) {
        throw new Error('an engine outlived its idle timeout')
      }
    }
  }

  #generation(id: string): number {
    return this.#generations.get(id) ?? 0
  }

  #isCurrent(process: Process): boolean {
    return process.generation === this.#generation(process.id)
  }

  #in(phase: Process['phase']): number[] {
    return [...this.processes].flatMap(([slot, process]) => (process.phase === phase ? [slot] : []))
  }

  #idle(): number[] {
    return this.#in('ready').filter((slot) => this.processes.get(slot)!.leases.size === 0)
  }

  /** Requests that wait or hold. */
  #live(): number[] {
    return [...this.requests].flatMap(([ticket, { outcome }]) => (outcome === 'over' ? [] : [ticket]))
  }
}

const pickOf = <T>(list: T[], pick: number): T | undefined => list[pick % Math.max(1, list.length)]

const compare = (a: Process, b: Process): number =>
  Number(a.lifecycle.keepWarm) - Number(b.lifecycle.keepWarm) ||
  a.lifecycle.priority - b.lifecycle.priority ||
  a.lastUsed - b.lastUsed
