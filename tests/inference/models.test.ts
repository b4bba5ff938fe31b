import { afterAll, beforeAll, expect, test } from 'bun:test'
import { treaty } from '@elysiajs/eden'
import type { InferenceApp } from '../../src/inference/app'
import { type InferencePlane, openInferencePlane } from '../support/inference-plane'

let plane: InferencePlane

beforeAll(async () => {
  plane = await openInferencePlane()
})
afterAll(() => plane[Symbol.asyncDispose]())

const remote = { binding: 'standard-compatible', model: 'gpt', baseUrl: 'http://127.0.0.1:9/v1' }
const local = { binding: 'llamacpp', source: 'local-path', model: '/models/a.gguf' }
const put = (id: string, body: unknown) => plane.call('PUT', `/admin/models/${encodeURIComponent(id)}`, body)

test('a remote registration is shown with every default filled in', async () => {
  const { status, body } = await put('remote', remote)
  expect(status).toBe(200)
  expect(body).toEqual({
    logicalId: 'remote',
    binding: { ...remote, modality: 'chat', params: {}, credentialRef: null },
    state: { resident: false, inflight: 0, draining: false },
  })
})

test('a registration for a local engine is shown with every default filled in', async () => {
  const { body } = await put('local', { ...local, lifecycle: { keepWarm: true } })
  expect(body.binding).toEqual({
    ...local,
    modality: 'chat',
    params: {},
    lifecycle: { keepWarm: true, idleTimeoutSec: 900, priority: 0 },
    fallback: null,
  })
})

test('what was registered is read back as it was sent', async () => {
  const binding = {
    ...remote,
    baseUrl: 'https://models.example/api/v1/',
    modality: 'vision',
    params: { maxTokens: 5, nested: { keep: ['order', 2] } },
    credentialRef: 'secret://SOME_KEY',
  }
  await put('verbatim', binding)
  expect((await plane.call('GET', '/admin/models/verbatim')).body.binding).toEqual(binding)
})

test('an id is registered again in place, listed once, and gone when it is deleted', async () => {
  await put('again', remote)
  await put('again', { ...remote, model: 'other' })
  const { body } = await plane.call('GET', '/admin/models')
  const found = body.models.filter(({ logicalId }: { logicalId: string }) => logicalId === 'again')
  expect(found).toMatchObject([{ binding: { model: 'other' } }])
  const listed = await plane.call('GET', '/v1/models')
  expect(listed.body.data).toContainEqual({ id: 'again', object: 'model', owned_by: 'tycho' })

  expect((await plane.call('DELETE', '/admin/models/again')).status).toBe(204)
  for (const [method, path] of [
    ['GET', '/admin/models/again'],
    ['DELETE', '/admin/models/again'],
    ['POST', '/admin/models/again:warm'],
    ['POST', '/admin/models/again:evict'],
    ['GET', '/admin/models/again/capabilities'],
  ] as const) {
    const { status, body } = await plane.call(method, path)
    expect([path, status, body.error.code]).toEqual([path, 404, 'model_not_found'])
  }
})

test.each([
  ['no object', [], 'object'],
  ['nothing', undefined, 'object'],
  ['no binding', { model: 'gpt' }, 'binding'],
  ['an unknown binding', { ...remote, binding: 'openai' }, 'binding'],
  ['an unknown field', { ...remote, baseURL: 'http://x/v1' }, 'baseURL'],
  ["the other kind's field", { ...remote, source: 'hf' }, 'source'],
  ["the other kind's field", { ...local, baseUrl: 'http://x/v1' }, 'baseUrl'],
  ['an unknown field inside', { ...local, lifecycle: { warm: true } }, 'lifecycle.warm'],
  ['no model', { binding: 'standard-compatible', baseUrl: 'http://x/v1' }, 'model'],
  ['an empty model', { ...remote, model: '' }, 'model'],
  ['no base URL', { binding: 'standard-compatible', model: 'gpt' }, 'baseUrl'],
  ['no source', { binding: 'mlx', model: 'x' }, 'source'],
  ['an unknown source', { ...local, source: 'ftp' }, 'source'],
  ['an unknown modality', { ...remote, modality: 'smell' }, 'modality'],
  ['a base URL that is none', { ...remote, baseUrl: 'models.example/v1' }, 'baseUrl'],
  ['a base URL of another scheme', { ...remote, baseUrl: 'file:///etc/passwd' }, 'baseUrl'],
  ['a password in the base URL', { ...remote, baseUrl: 'https://me:secret@x.example/v1' }, 'baseUrl'],
  ['a query in the base URL', { ...remote, baseUrl: 'https://x.example/v1?key=1' }, 'baseUrl'],
  ['a credential without its scheme', { ...remote, credentialRef: 'OPENAI_API_KEY' }, 'credentialRef'],
  ['a credential of an odd name', { ...remote, credentialRef: 'secret://a-b' }, 'credentialRef'],
  ['params that are a list', { ...remote, params: [] }, 'params'],
  ['params beyond all measure', { ...remote, params: { a: 'x'.repeat(70_000) } }, 'params'],
  ['a context of 0', { ...local, params: { ctxSize: 0 } }, 'params.ctxSize'],
  ['a context that is text', { ...local, params: { ctxSize: '4096' } }, 'params.ctxSize'],
  ['half a batch', { ...local, params: { batchSize: 1.5 } }, 'params.batchSize'],
  ['an empty projector', { ...local, params: { mmproj: '' } }, 'params.mmproj'],
  [
    'a launch setting of llama.cpp for mlx',
    { ...local, binding: 'mlx', params: { parallel: 2 } },
    'params.parallel',
  ],
  [
    'a launch setting of llama.cpp for a provider',
    { ...remote, params: { ubatchSize: 2 } },
    'params.ubatchSize',
  ],
  ['a priority that is text', { ...local, lifecycle: { priority: 'high' } }, 'lifecycle.priority'],
])('a registration with %s is refused, and the message says where', async (_what, body, where) => {
  const answer = await put('refused', body)
  expect([answer.status, answer.body.error.code]).toEqual([422, 'invalid_binding'])
  expect(answer.body.error.message).toContain(where)
  expect((await plane.call('GET', '/admin/models/refused')).status).toBe(404)
})

test.each([
  ['no characters', ''],
  ['spaces at its ends', ' spaced '],
  ['a slash in front', '/rooted'],
  ['a slash at its end', 'trailing/'],
  ['a line end', 'a\nb'],
  ['too many characters', 'x'.repeat(201)],
])('an id with %s is refused', async (_what, id) => {
  const answer = await put(id, remote)
  expect([answer.status, answer.body.error.code]).toEqual(id ? [422, 'invalid_binding'] : [404, 'not_found'])
})

test.each([
  ['org/model:8b', 'org/model:8b'],
  ['org/model:8b', 'org%2Fmodel%3A8b'],
  ['a:warm', 'a:warm'],
  ['deep/er/still', 'deep/er/still'],
  ['50%', '50%25'],
  ['with space', 'with%20space'],
  ['ünïcode/模型', encodeURIComponent('ünïcode/模型')],
])('%p is one id in every path, spelled %s', async (id, spelled) => {
  const path = `/admin/models/${spelled}`
  expect((await plane.call('PUT', path, remote)).body.logicalId).toBe(id)
  expect((await plane.call('GET', path)).body.logicalId).toBe(id)
  expect((await plane.call('POST', `${path}:warm`)).body.logicalId).toBe(id)
  expect((await plane.call('POST', `${path}%3Aevict`)).body.logicalId).toBe(id)
  expect((await plane.call('GET', `${path}/capabilities`)).body.modalities).toEqual(['chat'])
  const listed = await plane.call('GET', '/v1/models')
  expect(listed.body.data.filter((model: { id: string }) => model.id === id)).toHaveLength(1)
  expect((await plane.call('DELETE', path)).status).toBe(204)
})

test('a client typed from the routes reaches the same models', async () => {
  const api = treaty<InferenceApp>(plane.url)
  const made = await api.admin.models({ id: 'org/typed:1' }).put({
    binding: 'standard-compatible',
    model: 'gpt',
    baseUrl: 'http://127.0.0.1:9/v1',
  })
  expect(made.data?.logicalId).toBe('org/typed:1')
  const warm = await api.admin.models({ id: 'org/typed:1' })['~warm'].post()
  expect(warm.data?.state.resident).toBe(false)
  const missing = await api.admin.models({ id: 'org/none' }).get()
  expect(missing.status as number).toBe(404)
})

test('a remote model is always warm; a local one needs an engine to be', async () => {
  await put('remote', remote)
  await put('local', local)
  for (const verb of ['warm', 'evict'])
    expect((await plane.call('POST', `/admin/models/remote:${verb}`)).status).toBe(200)
  const { status, body } = await plane.call('POST', '/admin/models/local:warm')
  expect([status, body.error.code]).toEqual([503, 'engine_unavailable'])
  expect((await plane.call('POST', '/admin/models/local:evict')).status).toBe(200)
  expect((await plane.call('GET', '/admin/engines')).body).toEqual({ maxResident: 2, resident: [] })
})

test.each([
  ['chat', ['chat']],
  ['vision', ['chat', 'vision']],
  ['embeddings', ['embeddings']],
  ['audio.speech', ['audio.speech']],
])('a provider that tells nothing can what its registration says: %s', async (modality, modalities) => {
  await plane.register('told', { modality })
  expect((await plane.call('GET', '/admin/models/told/capabilities')).body).toEqual({
    toolCalling: false,
    structuredOutput: false,
    vision: modality === 'vision',
    reasoning: false,
    maxContext: null,
    modalities,
    approximate: true,
  })
})

test("a server like llama.cpp's is asked what it can, with the credential", async () => {
  await plane.call('PUT', '/admin/credentials/PROBE_KEY', { value: 'probe-key' })
  await plane.register('llama', { credentialRef: 'secret://PROBE_KEY' })
  plane.provider.on('/props', () =>
    Response.json({
      default_generation_settings: { n_ctx: 8192, params: {} },
      chat_template: '{% if enable_thinking %}<think>{% endif %}',
      modalities: { vision: true, audio: false },
    }),
  )
  expect((await plane.call('GET', '/admin/models/llama/capabilities')).body).toEqual({
    toolCalling: true,
    structuredOutput: true,
    vision: true,
    reasoning: true,
    maxContext: 8192,
    modalities: ['chat', 'vision'],
    approximate: true,
  })
  expect(plane.provider.seen.at(-1)!.headers.authorization).toBe('Bearer probe-key')
})

test('what a local model can is not known without an engine', async () => {
  await put('local', local)
  const { status, body } = await plane.call('GET', '/admin/models/local/capabilities')
  expect([status, body.error.code]).toEqual([503, 'engine_unavailable'])
})
