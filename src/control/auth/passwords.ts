import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { AppError } from '#kernel/errors'

const MIN_LENGTH = 8
const SALT_BYTES = 16
const KEY_BYTES = 32
const COST = { N: 16_384, r: 8, p: 1 }
/** A hash with these costs takes 16 MiB and some 40 ms of a core: this many are worked on at once. */
const AT_ONCE = 4
/** About a minute of work. Whoever comes later is better told so than kept. */
const MAX_WAITING = 2_000
const RETRY_AFTER_S = 30

export type Passwords = ReturnType<typeof passwordHasher>

/** Hashes and checks passwords with scrypt, a bounded number at a time. */
export function passwordHasher() {
  const inTurn = turns(AT_ONCE, MAX_WAITING)
  // Nobody's password: checked where there is none, so that the answer takes as long as for an account that has one.
  const nobodys = encode(randomBytes(SALT_BYTES), randomBytes(KEY_BYTES))

  return {
    /** @throws {AppError} `password_too_short`, `too_many_attempts` */
    async hash(password: string): Promise<string> {
      if ([...password].length < MIN_LENGTH) {
        throw new AppError('password_too_short', `Choose a password of at least ${MIN_LENGTH} characters.`)
      }
      const salt = randomBytes(SALT_BYTES)
      return encode(salt, await inTurn(() => derive(password, salt, COST)))
    },

    /**
     * Whether `password` belongs to `stored`; never so when that is `null`, after the same work. `around` wraps the
     * comparison when its turn has come: what held when it was queued may not hold any more.
     * @throws {AppError} `too_many_attempts`
     */
    verify(
      password: string,
      stored: string | null,
      around: (compare: () => Promise<boolean>) => Promise<boolean> = (compare) => compare(),
    ): Promise<boolean> {
      const { salt, key, cost } = decode(stored ?? nobodys)
      const compare = async () => {
        const same = timingSafeEqual(await derive(password, salt, cost), key)
        return same && stored !== null
      }
      return inTurn(() => around(compare))
    },
  }
}

type Cost = typeof COST

function derive(password: string, salt: Uint8Array, cost: Cost): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  // One spelling of an accented letter, whatever keyboard it came from.
  scrypt(password.normalize('NFC'), salt, KEY_BYTES, cost, (error, key) =>
    error ? reject(error) : resolve(key),
  )
  return promise
}

/** The costs stand beside the hash, so that raising them later leaves old hashes readable. */
const encode = (salt: Buffer, key: Buffer): string =>
  ['scrypt', COST.N, COST.r, COST.p, salt.toString('base64url'), key.toString('base64url')].join('$')

function decode(stored: string) {
  const [, N, r, p, salt, key] = stored.split('$')
  return {
    cost: { N: Number(N), r: Number(r), p: Number(p) },
    salt: Buffer.from(salt ?? '', 'base64url'),
    key: Buffer.from(key ?? '', 'base64url'),
  }
}

/** Runs work in the order it came, at most `atOnce` at a time, and refuses what would make a queue over `maxWaiting`. */
function turns(atOnce: number, maxWaiting: number) {
  const waiting: (() => void)[] = []
  let running = 0

  return async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (waiting.length >= maxWaiting) {
      throw new AppError('too_many_attempts', 'Too many people are signing in. Try again in a moment.', {
        headers: { 'retry-after': String(RETRY_AFTER_S) },
      })
    }
    // Whoever ends hands its place on, so `running` counts only those that found a free one.
    if (running >= atOnce) await new Promise<void>((go) => waiting.push(go))
    else running += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
