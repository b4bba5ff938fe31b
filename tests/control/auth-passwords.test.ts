import { expect, test } from 'bun:test'
import { passwordHasher } from '../../src/control/auth/passwords'
import { openWorld } from '../support/world'

const PASSWORD = 'correct horse battery'

test('a hash says how it was made, differs every time, and fits its password only', async () => {
  const passwords = passwordHasher()
  const [one, two] = [await passwords.hash(PASSWORD), await passwords.hash(PASSWORD)]
  expect(one).toMatch(/^scrypt\$16384\$8\$1\$[\w-]{22}\$[\w-]{43}$/)
  expect(one).not.toBe(two)
  expect(await passwords.verify(PASSWORD, one)).toBe(true)
  expect(await passwords.verify(`${PASSWORD} `, one)).toBe(false)
  expect(await passwords.verify(PASSWORD, null)).toBe(false)
})

test('a hash made with other costs is still read', async () => {
  // Node's scrypt of "correct horse battery" with N=1024, r=8, p=1 and sixteen bytes of 7 as the salt.
  const cheap = `scrypt$1024$8$1$${Buffer.alloc(16, 7).toString('base64url')}`
  const { scryptSync } = await import('node:crypto')
  const key = scryptSync(PASSWORD, Buffer.alloc(16, 7), 32, { N: 1024, r: 8, p: 1 }).toString('base64url')
  expect(await passwordHasher().verify(PASSWORD, `${cheap}$${key}`)).toBe(true)
})

test('however many come at once, four are worked on, in the order they came', async () => {
  const passwords = passwordHasher()
  const started: number[] = []
  let running = 0
  let most = 0
  await Promise.all(
    Array.from({ length: 24 }, (_, index) =>
      passwords.verify(PASSWORD, null, async (compare) => {
        started.push(index)
        most = Math.max(most, ++running)
        return compare().finally(() => running--)
      }),
    ),
  )
  expect(most).toBe(4)
  expect(started).toEqual(Array.from({ length: 24 }, (_, index) => index))
})

test('a failure gives its place to the next', async () => {
  const passwords = passwordHasher()
  const failing = () => passwords.verify(PASSWORD, null, () => Promise.reject(new Error('no')))
  const results = await Promise.allSettled(Array.from({ length: 20 }, failing))
  expect(results.every(({ status }) => status === 'rejected')).toBe(true)
  expect(await passwords.verify(PASSWORD, await passwords.hash(PASSWORD))).toBe(true)
})

test('whoever comes after two thousand waiting is told to come back', async () => {
  const passwords = passwordHasher()
  const gate = Promise.withResolvers<boolean>()
  const held = Array.from({ length: 2_004 }, () => passwords.verify(PASSWORD, null, () => gate.promise))
  await expect(passwords.verify(PASSWORD, null)).rejects.toMatchObject({
    code: 'too_many_attempts',
    status: 429,
    headers: { 'retry-after': '30' },
  })
  gate.resolve(false)
  await Promise.all(held)
  expect(await passwords.verify(PASSWORD, null)).toBe(false)
})

test('an unknown handle and an account without a password take as long as a wrong password', async () => {
  await using world = await openWorld()
  const names = ['one', 'two', 'three']
  for (const name of names) {
    await world.call('POST', '/users', { as: 'admin', body: { username: name, password: PASSWORD } })
    await world.call('POST', '/users', { as: 'admin', body: { username: `${name}-sso` } })
  }
  const fastest = async (handles: string[]) => {
    const times: number[] = []
    for (const username of handles) {
      const startedAt = performance.now()
      const { status } = await world.call('POST', '/auth/login', {
        body: { username, password: 'wrong one' },
      })
      times.push(performance.now() - startedAt)
      expect(status).toBe(401)
    }
    return Math.min(...times)
  }
  const wrong = await fastest(names)
  // Without the work they would take a tenth of it.
  expect(await fastest(names.map((name) => `${name}-unknown`))).toBeGreaterThan(wrong / 3)
  expect(await fastest(names.map((name) => `${name}-sso`))).toBeGreaterThan(wrong / 3)
})
