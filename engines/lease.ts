import type { AppError } from '#kernel/errors'
import type { ManagedRegistration, Plan } from './engine'

/** An engine as a child process, or one that needs none between two uses. */
export interface EngineRun {
  /** Resolves when it can be used. */
  start(): Promise<void>
  stop(): Promise<void>
  /** Resolves when it ended by itself. */
  readonly died: Promise<AppError>
  /** Resolves in every case, when nothing of it runs any more. */
  readonly gone: Promise<void>
  /** Of its API; `null` where it has none. */
  readonly baseUrl: string | null
}

/** The right to use an engine. It stays loaded until the lease is given back, which ends it once and for all. */
export interface Lease extends AsyncDisposable {
  readonly registration: ManagedRegistration
  readonly plan: Plan
  readonly baseUrl: string | null
  /** Fires when the engine is dead; its reason says how it died. */
  readonly signal: AbortSignal
  release(): void
  /** The engine hangs: ends it for everybody who uses it. The next request starts it anew. */
  condemn(error: AppError): void
}
