import { describe, expect, test } from 'bun:test'
import { signInAttempts } from '../../src/control/auth/attempts'
import { eachDatabase } from '../support/world'

const PASSWORD = 'correct horse battery'
const MINUTE_MS = 60_000

describe('the rule', () => {
  function attemptsOnAClock() {
    let now = 1_000_000
    const attempts = signInAttempts({ now: () => now })
    return {
      /** `right`, `wrong`, or the seconds to wait. */
      async try(account: string, address: string, right = false) {
        try {
          return (await attempts.guard({ account, address }, async () => right)) ? 'right' : 'wrong'
        } catch (error) {
          return Number((error as { headers: Record<string, string> }).headers['retry-after'])
        }
      },
      pass(ms: number) {
        now += ms
      },
    }
  }
  type Clocked = ReturnType<typeof attemptsOnAClock>

  /** Fails as fast as it may for `ms`. @returns how many guesses that were */
  async function guessFor(clock: Clocked, ms: number, account: () => string, address: () => string) {
    let guesses = 0
    for (let passed = 0; passed < ms; passed += 1_000) {
      while ((await clock.try(account(), address())) === 'wrong') if (++guesses > 10_000) return guesses
      clock.pass(1_000)
    }
    return guesses
  }

  test('five failures are free, then the waits double up to a minute, and even the right password waits', async () => {
    const clock = attemptsOnAClock()
    for (let failure = 0; failure < 5; failure++) expect(await clock.try('ada', '10.0.0.1')).toBe('wrong')
    for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
      expect(await clock.try('ada', '10.0.0.1', true)).toBe(seconds)
      clock.pass(seconds * 1_000 - 1)
      expect(await clock.try('ada', '10.0.0.1', true)).toBe(1)
      clock.pass(1)
      expect(await clock.try('ada', '10.0.0.1')).toBe('wrong')
    }
  })

  test('waiting tries do not make the wait longer', async () => {
    const clock = attemptsOnAClock()
    for (let failure = 0; failure < 5; failure++) await clock.try('ada', '10.0.0.1')
    for (let more = 0; more < 100; more++) expect(await clock.try('ada', '10.0.0.1')).toBe(1)
    clock.pass(1_000)
    expect(await clock.try('ada', '10.0.0.1', true)).toBe('right')
  })

  test('a success clears the count of the account, a quarter of an hour of rest as well', async () => {
    const clock = attemptsOnAClock()
    const fourFailures = async () => {
      for (let failure = 0; failure < 4; failure++) expect(await clock.try('ada', '10.0.0.1')).toBe('wrong')
    }
    await fourFailures()
    expect(await clock.try('ada', '10.0.0.1', true)).toBe('right')
    await fourFailures()
    clock.pass(15 * MINUTE_MS)
    await fourFailures()
    expect(await clock.try('ada', '10.0.0.1', true)).toBe('right')
  })

  test('an attacker elsewhere does not keep the owner out', async () => {
    const clock = attemptsOnAClock()
    const guesses = await guessFor(
      clock,
      15 * MINUTE_MS,
      () => 'ada',
      () => '10.6.6.6',
    )
    expect(guesses).toBeLessThan(30)
    expect(await clock.try('ada', '10.0.0.1', true)).toBe('right')
  })

  test('an attacker of very many addresses makes the owner wait ten seconds at most', async () => {
    const clock = attemptsOnAClock()
    let address = 0
    await guessFor(
      clock,
      15 * MINUTE_MS,
      () => 'ada',
      () => `10.6.${(address >> 8) & 255}.${address++ & 255}`,
    )
    const wait = await clock.try('ada', '10.0.0.1', true)
    if (wait !== 'right') expect(wait).toBeLessThanOrEqual(10)
  })

  test('one address that tries one password on many accounts is slowed, and a success of its own is no help', async () => {
    const clock = attemptsOnAClock()
    let account = 0
    const guesses = await guessFor(
      clock,
      15 * MINUTE_MS,
      () => `user-${account++}`,
      () => '10.6.6.6',
    )
    expect(guesses).toBeLessThan(45)
    clock.pass(MINUTE_MS)
    expect(await clock.try('attackers-own', '10.6.6.6', true)).toBe('right')
    expect(await clock.try('ada', '10.6.6.6')).toBe('wrong')
    expect(await clock.try('ada', '10.6.6.6')).toBe(60)
    expect(await clock.try('ada', '10.0.0.1', true)).toBe('right')
  })

  test.each([
    ['addresses of one IPv6 network', '2001:db8:1:2::1', '2001:db8:1:2:ffff::9', true],
    ['IPv6 networks side by side', '2001:db8:1:2::1', '2001:db8:1:3::1', false],
    ['an IPv4 address and its IPv6 spelling', '10.0.0.1', '::ffff:10.0.0.1', true],
    ['two IPv4 addresses', '::ffff:10.0.0.1', '::ffff:10.0.0.2', false],
  ])('%s: one or two', async (_name, one, other, same) => {
    const clock = attemptsOnAClock()
    for (let failure = 0; failure < 5; failure++) await clock.try('ada', one)
    expect(await clock.try('ada', other)).toBe(same ? 1 : 'wrong')
  })
})

eachDatabase((world) => {
  const login = (username: string, password: string) =>
    world().call('POST', '/auth/login', { body: { username, password } })

  test('the sixth try has to wait, for a known handle and an unknown one alike, and says how long', async () => {
    await world().token('viewer')
    for (const username of ['the-viewer', 'nobody-here']) {
      for (let failure = 0; failure < 5; failure++)
        expect((await login(username, 'a wrong one')).status).toBe(401)
      const { status, body, headers } = await login(` ${username.toUpperCase()}`, PASSWORD)
      expect([status, body.error.code, headers.get('retry-after')]).toEqual([429, 'too_many_attempts', '1'])
      expect(body.error.message).toContain('1 second')
    }
    // Others at the same address sign in meanwhile.
    await world().token('editor')
    expect((await login('the-editor', PASSWORD)).status).toBe(200)
  })

  test('guesses sent all at once are counted before they are compared', async () => {
    const guesses = await Promise.all(
      Array.from({ length: 30 }, (_, index) => login('the-admin', `guess ${index}`)),
    )
    const compared = guesses.filter(({ status }) => status === 401).length
    // Five, and those that were being compared when the fifth failed.
    expect(compared).toBeLessThanOrEqual(8)
    expect(guesses.filter(({ status }) => status === 429)).toHaveLength(30 - compared)
  })
})
