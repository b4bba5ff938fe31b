import { expect, test } from 'bun:test'
import { openDatabase } from '#kernel/db/open'
import { eachDatabase } from '../support/world'

const PASSWORD = 'correct horse battery'

eachDatabase((world) => {
  const create = (as: 'viewer' | 'editor' | 'admin' | { token: string }, body: object) =>
    world().call('POST', '/auth/api-keys', { as, body })
  const me = (token: string) => world().call('GET', '/auth/me', { as: { token } })

  test('a key is shown once, and listed by its first characters', async () => {
    const { status, body } = await create('editor', { name: ' ci ' })
    expect(status).toBe(201)
    expect(body.token).toMatch(/^tyk_[A-Za-z0-9_-]{43}$/)
    expect(body.api_key).toMatchObject({ name: 'ci', role: 'editor', last_used_at: null, revoked_at: null })
    expect(body.api_key.id).toMatch(/^key_/)
    expect(body.api_key.token_prefix).toBe(body.token.slice(0, 12))

    const listed = await world().call('GET', '/auth/api-keys', { as: 'editor' })
    expect(listed.body.api_keys).toContainEqual(body.api_key)
    expect(JSON.stringify(listed.body)).not.toContain(body.token.slice(12))
    expect((await world().call('GET', '/auth/api-keys', { as: 'viewer' })).body.api_keys).toEqual([])
  })

  test.each([
    ['an empty name', { name: '  ' }],
    ['no name', {}],
    ['a wider role than the own', { name: 'wide', role: 'admin' }],
    ['a role that is none', { name: 'odd', role: 'owner' }],
  ])('%s is refused', async (_name, body) => {
    const answer = await create('editor', body)
    expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_api_key'])
  })

  test('a key carries its role, and cannot make a wider one', async () => {
    const { body: narrow } = await create('admin', { name: 'narrow', role: 'viewer' })
    expect((await me(narrow.token)).body).toMatchObject({
      role: 'viewer',
      credential: 'api_key',
      user: { role: 'admin' },
    })
    expect((await world().call('GET', '/users', { as: narrow })).body.error.code).toBe('forbidden')
    expect((await create(narrow, { name: 'wider', role: 'admin' })).body.error.code).toBe('invalid_api_key')
    expect((await create(narrow, { name: 'child' })).body.api_key.role).toBe('viewer')
  })

  test('a key never carries more than its owner has now, and rests while the owner is disabled', async () => {
    const { body: owner } = await world().call('POST', '/users', {
      as: 'admin',
      body: { username: 'key-owner', password: PASSWORD, role: 'admin' },
    })
    const patch = (body: object) => world().call('PATCH', `/users/${owner.id}`, { as: 'admin', body })
    const session = await world().call('POST', '/auth/login', {
      body: { username: 'key-owner', password: PASSWORD },
    })
    const { body: key } = await create(session.body, { name: 'wide', role: 'admin' })

    await patch({ role: 'viewer' })
    expect((await me(key.token)).body.role).toBe('viewer')
    expect((await world().call('GET', '/users', { as: key })).status).toBe(403)
    await patch({ role: 'admin' })
    expect((await me(key.token)).body.role).toBe('admin')

    await patch({ disabled: true })
    expect((await me(key.token)).status).toBe(401)
    await patch({ disabled: false })
    expect((await me(key.token)).status).toBe(200)
  })

  test('a revoked key is refused at once, stays in the list, and may be revoked again', async () => {
    const { body: key } = await create('viewer', { name: 'gone soon' })
    const revoke = () => world().call('DELETE', `/auth/api-keys/${key.api_key.id}`, { as: 'viewer' })
    expect((await me(key.token)).status).toBe(200)
    expect((await revoke()).status).toBe(204)
    expect((await me(key.token)).body.error.code).toBe('unauthorized')
    expect((await revoke()).status).toBe(204)
    const { body } = await world().call('GET', '/auth/api-keys', { as: 'viewer' })
    expect(body.api_keys).toHaveLength(1)
    expect(Date.parse(body.api_keys[0].revoked_at)).toBeGreaterThan(0)
  })

  test("others' keys are as unknown as no key, also to an admin", async () => {
    const { body: key } = await create('editor', { name: 'mine' })
    for (const id of [key.api_key.id, 'key_unknown']) {
      const { status, body } = await world().call('DELETE', `/auth/api-keys/${id}`, { as: 'admin' })
      expect([status, body.error.code]).toEqual([404, 'api_key_not_found'])
    }
    expect((await me(key.token)).status).toBe(200)
  })

  test('a key changes no password, and logging out with it does nothing', async () => {
    const { body: key } = await create('editor', { name: 'no hands' })
    const change = await world().call('POST', '/auth/me/password', {
      as: key,
      body: { current_password: PASSWORD, new_password: 'another password' },
    })
    expect([change.status, change.body.error.code]).toEqual([403, 'forbidden'])
    expect((await world().call('POST', '/auth/logout', { as: key })).status).toBe(204)
    expect((await me(key.token)).status).toBe(200)
  })

  test('the last use is noted, at most once a minute', async () => {
    const { body: key } = await create('editor', { name: 'used' })
    await using database = openDatabase(world().env.DATABASE_URL!)
    const id = key.api_key.id
    const usedAt = async () =>
      (
        await database.db
          .selectFrom('api_keys')
          .where('id', '=', id)
          .select('last_used_at')
          .executeTakeFirstOrThrow()
      ).last_used_at
    const setUsedAt = (last_used_at: number) =>
      database.db.updateTable('api_keys').set({ last_used_at }).where('id', '=', id).execute()

    await me(key.token)
    const first = await usedAt()
    expect(first).toBeGreaterThan(0)
    const recently = Date.now() - 30_000
    await setUsedAt(recently)
    await me(key.token)
    expect(await usedAt()).toBe(recently)
    await setUsedAt(Date.now() - 61_000)
    await me(key.token)
    expect(await usedAt()).toBeGreaterThanOrEqual(first!)
  })
})
