import type { ManagedRegistration, Plan } from '#engines/engine'
import type { EngineRun } from '#engines/lease'
import { machineMemory } from '#engines/memory'
import { residentEngines } from '#engines/resident'
import { AppError } from '#kernel/errors'
import { silentLogger } from '#kernel/log'
import { registration } from './machine'

/** An engine whose every turn the test decides. */
export class FakeRun implements EngineRun {
  state: 'starting' | 'ready' | 'stopping' | 'gone' = 'starting'
  readonly #started = Promise.withResolvers<void>()
  readonly #died = Promise.withResolvers<AppError>()
  readonly #gone = Promise.withResolvers<void>()

  constructor(
    readonly id: string,
    readonly registration: ManagedRegistration,
    readonly number: number,
  ) {}

  get baseUrl() {
    return `http://engine-${this.number}/v1`
  }
  get died() {
    return this.#died.promise
  }
  get gone() {
    return this.#gone.promise
  }
  start = () => this.#started.promise
  async stop() {
    if (this.state === 'gone') return
    if (this.state === 'starting') this.#started.reject(failure('was stopped while it started'))
    this.state = 'stopping'
  }

  load() {
    this.state = 'ready'
    this.#started.resolve()
  }
  failToLoad() {
    this.state = 'stopping'
    this.#started.reject(failure('does not load'))
  }
  crash() {
    this.state = 'stopping'
    this.#died.resolve(failure('crashed'))
  }
  /** Its processes are gone, which a stopped or crashed engine has yet to come to. */
  exit() {
    this.state = 'gone'
    this.#gone.resolve()
  }
}

const failure = (what: string) => new AppError('engine_unavailable', `The engine ${what}.`)

interface Options {
  ceiling?: number
  /** Reading the weights' header takes its time, in which other things happen. */
  slowPlans?: boolean
  /** What engines may take together. A model takes what its param `takes` says. */
  memoryBytes?: number
}

/** Resident engines over fake runs and a clock that the test moves. */
export function fakeResident({
  ceiling = 2,
  slowPlans = false,
  memoryBytes = Number.POSITIVE_INFINITY,
}: Options = {}) {
  const runs: FakeRun[] = []
  const registrations = new Map<string, ManagedRegistration>()
  const broken = new Map<string, AppError>()
  const planned = new WeakMap<Plan, ManagedRegistration>()
  const clock = { now: 1_000_000 }
  const resident = residentEngines({
    registration(id) {
      const found = registrations.get(id)
      if (!found) throw new AppError('model_not_found', `No model is registered as ${id}.`)
      return found
    },
    async plan(one) {
      if (slowPlans) await turn()
      const error = broken.get(one.model)
      if (error) throw error
      const contextBytes = Number(one.params.takes ?? 0)
      const plan: Plan = {
        kind: 'server',
        command: () => [],
        env: {},
        healthPath: '/health',
        timeoutMs: 1,
        memory: { weightsBytes: 0, contextBytes },
      }
      planned.set(plan, one)
      return plan
    },
    run(id, plan) {
      const run = new FakeRun(id, planned.get(plan)!, runs.length + 1)
      runs.push(run)
      return run
    },
    ceiling,
    memory: machineMemory(memoryBytes, () => Number.POSITIVE_INFINITY),
    now: () => clock.now,
    log: silentLogger(),
  })
  const register = (id: string, fields: Partial<ManagedRegistration> = {}) =>
    registrations.set(id, registration({ model: id, ...fields }))

  return {
    resident,
    runs,
    registrations,
    register,
    broken,
    clock,
    /** The engine that was started last for the model. */
    run: (id: string) => runs.findLast((one) => one.id === id)!,
    alive: () => runs.filter(({ state }) => state !== 'gone'),
    /** Loads what starts and ends what stops, until nothing changes any more. */
    async settle() {
      for (let quiet = 0; quiet < 3; quiet++) {
        for (const run of runs) {
          if (run.state === 'starting') run.load()
          else if (run.state === 'stopping') run.exit()
          else continue
          quiet = 0
        }
        await turn()
      }
    },
    async [Symbol.asyncDispose]() {
      const disposed = resident[Symbol.asyncDispose]()
      await this.settle()
      await disposed
    },
  }
}

/** Lets everything that is only waiting for its turn happen. */
export const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
