import { AppError } from '#kernel/errors'

/** A count forgets after this long without a further failure. */
const WINDOW_MS = 15 * 60_000
const FIRST_WAIT_MS = 1_000
/** Least recently failed counts go first; whoever would push others out is slowed by its address long before. */
const MAX_COUNTS = 20_000

/**
 * After `free` failures every further one doubles the wait, up to `maxWaitMs`. One address is slowed for one account
 * first, so that it cannot keep the owner of the account out elsewhere; the count over all addresses of an account
 * only meets guesses that come from very many, and its waits stay short for the owner's sake.
 */
const RULES = {
  pair: { free: 5, maxWaitMs: 60_000 },
  address: { free: 20, maxWaitMs: 60_000 },
  account: { free: 50, maxWaitMs: 10_000 },
}
type Rule = keyof typeof RULES

interface Count {
  failures: number
  failedAt: number
  blockedUntil: number
}

export interface Attempt {
  /** The handle as it was typed, lowered: unknown ones are counted like any other. */
  account: string
  address: string
}

export type Attempts = ReturnType<typeof signInAttempts>

/** Slows guessing of passwords. It keeps its counts in memory: a restart forgets them, and each process counts alone. */
export function signInAttempts({ now }: { now: () => number }) {
  const counts = new Map<string, Count>()

  function fail(rule: Rule, key: string) {
    const at = now()
    const before = counts.get(key)
    const failures = before && at - before.failedAt < WINDOW_MS ? before.failures + 1 : 1
    // Deleting first keeps the map in the order of the last failure.
    counts.delete(key)
    counts.set(key, { failures, failedAt: at, blockedUntil: at + waitMs(rule, failures) })
    if (counts.size > MAX_COUNTS) counts.delete(counts.keys().next().value!)
  }

  return {
    /** @throws {AppError} `too_many_attempts` while the account or the address has to wait */
    check(attempt: Attempt) {
      const until = Math.max(...keysOf(attempt).map(([, key]) => counts.get(key)?.blockedUntil ?? 0))
      const seconds = Math.ceil((until - now()) / 1_000)
      if (seconds <= 0) return
      throw new AppError(
        'too_many_attempts',
        `Too many failed sign-ins. Try again in ${seconds} second${seconds === 1 ? '' : 's'}.`,
        { headers: { 'retry-after': String(seconds) } },
      )
    },

    /** Compares a password and counts what came of it. @throws {AppError} `too_many_attempts` */
    async guard(attempt: Attempt, compare: () => Promise<boolean>): Promise<boolean> {
      this.check(attempt)
      const right = await compare()
      for (const [rule, key] of keysOf(attempt)) {
        if (!right) fail(rule, key)
        // Not the address: an account of one's own must not buy more guesses at others'.
        else if (rule !== 'address') counts.delete(key)
      }
      return right
    },
  }
}

function keysOf({ account, address }: Attempt): [Rule, string][] {
  const network = networkOf(address)
  // Handles hold no space, so keys of different kinds never meet.
  return [
    ['pair', `pair ${account} ${network}`],
    ['address', `address ${network}`],
    ['account', `account ${account}`],
  ]
}

function waitMs(rule: Rule, failures: number): number {
  const { free, maxWaitMs } = RULES[rule]
  if (failures < free) return 0
  return Math.min(maxWaitMs, FIRST_WAIT_MS * 2 ** (failures - free))
}

/** An IPv6 client owns its whole /64 network and may change addresses in it at will: it counts as one. */
function networkOf(address: string): string {
  if (!address.includes(':')) return address
  if (address.includes('.')) return address.slice(address.lastIndexOf(':') + 1)
  const [head = '', tail] = address.split('::')
  const front = head === '' ? [] : head.split(':')
  const back = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? [] : Array(Math.max(0, 8 - front.length - back.length)).fill('0')
  return [...front, ...zeros, ...back].slice(0, 4).join(':')
}
