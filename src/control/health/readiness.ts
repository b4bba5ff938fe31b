/** Longer than a busy dependency takes to answer, shorter than a load balancer waits. */
const PROBE_TIMEOUT_MS = 2_000
/** However often it is asked: `/readyz` is open, and must not become a way to load the dependencies. */
const FRESH_MS = 1_000

/** Throws when the dependency is down; should stop when the signal fires. */
export type Probe = (signal: AbortSignal) => Promise<void>

interface Deps {
  /** What must be up, in the order in which it is blamed. */
  dependencies: Record<string, Probe>
  now: () => number
  timeoutMs?: number
}

/** Tells what is down, or `null`: callers share one round of probes, at most one a second. */
export function readiness({ dependencies, now, timeoutMs = PROBE_TIMEOUT_MS }: Deps) {
  const probes = Object.entries(dependencies).map(([name, probe]) => ({ name, run: single(probe) }))
  let last: { at: number; reason: Promise<string | null> } | null = null

  async function round(): Promise<string | null> {
    const failures = await Promise.all(probes.map(({ run }) => failureOf(run, timeoutMs)))
    const first = failures.findIndex((failure) => failure !== null)
    return first === -1 ? null : `${probes[first]!.name}: ${failures[first]}`
  }

  return {
    downReason(): Promise<string | null> {
      const at = now()
      if (!last || Math.abs(at - last.at) >= FRESH_MS) last = { at, reason: round() }
      return last.reason
    },
  }
}

/** A probe that hangs past its time is joined, not started again: hung ones must not pile up in the pool. */
function single(probe: Probe): Probe {
  let running: Promise<void> | null = null
  return (signal) => {
    running ??= probe(signal).finally(() => {
      running = null
    })
    return running
  }
}

async function failureOf(probe: Probe, timeoutMs: number): Promise<string | null> {
  const timeout = new AbortController()
  const late = Promise.withResolvers<string>()
  const timer = setTimeout(() => {
    timeout.abort()
    late.resolve(`no answer within ${timeoutMs / 1000} s`)
  }, timeoutMs)
  try {
    return await Promise.race([
      late.promise,
      probe(timeout.signal).then(
        () => null,
        // The cause may name hosts, users and files; this answer is open to everyone.
        () => 'not reachable',
      ),
    ])
  } finally {
    clearTimeout(timer)
  }
}
