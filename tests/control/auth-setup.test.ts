import { expect, test } from 'bun:test'
import { eachDatabase } from '../support/world'

const PASSWORD = 'correct horse battery'

eachDatabase((world) => {
  const setup = (body: object) => world().call('POST', '/auth/setup', { body })

  test('before set-up the status asks for it, and everything else for a bearer', async () => {
    const { status, body } = await world().call('GET', '/auth/status')
    expect({ status, body }).toEqual({
      status: 200,
      body: { setup_required: true, user: null, providers: [] },
    })
    expect((await world().call('GET', '/users')).body.error.code).toBe('unauthorized')
  })

  test.each([
    ['a handle of one letter', { username: 'a', password: PASSWORD }, 400, 'invalid_username'],
    ['a handle that starts with a dot', { username: '.ada', password: PASSWORD }, 400, 'invalid_username'],
    ['a handle with a space', { username: 'ada l', password: PASSWORD }, 400, 'invalid_username'],
    ['a handle of 65 letters', { username: 'a'.repeat(65), password: PASSWORD }, 400, 'invalid_username'],
    ['a password of 7 characters', { username: 'ada', password: '1234567' }, 400, 'password_too_short'],
    ['a password of 4 wide characters', { username: 'ada', password: '🐎🐎🐎🐎' }, 400, 'password_too_short'],
    ['no password', { username: 'ada' }, 422, 'validation_error'],
    ['a body that is no object', 'null', 422, 'validation_error'],
    ['a body that is no JSON', '{', 400, 'invalid_json'],
  ])('%s is refused', async (_name, body, status, code) => {
    const answer = await world().call('POST', '/auth/setup', { body })
    expect([answer.status, answer.body.error.code]).toEqual([status, code])
  })

  test('of many set-ups at once one makes an account, an admin, and it is signed in', async () => {
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        setup({ username: ` First-${index} `, password: PASSWORD, display_name: '' }),
      ),
    )
    const made = answers.filter(({ status }) => status === 201)
    expect(made).toHaveLength(1)
    for (const { status, body } of answers) {
      if (status !== 201) expect([status, body.error.code]).toEqual([409, 'setup_already_complete'])
    }

    const { token, user } = made[0]!.body
    expect(token).toMatch(/^tys_[A-Za-z0-9_-]{43}$/)
    expect(user).toMatchObject({ role: 'admin', disabled: false, has_password: true, email: null })
    expect(user.id).toMatch(/^usr_[0-9A-Z]{26}$/)
    expect(user.username).toMatch(/^first-\d+$/)
    // Without a display name the account is called by its handle.
    expect(user.display_name).toBe(user.username)
    expect((await world().call('GET', '/users', { as: { token } })).body.users).toEqual([user])
  })

  test('set-up stays closed, before anything of its body is looked at', async () => {
    const { status, body } = await setup({ username: '!', password: 'x' })
    expect([status, body.error.code]).toEqual([409, 'setup_already_complete'])
    expect((await world().call('GET', '/auth/status')).body.setup_required).toBe(false)
  })
})
