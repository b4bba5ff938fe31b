import { expect, test } from 'bun:test'
import { openDatabase } from '#kernel/db/open'
import { signInSessions } from '../../src/control/auth/sessions'
import { eachDatabase } from '../support/world'

const PASSWORD = 'correct horse battery'
const HOUR_MS = 3_600_000

eachDatabase((world) => {
  let made = 0

  /** A new account and a session of it. */
  async function someone(more: Record<string, unknown> = {}) {
    const username = `someone-${++made}`
    const { body: user } = await world().call('POST', '/users', {
      as: 'admin',
      body: { username, password: PASSWORD, role: 'editor', ...more },
    })
    return { id: user.id as string, username, token: more.password === null ? '' : await signIn(username) }
  }

  const login = (username: string, password: string) =>
    world().call('POST', '/auth/login', { body: { username, password } })
  const signIn = async (username: string, password = PASSWORD): Promise<string> =>
    (await login(username, password)).body.token
  const statusWith = async (token: string) =>
    (await world().call('GET', '/auth/me', { as: { token } })).status
  const patchUser = (id: string, body: object) => world().call('PATCH', `/users/${id}`, { as: 'admin', body })

  test('a handle signs in whatever its case and the spaces around it', async () => {
    const { username } = await someone()
    const { status, body } = await login(`  ${username.toUpperCase()} `, PASSWORD)
    expect([status, body.user.username]).toEqual([200, username])
    expect(Date.parse(body.user.last_login_at)).toBeGreaterThan(Date.now() - 60_000)
    expect(Object.keys(body.user).sort()).toEqual(
      [
        'id username display_name email role disabled has_password avatar_url theme',
        'created_at updated_at last_login_at',
      ]
        .join(' ')
        .split(' ')
        .sort(),
    )
  })

  test('a wrong password, an unknown handle and an account without a password get one answer', async () => {
    const { username } = await someone()
    const passwordless = await someone({ password: null })
    const answers = [
      await login(username, 'not the password'),
      await login('nobody-here', PASSWORD),
      await login(passwordless.username, PASSWORD),
      await login(passwordless.username, ''),
    ]
    for (const { status, body } of answers) {
      expect([status, body.error.code]).toEqual([401, 'invalid_credentials'])
      expect(body).toEqual(answers[0]!.body)
    }
  })

  test('a disabled account is told so only by its right password', async () => {
    const { id, username } = await someone()
    await patchUser(id, { disabled: true })
    const wrong = await login(username, 'not the password')
    expect([wrong.status, wrong.body.error.code]).toEqual([401, 'invalid_credentials'])
    const right = await login(username, PASSWORD)
    expect([right.status, right.body.error.code]).toEqual([403, 'account_disabled'])
  })

  test('logout ends the presented session and no other', async () => {
    const { username, token } = await someone()
    const other = await signIn(username)
    expect((await world().call('POST', '/auth/logout', { as: { token } })).status).toBe(204)
    expect([await statusWith(token), await statusWith(other)]).toEqual([401, 200])
  })

  test('status names the account of a valid session token, and of nothing else', async () => {
    const { username, token } = await someone()
    const status = async (as?: { token: string }) =>
      (await world().call('GET', '/auth/status', { as })).body.user?.username ?? null
    const { body: key } = await world().call('POST', '/auth/api-keys', {
      as: { token },
      body: { name: 'for status' },
    })
    expect(await status({ token })).toBe(username)
    expect(await status({ token: key.token })).toBeNull()
    expect(await status({ token: 'tys_unknown' })).toBeNull()
    expect(await status()).toBeNull()
  })

  test('one changes the own display name and theme, and nothing else', async () => {
    const { username, token } = await someone()
    const patch = (body: object) => world().call('PATCH', '/auth/me', { as: { token }, body })
    const changed = await patch({ display_name: ' Ada ', theme: 'dark', role: 'admin', disabled: true })
    expect(changed.body).toMatchObject({
      display_name: 'Ada',
      theme: 'dark',
      role: 'editor',
      disabled: false,
    })
    expect((await patch({ display_name: '  ' })).body).toMatchObject({
      display_name: username,
      theme: 'dark',
    })
    expect((await patch({ theme: 'plaid' })).body.error.code).toBe('validation_error')
    const { body: me } = await world().call('GET', '/auth/me', { as: { token } })
    expect(me).toMatchObject({ role: 'editor', credential: 'session', user: { username, theme: 'dark' } })
  })

  test('a new own password signs out the other sessions and keeps the one that changed it', async () => {
    const { username, token } = await someone()
    const other = await signIn(username)
    const change = (body: object) => world().call('POST', '/auth/me/password', { as: { token }, body })

    const wrong = await change({ current_password: 'not it at all', new_password: 'a new password' })
    expect([wrong.status, wrong.body.error.code]).toEqual([401, 'invalid_credentials'])
    expect((await change({ new_password: 'a new password' })).body.error.code).toBe('invalid_credentials')
    const short = await change({ current_password: PASSWORD, new_password: 'short' })
    expect([short.status, short.body.error.code]).toEqual([400, 'password_too_short'])
    expect(await statusWith(other)).toBe(200)

    const done = await change({ current_password: PASSWORD, new_password: 'a new password' })
    expect([done.status, done.body.username]).toEqual([200, username])
    expect([await statusWith(token), await statusWith(other)]).toEqual([200, 401])
    expect((await login(username, PASSWORD)).status).toBe(401)
    expect((await login(username, 'a new password')).status).toBe(200)
  })

  test('of two password changes at once with the same old password one counts', async () => {
    const { username, token } = await someone()
    const answers = await Promise.all(
      ['the first new one', 'the second new one'].map(async (new_password) => ({
        new_password,
        ...(await world().call('POST', '/auth/me/password', {
          as: { token },
          body: { current_password: PASSWORD, new_password },
        })),
      })),
    )
    const [won, lost] = [
      answers.filter(({ status }) => status === 200),
      answers.filter((a) => a.status !== 200),
    ]
    expect([won.length, lost[0]?.body.error.code]).toEqual([1, 'invalid_credentials'])
    expect((await login(username, won[0]!.new_password)).status).toBe(200)
  })

  test('a password is the same however its accents are typed', async () => {
    const { username } = await someone({ password: 'cafe\u0301 noir' })
    expect((await login(username, 'caf\u00e9 noir')).status).toBe(200)
  })

  test('disabling signs out at once, and enabling again does not bring the sessions back', async () => {
    const { id, username, token } = await someone()
    await patchUser(id, { disabled: true })
    expect(await statusWith(token)).toBe(401)
    await patchUser(id, { disabled: false })
    expect(await statusWith(token)).toBe(401)
    expect(await statusWith(await signIn(username))).toBe(200)
  })

  test('a sign-in while the account is disabled leaves no session behind', async () => {
    const { id, username } = await someone()
    const [, ...signIns] = await Promise.all([
      patchUser(id, { disabled: true }),
      ...Array.from({ length: 6 }, () => login(username, PASSWORD)),
    ])
    await patchUser(id, { disabled: false })
    const tokens = signIns.flatMap(({ body }) => body.token ?? [])
    for (const token of tokens) expect(await statusWith(token)).toBe(401)
  })

  test('a demotion counts for sessions that are open', async () => {
    const { id, token } = await someone({ role: 'admin' })
    expect((await world().call('GET', '/users', { as: { token } })).status).toBe(200)
    await patchUser(id, { role: 'viewer' })
    expect((await world().call('GET', '/users', { as: { token } })).body.error.code).toBe('forbidden')
  })

  test('a session lasts as long as the setting said when it began', async () => {
    await using database = openDatabase(world().env.DATABASE_URL!)
    const hoursOf = async (userId: string) => {
      const rows = await database.db
        .selectFrom('auth_sessions')
        .where('user_id', '=', userId)
        .selectAll()
        .orderBy('id')
        .execute()
      return rows.map((row) => (row.expires_at - row.created_at) / HOUR_MS)
    }
    const setTtl = (hours: number | null) =>
      world().call('PATCH', '/settings', { as: 'admin', body: { 'auth.session_ttl_hours': hours } })

    const { id, username, token } = await someone()
    expect((await setTtl(2)).status).toBe(200)
    await signIn(username)
    await setTtl(null)
    expect(await hoursOf(id)).toEqual([168, 2])

    await database.db
      .updateTable('auth_sessions')
      .set({ expires_at: Date.now() })
      .where('user_id', '=', id)
      .execute()
    expect(await statusWith(token)).toBe(401)
  })

  test('the sweep takes away what has expired and nothing else', async () => {
    const { id, username } = await someone()
    await signIn(username)
    await using database = openDatabase(world().env.DATABASE_URL!)
    const { db } = database
    const mine = () => db.selectFrom('auth_sessions').where('user_id', '=', id).selectAll().execute()
    const [one, two] = await mine()
    await db.updateTable('auth_sessions').set({ expires_at: 1 }).where('id', '=', one!.id).execute()
    await signInSessions({ db, settings: { get: () => 1 }, now: Date.now }).sweep()
    expect(await mine()).toEqual([two!])
  })

  test('neither passwords nor tokens are stored as they are', async () => {
    const { id, token } = await someone()
    await using database = openDatabase(world().env.DATABASE_URL!)
    const user = await database.db.selectFrom('users').where('id', '=', id).selectAll().executeTakeFirst()
    expect(user!.password_hash).toMatch(/^scrypt\$16384\$8\$1\$[\w-]{22}\$[\w-]{43}$/)
    const sessions = await database.db.selectFrom('auth_sessions').selectAll().execute()
    expect(JSON.stringify(sessions)).not.toContain(token.slice(4))
    expect(sessions.find(({ user_id }) => user_id === id)!.token_hash).toMatch(/^[0-9a-f]{64}$/)
  })
})
