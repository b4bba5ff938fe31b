import { AppError } from '#kernel/errors'
import type { Logger } from '#kernel/log'
import { type Child, GRACE_MS, spawnGuarded } from './child'
import type { ServerPlan } from './engine'
import { isTaken, type Ports } from './ports'

/** A small model is ready in 30 ms and a large one in a minute: polled often at first, then every quarter second. */
const FIRST_POLL_MS = 25
const POLL_MS = 250
/** A health check that hangs is given up, and asked again. */
const POLL_ANSWER_MS = 2_000
/** Somebody else may bind a port between our choice and the engine's start. */
const PORT_ATTEMPTS = 3

export type ProcessState = 'stopped' | 'starting' | 'ready' | 'stopping' | 'closed'

export interface ProcessDeps {
  ports: Ports
  /** Our own program as the guard (`tycho engine-guard --`). */
  guard: readonly string[]
  cwd: string
  log: Logger
  graceMs?: number
}

type Wait = { kind: 'healthy' } | { kind: 'ended'; code: number } | { kind: 'timeout' } | { kind: 'stopped' }

/**
 * One engine as a child process, for one life:
 *
 *     stopped → starting → ready → stopping → closed
 *
 * 1. `start()` resolves when the engine answers its health check, and rejects with the end of its output when it
 *    crashed or took too long. A port that somebody else took meanwhile is another try, not a failure.
 * 2. From `ready` it ends by `stop()`, or by itself: then `died` resolves.
 * 3. `gone` resolves in every case, last, when no process of the engine's group runs any more.
 */
export class EngineProcess {
  #state: ProcessState = 'stopped'
  #port = 0
  #child: Child | undefined
  readonly #stopAsked = new AbortController()
  readonly #died = Promise.withResolvers<AppError>()
  readonly #gone = Promise.withResolvers<void>()

  constructor(
    private readonly name: string,
    private readonly plan: ServerPlan,
    private readonly deps: ProcessDeps,
  ) {}

  get state(): ProcessState {
    return this.#state
  }
  /** Where its API is, known from `starting` on. */
  get baseUrl(): string {
    return `http://127.0.0.1:${this.#port}/v1`
  }
  get pid(): number | undefined {
    return this.#child?.pid
  }
  /** The last lines it wrote. */
  get output(): readonly string[] {
    return this.#child?.output.lines() ?? []
  }
  /** Resolves when it ended from `ready` without being asked to. */
  get died(): Promise<AppError> {
    return this.#died.promise
  }
  get gone(): Promise<void> {
    return this.#gone.promise
  }

  /** @throws {AppError} `engine_unavailable`, with the end of its output */
  async start(): Promise<void> {
    if (this.#state !== 'stopped') throw new Error(`cannot start an engine that is ${this.#state}`)
    this.#state = 'starting'
    try {
      await this.#launch()
    } catch (error) {
      void this.#end()
      throw error
    }
    this.deps.log.info({ engine: this.name, pid: this.pid, port: this.#port }, 'engine is ready')
    void this.#watch()
  }

  /** Asks it to end, kills it after the grace, resolves when it is gone. May be called at any time and repeatedly. */
  async stop(): Promise<void> {
    this.#stopAsked.abort()
    // While starting, `start()` notices and ends the child: it may be about to be spawned.
    if (this.#state === 'ready' || this.#state === 'stopped') void this.#end()
    await this.gone
  }

  async #launch(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      this.#port = await this.deps.ports.take()
      if (this.#stopAsked.signal.aborted) throw this.#failure('was stopped while it started')
      const child = this.#spawn()
      const wait = await this.#untilHealthy(child)
      switch (wait.kind) {
        case 'healthy':
          if (this.#stopAsked.signal.aborted) throw this.#failure('was stopped while it started')
          this.#state = 'ready'
          return
        case 'stopped':
          throw this.#failure('was stopped while it started')
        case 'timeout':
          throw this.#failure(`did not become ready within ${this.plan.timeoutMs / 1000} s`)
        case 'ended':
          if (attempt === PORT_ATTEMPTS || !(await isTaken(this.#port))) {
            throw this.#failure(`ended with code ${wait.code} before it was ready`)
          }
          this.deps.log.info({ engine: this.name, port: this.#port }, 'the port was lost; trying another')
          this.deps.ports.give(this.#port)
      }
    }
  }

  #spawn(): Child {
    const { guard, cwd } = this.deps
    try {
      this.#child = spawnGuarded({
        command: this.plan.command(this.#port),
        env: this.plan.env,
        cwd,
        guard,
      })
      return this.#child
    } catch (error) {
      throw this.#failure(`cannot be started: ${(error as Error).message}`)
    }
  }

  async #untilHealthy(child: Child): Promise<Wait> {
    const { healthPath, timeoutMs } = this.plan
    const deadline = performance.now() + timeoutMs
    const ended = child.gone.then((code): Wait => ({ kind: 'ended', code }))
    for (let pauseMs = FIRST_POLL_MS; ; pauseMs = Math.min(pauseMs * 2, POLL_MS)) {
      const answerMs = Math.max(1, Math.min(POLL_ANSWER_MS, deadline - performance.now()))
      const answer = await Promise.race([ended, this.#isHealthy(healthPath, answerMs)])
      if (typeof answer === 'object') return answer
      if (this.#stopAsked.signal.aborted) return { kind: 'stopped' }
      // The answer may be another program's, on a port we lost; ours has ended then.
      if (answer) return Promise.race([ended, Bun.sleep(0).then((): Wait => ({ kind: 'healthy' }))])
      if (performance.now() >= deadline) return { kind: 'timeout' }
      const early = await Promise.race([ended, this.#pause(pauseMs)])
      if (early) return early
    }
  }

  async #isHealthy(path: string, answerMs: number): Promise<boolean> {
    try {
      const response = await fetch(`http://127.0.0.1:${this.#port}${path}`, {
        // llama-server closes idle connections, and a request on one of those fails.
        keepalive: false,
        redirect: 'manual',
        signal: AbortSignal.any([AbortSignal.timeout(answerMs), this.#stopAsked.signal]),
      })
      await response.body?.cancel()
      return response.status === 200
    } catch {
      // Not listening yet, or not an answer: it is asked again until the time is over.
      return false
    }
  }

  async #pause(ms: number): Promise<undefined> {
    const { signal } = this.#stopAsked
    if (signal.aborted) return
    const { promise, resolve } = Promise.withResolvers<undefined>()
    const done = () => resolve(undefined)
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
    await promise
    clearTimeout(timer)
    signal.removeEventListener('abort', done)
  }

  async #watch(): Promise<void> {
    const code = await this.#child!.gone
    if (this.#state !== 'ready') return
    const failure = this.#failure(`ended by itself with code ${code}`)
    this.deps.log.warn({ engine: this.name, code, tail: this.#child!.output.tail() }, 'engine crashed')
    this.#died.resolve(failure)
    void this.#end()
  }

  async #end(): Promise<void> {
    this.#state = 'stopping'
    await this.#child?.end(this.deps.graceMs ?? GRACE_MS)
    if (this.#port !== 0) this.deps.ports.give(this.#port)
    this.#state = 'closed'
    this.#gone.resolve()
  }

  #failure(what: string): AppError {
    const tail = this.#child?.output.tail()
    const said = tail ? `Its last output:\n${tail}` : 'It wrote nothing.'
    return new AppError('engine_unavailable', `The engine of ${this.name} ${what}. ${said}`)
  }
}
