import { expect, test } from 'bun:test'
import type { User } from '../../src/control/users/schema'
import { eachDatabase, openWorld } from '../support/world'

const PASSWORD = 'correct horse battery'

eachDatabase((world, kind) => {
  let made = 0
  const create = (body: object) =>
    world().call('POST', '/users', {
      as: 'admin',
      body: { username: `user-${++made}`, password: PASSWORD, ...body },
    })
  const patch = (id: string, body: object, as: { token: string } | 'admin' = 'admin') =>
    world().call('PATCH', `/users/${id}`, { as, body })
  const remove = (id: string) => world().call('DELETE', `/users/${id}`, { as: 'admin' })
  const login = (username: string, password = PASSWORD) =>
    world().call('POST', '/auth/login', { body: { username, password } })
  const myId = async () => (await world().call('GET', '/auth/me', { as: 'admin' })).body.user.id

  test('an account is a viewer called by its handle unless said otherwise', async () => {
    const { status, body } = await create({ username: 'Grace.H' })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      username: 'grace.h',
      display_name: 'grace.h',
      email: null,
      role: 'viewer',
      disabled: false,
      has_password: true,
      avatar_url: null,
      last_login_at: null,
    })
    const { body: list } = await world().call('GET', '/users', { as: 'admin' })
    expect(list.users).toContainEqual(body)
  })

  test('an account without a password exists, and cannot sign in with one', async () => {
    const { body } = await create({ username: 'sso-only', password: undefined, email: ' a@b.example ' })
    expect(body).toMatchObject({ has_password: false, email: 'a@b.example' })
    expect((await login('sso-only')).body.error.code).toBe('invalid_credentials')
  })

  test('a handle is taken whatever its case, also when two come at once', async () => {
    await create({ username: 'taken' })
    const again = await create({ username: 'TAKEN' })
    expect([again.status, again.body.error.code]).toEqual([409, 'username_taken'])
    const both = await Promise.all([create({ username: 'twin' }), create({ username: 'twin' })])
    expect(both.map(({ status }) => status).sort()).toEqual([201, 409])
  })

  test.each([
    ['a bad handle', { username: 'no spaces' }, 400, 'invalid_username'],
    ['a short password', { password: '1234567' }, 400, 'password_too_short'],
    ['an empty password', { password: '' }, 400, 'password_too_short'],
    ['an unknown role', { role: 'owner' }, 422, 'validation_error'],
    ['an e-mail address that is none', { email: 'somewhere' }, 422, 'validation_error'],
  ])('%s is refused', async (_name, body, status, code) => {
    const answer = await create(body)
    expect([answer.status, answer.body.error.code]).toEqual([status, code])
  })

  test('an update changes what it names and nothing else', async () => {
    const { body: user } = await create({ email: 'old@example.org', role: 'editor' })
    const { body: changed } = await patch(user.id, { display_name: 'Ada', email: '' })
    expect(changed).toEqual({ ...user, display_name: 'Ada', email: null, updated_at: changed.updated_at })
    expect((await patch(user.id, {})).body).toEqual(changed)
    expect((await patch(user.id, { role: 'root' })).body.error.code).toBe('validation_error')
    expect((await patch(user.id, { username: 'other', password: 'irrelevant' })).body).toEqual(changed)
  })

  test.each([
    ['PATCH', '', { display_name: 'x' }],
    ['DELETE', '', undefined],
    ['POST', '/password', { password: PASSWORD }],
  ])('%s of an unknown account%s answers 404', async (method, end, body) => {
    const answer = await world().call(method, `/users/usr_unknown${end}`, { as: 'admin', body })
    expect([answer.status, answer.body.error.code]).toEqual([404, 'user_not_found'])
  })

  test('a reset password ends every session of the account and replaces the old one', async () => {
    const { body: user } = await create({})
    const { token } = (await login(user.username)).body
    const reset = (password: string) =>
      world().call('POST', `/users/${user.id}/password`, { as: 'admin', body: { password } })
    expect((await reset('short')).body.error.code).toBe('password_too_short')
    expect((await world().call('GET', '/auth/me', { as: { token } })).status).toBe(200)

    const { status, body } = await reset('a whole new password')
    expect([status, body.id]).toEqual([200, user.id])
    expect((await world().call('GET', '/auth/me', { as: { token } })).status).toBe(401)
    expect((await login(user.username)).status).toBe(401)
    expect((await login(user.username, 'a whole new password')).status).toBe(200)
  })

  test('a deleted account takes its sessions and keys with it', async () => {
    const { body: user } = await create({})
    const { token } = (await login(user.username)).body
    const { body: key } = await world().call('POST', '/auth/api-keys', {
      as: { token },
      body: { name: 'orphan' },
    })
    expect((await remove(user.id)).status).toBe(204)
    for (const bearer of [token, key.token]) {
      expect((await world().call('GET', '/auth/me', { as: { token: bearer } })).status).toBe(401)
    }
    expect((await remove(user.id)).status).toBe(404)
    expect((await login(user.username)).status).toBe(401)
  })

  test('the last active admin cannot be demoted, disabled or deleted', async () => {
    const id = await myId()
    // A disabled admin and one without admin's role do not count.
    const { body: sleeping } = await create({ role: 'admin' })
    await patch(sleeping.id, { disabled: true })
    for (const refused of [
      await patch(id, { role: 'editor' }),
      await patch(id, { disabled: true, display_name: 'not this either' }),
      await remove(id),
    ]) {
      expect([refused.status, refused.body.error.code]).toEqual([409, 'last_admin'])
    }
    const { body } = await world().call('GET', '/auth/me', { as: 'admin' })
    expect(body.user).toMatchObject({ role: 'admin', disabled: false, display_name: 'The admin' })
    // Renaming takes nobody away, nor does removing the one that is disabled.
    expect((await patch(id, { display_name: 'The admin', role: 'admin' })).status).toBe(200)
    expect((await remove(sleeping.id)).status).toBe(204)
  })

  test('admins that demote, disable and delete one another at once leave one', async () => {
    await using own = await openWorld({ database: kind })
    const call = (method: string, path: string, token: string, body?: object) =>
      own.call(method, path, { as: { token }, body })
    const takeAway = [
      (id: string, token: string) => call('PATCH', `/users/${id}`, token, { role: 'viewer' }),
      (id: string, token: string) => call('PATCH', `/users/${id}`, token, { disabled: true }),
      (id: string, token: string) => call('DELETE', `/users/${id}`, token),
    ]
    let token = await own.token('admin')
    let { id } = (await call('GET', '/auth/me', token)).body.user

    for (const [round, away] of [...takeAway, ...takeAway, ...takeAway].entries()) {
      const body = { username: `rival-${round}`, password: PASSWORD, role: 'admin' }
      const rivalId = (await call('POST', '/users', token, body)).body.id
      const rivalToken = (await own.call('POST', '/auth/login', { body })).body.token

      const [mine, theirs] = await Promise.all([away(id, rivalToken), away(rivalId, token)])
      // The slower one is refused: as that of the last admin, or as sent by somebody who is none any more.
      expect([mine, theirs].filter(({ status }) => status < 300)).toHaveLength(1)
      if (mine.status < 300) [id, token] = [rivalId, rivalToken]
      const { users } = (await call('GET', '/users', token)).body
      const active = users.filter((user: User) => user.role === 'admin' && !user.disabled)
      expect(active.map((user: User) => user.id)).toEqual([id])
    }
  })
})
