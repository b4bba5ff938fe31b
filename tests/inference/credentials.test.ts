import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type InferencePlane, openInferencePlane } from '../support/inference-plane'

const STORED = 'stored-provider-key-1'
const AMBIENT = 'ambient-provider-key-2'
let plane: InferencePlane

beforeAll(async () => {
  plane = await openInferencePlane({
    secrets: { SHARED_KEY: AMBIENT, BROKEN_KEY: 'two\nlines', EMPTY_KEY: '' },
  })
})
afterAll(() => plane[Symbol.asyncDispose]())

const chatWith = async (credentialRef: string | null) => {
  await plane.register('keyed', { credentialRef })
  const request = { model: 'keyed', messages: [{ role: 'user', content: 'hello' }] }
  const answer = await plane.call('POST', '/v1/chat/completions', request)
  return { answer, sent: plane.provider.seen.at(-1)?.headers.authorization }
}

test('the local store is asked first, then the environment', async () => {
  expect((await chatWith('secret://SHARED_KEY')).sent).toBe(`Bearer ${AMBIENT}`)
  await plane.call('PUT', '/admin/credentials/SHARED_KEY', { value: STORED })
  expect((await chatWith('secret://SHARED_KEY')).sent).toBe(`Bearer ${STORED}`)
  await plane.call('DELETE', '/admin/credentials/SHARED_KEY')
  expect((await chatWith('secret://SHARED_KEY')).sent).toBe(`Bearer ${AMBIENT}`)
})

test('a new value counts from the next request on', async () => {
  await plane.call('PUT', '/admin/credentials/ROTATED', { value: 'first-value' })
  expect((await chatWith('secret://ROTATED')).sent).toBe('Bearer first-value')
  await plane.call('PUT', '/admin/credentials/ROTATED', { value: 'second-value' })
  expect((await chatWith('secret://ROTATED')).sent).toBe('Bearer second-value')
  await plane.call('DELETE', '/admin/credentials/ROTATED')
})

test('a model without a credential is asked with the customary placeholder', async () => {
  expect((await chatWith(null)).sent).toBe('Bearer sk-noauth')
})

test.each(['MISSING_KEY', 'EMPTY_KEY', 'BROKEN_KEY'])(
  '%s cannot be used, and the answer names it',
  async (name) => {
    const before = plane.provider.seen.length
    const { answer } = await chatWith(`secret://${name}`)
    expect([answer.status, answer.body.error.code]).toEqual([502, 'credential_error'])
    expect(answer.body.error.message).toContain(name)
    expect(answer.body.error.message).not.toContain('two')
    expect(plane.provider.seen.length).toBe(before)
  },
)

test.each([
  ['a name with a dash', 'a-dash', { value: 'x' }],
  ['a name that begins with a digit', '1DIGIT', { value: 'x' }],
  ['an empty value', 'GOOD', { value: '' }],
  ['a value of two lines', 'GOOD', { value: 'two\nlines' }],
  ['a value with a space', 'GOOD', { value: 'with space' }],
  ['a value that is no text', 'GOOD', { value: 7 }],
  ['no value', 'GOOD', {}],
  ['an unknown field', 'GOOD', { value: 'x', more: 1 }],
  ['a value beyond all measure', 'GOOD', { value: 'x'.repeat(20_000) }],
])('a credential with %s is refused', async (_what, name, body) => {
  const answer = await plane.call('PUT', `/admin/credentials/${name}`, body)
  expect([answer.status, answer.body.error.code]).toEqual([422, 'invalid_credential'])
  expect((await plane.call('GET', '/admin/credentials')).body.credentials).toEqual([])
})

test('an unknown credential cannot be deleted', async () => {
  const { status, body } = await plane.call('DELETE', '/admin/credentials/NOT_THERE')
  expect([status, body.error.code]).toEqual([404, 'credential_not_found'])
})

test('no answer and no log line ever holds a value', async () => {
  const secret = 'write-only-value-3'
  const answers: unknown[] = []
  const call = async (...args: Parameters<typeof plane.call>) => {
    const { body, headers } = await plane.call(...args)
    answers.push(body, [...headers])
  }
  await call('PUT', '/admin/credentials/HIDDEN', { value: secret })
  await plane.register('hidden', { credentialRef: 'secret://HIDDEN' })
  await call('GET', '/admin/credentials')
  await call('GET', '/admin/models')
  await call('GET', '/admin/models/hidden')
  await call('GET', '/admin/models/hidden/capabilities')
  await call('GET', '/admin/export')
  await call('GET', '/admin/diagnostics')
  await call('POST', '/v1/chat/completions', {
    model: 'hidden',
    messages: [{ role: 'user', content: 'hello' }],
  })
  plane.provider.on('/v1/embeddings', ({ headers }) =>
    Response.json({ error: { message: `refused: ${headers.authorization}` } }, { status: 502 }),
  )
  await call('POST', '/v1/embeddings', { model: 'hidden', input: 'x' })
  await call('PUT', '/admin/credentials/HIDDEN', { value: `${secret}\n` })
  // It did reach the provider and the file, so the search below looks for the right thing.
  expect(plane.provider.seen.some(({ headers }) => headers.authorization === `Bearer ${secret}`)).toBe(true)
  expect(readFileSync(join(plane.dir, 'credentials.json'), 'utf8')).toContain(secret)
  expect(JSON.stringify(answers)).not.toContain(secret)
  expect(plane.logs.length).toBeGreaterThan(0)
  expect(plane.logs.join()).not.toContain(secret)
  expect(readFileSync(join(plane.dir, 'registry.json'), 'utf8')).not.toContain(secret)
})
