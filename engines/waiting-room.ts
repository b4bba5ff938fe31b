import type { Lease } from './lease'
import type { Ticket } from './slots'

interface Waiter {
  resolve(lease: Lease): void
  reject(error: unknown): void
  /** Nobody listens any more whether the caller leaves. */
  settled(): void
}

/** Who waits for an engine. Each is answered once: with a lease, with a refusal, or because of leaving. */
export function waitingRoom({ left }: { left: (ticket: Ticket) => void }) {
  const waiters = new Map<Ticket, Waiter>()

  function answered(ticket: Ticket): Waiter | undefined {
    const waiter = waiters.get(ticket)
    waiters.delete(ticket)
    waiter?.settled()
    return waiter
  }

  return {
    /** @throws what it is refused with; the signal's reason */
    enter(ticket: Ticket, signal: AbortSignal): Promise<Lease> {
      const { promise, resolve, reject } = Promise.withResolvers<Lease>()
      const leave = () => {
        if (!answered(ticket)) return
        left(ticket)
        reject(signal.reason)
      }
      signal.addEventListener('abort', leave, { once: true })
      waiters.set(ticket, { resolve, reject, settled: () => signal.removeEventListener('abort', leave) })
      return promise
    },
    grant: (ticket: Ticket, lease: Lease) => answered(ticket)?.resolve(lease),
    refuse: (ticket: Ticket, error: unknown) => answered(ticket)?.reject(error),
    tickets: (): Ticket[] => [...waiters.keys()],
  }
}
