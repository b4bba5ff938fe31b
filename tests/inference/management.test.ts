import { expect, test } from 'bun:test'
import { openInferencePlane } from '../support/inference-plane'
import { openWorld } from '../support/world'

const pinned = { SERVICE_MAX_RESIDENT: 4, HF_HOME: undefined }

test('the setting is the default, then what is stored, and null resets it', async () => {
  await using plane = await openInferencePlane()
  const shown = async () => (await plane.call('GET', '/admin/settings')).body.maxResident
  expect(await shown()).toEqual({
    value: 2,
    storedValue: null,
    default: 2,
    type: 'int',
    source: 'default',
    envVar: 'SERVICE_MAX_RESIDENT',
    envPinned: false,
    apply: 'live',
    constraints: { min: 1, max: 16 },
    description: expect.any(String),
  })
  const { status, body } = await plane.call('PATCH', '/admin/settings', { maxResident: 6 })
  expect(status).toBe(200)
  expect(body.maxResident).toMatchObject({ value: 6, storedValue: 6, source: 'stored' })
  expect((await plane.call('GET', '/admin/engines')).body.maxResident).toBe(6)
  expect((await plane.call('PATCH', '/admin/settings', {})).body.maxResident.value).toBe(6)
  await plane.call('PATCH', '/admin/settings', { maxResident: null })
  expect(await shown()).toMatchObject({ value: 2, storedValue: null, source: 'default' })
})

test.each([
  [{ maxResident: 0 }],
  [{ maxResident: 17 }],
  [{ maxResident: 2.5 }],
  [{ maxResident: '3' }],
  [{ maxResident: 3, more: 1 }],
  [[]],
  [7],
])('%j is no setting, and nothing is stored', async (patch) => {
  await using plane = await openInferencePlane()
  const { status, body } = await plane.call('PATCH', '/admin/settings', patch)
  expect([status, body.error.code]).toEqual([422, 'invalid_settings'])
  expect((await plane.call('GET', '/admin/settings')).body.maxResident.source).toBe('default')
})

test('the environment pins the setting', async () => {
  await using plane = await openInferencePlane({ env: pinned })
  expect((await plane.call('GET', '/admin/settings')).body.maxResident).toMatchObject({
    value: 4,
    source: 'env',
    envPinned: true,
  })
  for (const maxResident of [3, null]) {
    const { status, body } = await plane.call('PATCH', '/admin/settings', { maxResident })
    expect([status, body.error.code]).toEqual([422, 'env_pinned'])
    expect(body.error.message).toContain('SERVICE_MAX_RESIDENT')
  }
})

test('the variables of the environment reach the plane', async () => {
  const env = { SERVICE_MAX_RESIDENT: '7', HF_HOME: '/hub' }
  await using world = await openWorld({ planes: ['inference'], env })
  expect((await world.infer('GET', '/admin/settings')).body.maxResident.value).toBe(7)
  expect((await world.infer('GET', '/admin/diagnostics')).body.hfHome).toBe('/hub')
})

test('nothing can be served until there is an engine or a remote model', async () => {
  await using plane = await openInferencePlane()
  const empty = await plane.call('GET', '/readyz')
  expect(empty.status).toBe(503)
  expect(empty.body).toMatchObject({ status: 'not-ready', reason: expect.any(String) })
  for (const engine of [
    'llamacpp',
    'llamacpp:embeddings',
    'llamacpp:audio.transcription',
    'mlx:audio.speech',
  ]) {
    expect(empty.body.engines[engine]).toEqual({ ready: false, reason: expect.stringContaining('nstall') })
  }
  await plane.call('PUT', '/admin/models/local', { binding: 'mlx', source: 'hf', model: 'org/repo' })
  expect((await plane.call('GET', '/readyz')).status).toBe(503)
  await plane.register('remote')
  const { status, body } = await plane.call('GET', '/readyz')
  expect([status, body.status]).toEqual([200, 'ready'])
  expect(body.engines).toEqual(empty.body.engines)
})

test('liveness and the list of models answer whether or not anything can be served', async () => {
  await using plane = await openInferencePlane()
  expect((await plane.call('GET', '/healthz')).body).toEqual({ status: 'ok' })
  expect((await plane.call('GET', '/v1/models')).body).toEqual({ object: 'list', data: [] })
})

test('diagnostics say where everything is', async () => {
  await using plane = await openInferencePlane()
  const { body } = await plane.call('GET', '/admin/diagnostics')
  expect(body).toMatchObject({ stateDir: plane.dir, persistent: false, problems: [] })
  expect(body.modelDir).toStartWith(plane.dir)
  expect(body.hfHome).toEndWith('huggingface')
  expect(body.binaries).toContainEqual({
    engine: 'llamacpp',
    modality: 'chat',
    path: null,
    status: 'missing',
    builtIn: false,
    version: null,
  })
})

test.each([
  ['GET', '/v1/nothing', undefined, 404, 'not_found'],
  ['POST', '/v1/models', {}, 404, 'not_found'],
  ['PUT', '/admin/models/x', '{"binding":', 400, 'invalid_json'],
])('%s %s answers in the envelope of this plane', async (method, path, body, status, code) => {
  await using plane = await openInferencePlane()
  const answer = await plane.call(method, path, body)
  expect(answer.status).toBe(status)
  expect(answer.body).toEqual({ error: { message: expect.any(String), type: 'invalid_request_error', code } })
})

test.each([
  ['a page elsewhere', { origin: 'https://evil.example' }, 'origin_not_allowed'],
  ['a sandboxed page', { origin: 'null' }, 'origin_not_allowed'],
  ['a name that was pointed at us', { host: 'evil.example' }, 'host_not_allowed'],
])('%s reaches neither chats nor credentials', async (_who, headers, code) => {
  await using plane = await openInferencePlane()
  await plane.register()
  for (const [method, path, body] of [
    ['POST', '/v1/chat/completions', '{"model":"test-model","messages":[]}'],
    ['GET', '/v1/models', undefined],
    ['PUT', '/admin/credentials/A', '{"value":"x"}'],
    ['GET', '/admin/models', undefined],
  ] as const) {
    // As a page can send it without asking first: a simple request with a plain body.
    const answer = await plane.call(method, path, body, {
      headers: { ...headers, 'content-type': 'text/plain' },
    })
    expect([path, answer.status, answer.body.error.code]).toEqual([path, 403, code])
    expect(answer.body.error.type).toBe('invalid_request_error')
    expect(answer.headers.get('access-control-allow-origin')).toBeNull()
  }
  expect(plane.provider.seen).toEqual([])
})

test('the interface may read what it asks for', async () => {
  await using plane = await openInferencePlane()
  const origin = 'http://localhost:5174'
  const answer = await plane.call('GET', '/v1/models', undefined, { headers: { origin } })
  expect(answer.headers.get('access-control-allow-origin')).toBe(origin)
})
