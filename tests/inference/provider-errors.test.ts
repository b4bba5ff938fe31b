import { afterAll, beforeAll, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { type InferencePlane, openInferencePlane } from '../support/inference-plane'
import { freePort } from '../support/postgres'

let plane: InferencePlane

beforeAll(async () => {
  plane = await openInferencePlane({ secrets: { FROM_ENVIRONMENT: 'environment-key-0123456789' } })
  await plane.register('remote')
})
afterAll(() => plane[Symbol.asyncDispose]())

const messages = [{ role: 'user' as const, content: 'hello' }]

/** What a chat answers, without holding it against the document: it cannot list every status of every provider. */
async function chat(body: unknown, path = '/v1/chat/completions') {
  const response = await fetch(plane.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as { error: unknown },
  }
}

/** A model whose provider answers every chat with this. */
async function providerThat(answer: () => Response, more: Record<string, unknown> = {}): Promise<string> {
  const id = crypto.randomUUID()
  await plane.register(id, { baseUrl: `${plane.provider.url}/${id}/`, ...more })
  plane.provider.on(`/v1/${id}/chat/completions`, answer)
  return id
}

test.each([
  [
    400,
    { error: { message: 'too many tokens', type: 'x', code: 'y' } },
    'too many tokens',
    'invalid_request_error',
  ],
  [401, { error: { message: 'wrong key' } }, 'wrong key', 'invalid_request_error'],
  [403, { message: 'not yours' }, 'not yours', 'invalid_request_error'],
  [422, { detail: 'bad field' }, 'bad field', 'invalid_request_error'],
  [429, { error: 'slow down' }, 'slow down', 'invalid_request_error'],
  [500, 'plain text trouble', 'plain text trouble', 'server_error'],
  [503, '', 'The provider answered 503.', 'server_error'],
])("a provider's %d keeps its status and message", async (status, said, message, type) => {
  const body = typeof said === 'string' ? said : JSON.stringify(said)
  const model = await providerThat(() => new Response(body, { status }))
  const answer = await chat({ model, messages })
  expect(answer.status).toBe(status)
  expect(answer.body).toEqual({ error: { message, type, code: 'upstream_error' } })
})

test('a refusal before a stream begins is the same, not a stream', async () => {
  const model = await providerThat(() => Response.json({ error: { message: 'wrong key' } }, { status: 401 }))
  const answer = await chat({ model, messages, stream: true })
  expect(answer.status).toBe(401)
  expect(answer.body).toEqual({
    error: { message: 'wrong key', type: 'invalid_request_error', code: 'upstream_error' },
  })
})

test('when to try again passes on; other headers of the provider do not', async () => {
  const headers = { 'retry-after': '7', 'set-cookie': 'a=b', 'x-provider': 'secret-host' }
  const model = await providerThat(() => Response.json({ error: 'slow down' }, { status: 429, headers }))
  const answer = await chat({ model, messages })
  expect(answer.headers.get('retry-after')).toBe('7')
  expect(answer.headers.get('set-cookie')).toBeNull()
  expect(answer.headers.get('x-provider')).toBeNull()
})

test("the headers of a provider's success are not repeated either", async () => {
  const headers = { 'set-cookie': 'a=b', 'x-provider': 'secret-host' }
  const model = await providerThat(() => Response.json({ choices: [] }, { headers }))
  const answer = await chat({ model, messages })
  expect(answer.status).toBe(200)
  expect(answer.headers.get('set-cookie')).toBeNull()
  expect(answer.headers.get('x-provider')).toBeNull()
})

test('a 404 of the provider means the wrong modality or a base URL without its prefix', async () => {
  const model = await providerThat(() =>
    Response.json({ error: { message: 'no such route' } }, { status: 404 }),
  )
  const { status, body } = await plane.call('POST', '/v1/chat/completions', { model, messages })
  expect(status).toBe(404)
  expect(body.error.code).toBe('modality_not_supported')
  expect(body.error.message).toContain('no such route')
  expect(body.error.message).toContain('/v1')
})

test('a provider that nobody hears is a 502', async () => {
  await plane.register('nobody', { baseUrl: `http://127.0.0.1:${await freePort()}/v1` })
  const { status, body } = await plane.call('POST', '/v1/chat/completions', { model: 'nobody', messages })
  expect(status).toBe(502)
  expect(body.error).toMatchObject({ type: 'server_error', code: 'upstream_error' })
  expect(body.error.message).toContain('could not be reached')
})

test('a redirect is not followed, so that the key goes nowhere else', async () => {
  const model = await providerThat(
    () => new Response(null, { status: 307, headers: { location: `${plane.provider.url}/elsewhere` } }),
  )
  const before = plane.provider.seen.length
  const { status, body } = await plane.call('POST', '/v1/chat/completions', { model, messages })
  expect(status).toBe(502)
  expect(body.error.code).toBe('upstream_error')
  expect(body.error.message).toContain('redirect')
  expect(plane.provider.seen.length).toBe(before + 1)
})

test('a provider that does not begin to answer in time is a 504', async () => {
  await using hasty = await openInferencePlane({ answerWithinMs: 20 })
  await hasty.register('silent')
  hasty.provider.answers({})
  hasty.provider.on('/v1/chat/completions', async ({ aborted }) => {
    await aborted
    return new Response()
  })
  const { status, body } = await hasty.call('POST', '/v1/chat/completions', { model: 'silent', messages })
  expect(status).toBe(504)
  expect(body.error.code).toBe('upstream_timeout')
})

test.each(['unknown', 'llama-server', '', 'fake-model'])('model %p is not registered', async (model) => {
  const { status, body } = await plane.call('POST', '/v1/chat/completions', { model, messages })
  expect([status, body.error.code]).toEqual(model ? [404, 'model_not_found'] : [422, 'invalid_request'])
})

test.each([
  ['no model', { messages }, 422, 'invalid_request'],
  ['a model that is no text', { model: 7, messages }, 422, 'invalid_request'],
  ['a list', [], 422, 'invalid_request'],
  ['no JSON', '{"model":', 400, 'invalid_json'],
  ['nothing', '', 422, 'invalid_request'],
])('a body of %s is refused', async (_what, body, status, code) => {
  for (const path of [
    '/v1/chat/completions',
    '/v1/embeddings',
    '/v1/audio/speech',
    '/v1/images/generations',
  ]) {
    const answer = await plane.call('POST', path, body, { headers: { 'content-type': 'application/json' } })
    expect([path, answer.status, answer.body.error.code]).toEqual([path, status, code])
  }
})

test('a model of a local engine answers that there is no engine, and what to do', async () => {
  await plane.call('PUT', '/admin/models/local', {
    binding: 'llamacpp',
    source: 'local-path',
    model: '/w.gguf',
  })
  const { status, body } = await plane.call('POST', '/v1/chat/completions', { model: 'local', messages })
  expect(status).toBe(503)
  expect(body.error).toMatchObject({ type: 'server_error', code: 'engine_unavailable' })
  expect(body.error.message).toContain('llamacpp')
})

test('its fallback is asked instead, with its own name and params', async () => {
  await plane.register('stand-in', { model: 'other-model', params: { maxTokens: 5 } })
  const local = { binding: 'llamacpp', source: 'local-path', model: '/w.gguf', params: { maxTokens: 9 } }
  await plane.call('PUT', '/admin/models/local', { ...local, fallback: 'stand-in' })
  const { status, body } = await plane.call('POST', '/v1/chat/completions', { model: 'local', messages })
  expect(status).toBe(200)
  expect(body.model).toBe('local')
  expect(plane.provider.seen.at(-1)!.body).toMatchObject({ model: 'other-model', max_tokens: 5 })
})

test('a fallback is tried once and does not chain; one that is not registered changes nothing', async () => {
  const local = { binding: 'llamacpp', source: 'local-path', model: '/w.gguf' }
  await plane.call('PUT', '/admin/models/last', { ...local, fallback: 'remote' })
  await plane.call('PUT', '/admin/models/first', { ...local, fallback: 'last' })
  await plane.call('PUT', '/admin/models/lonely', { ...local, fallback: 'nobody-here' })
  for (const model of ['first', 'lonely']) {
    const { status, body } = await plane.call('POST', '/v1/chat/completions', { model, messages })
    expect([model, status, body.error.code]).toEqual([model, 503, 'engine_unavailable'])
  }
})

test('a failure of the fallback is what the caller hears', async () => {
  const refusing = await providerThat(() => Response.json({ error: 'slow down' }, { status: 429 }))
  const local = { binding: 'mlx', source: 'hf', model: 'org/repo', fallback: refusing }
  await plane.call('PUT', '/admin/models/local', local)
  expect((await chat({ model: 'local', messages })).status).toBe(429)
})

test('a credential that is nowhere is a 502 that names it', async () => {
  await plane.register('keyless', { credentialRef: 'secret://NOT_SET' })
  const { status, body } = await plane.call('POST', '/v1/chat/completions', { model: 'keyless', messages })
  expect(status).toBe(502)
  expect(body.error.code).toBe('credential_error')
  expect(body.error.message).toContain('NOT_SET')
})

test('a provider that repeats the key in its refusal does not give it away', async () => {
  const model = await providerThat(
    () => Response.json({ error: { message: 'bad key environment-key-0123456789!' } }, { status: 401 }),
    { credentialRef: 'secret://FROM_ENVIRONMENT' },
  )
  const answer = await chat({ model, messages })
  expect(answer.body).toMatchObject({ error: { message: 'bad key [redacted]!' } })
})

test('a message of any length is cut, and a body without end is not read to its end', async () => {
  const long = await providerThat(() => new Response('x'.repeat(20_000), { status: 500 }))
  expect(JSON.stringify((await chat({ model: long, messages })).body).length).toBeLessThan(5_000)
  const endless = new ReadableStream({ pull: (out) => out.enqueue(new Uint8Array(65_536).fill(0x78)) })
  const flooding = await providerThat(() => new Response(endless, { status: 500 }))
  expect((await chat({ model: flooding, messages })).body).toMatchObject({
    error: { message: 'The provider answered 500.' },
  })
})

test('the official client raises what it would of the provider itself', async () => {
  const openai = new OpenAI({ baseURL: `${plane.url}/v1`, apiKey: 'unused', maxRetries: 0 })
  const model = await providerThat(() => Response.json({ error: { message: 'slow down' } }, { status: 429 }))
  const failure = (id: string) =>
    openai.chat.completions.create({ model: id, messages }).then(
      () => null,
      (error: unknown) => error,
    )
  expect(await failure(model)).toBeInstanceOf(OpenAI.RateLimitError)
  expect(await failure('gone')).toMatchObject({
    status: 404,
    code: 'model_not_found',
    type: 'invalid_request_error',
  })
})
