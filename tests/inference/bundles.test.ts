import { afterEach, beforeEach, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type InferencePlane, openInferencePlane } from '../support/inference-plane'

let plane: InferencePlane

beforeEach(async () => {
  plane = await openInferencePlane()
})
afterEach(() => plane[Symbol.asyncDispose]())

const remote = { binding: 'standard-compatible', model: 'gpt', baseUrl: 'http://127.0.0.1:9/v1' }
const local = { binding: 'llamacpp', source: 'local-path', model: '/nowhere/a.gguf' }
const take = (body: unknown) => plane.call('POST', '/admin/import', body)

test('a registry goes to another machine and back unchanged, without a value of a credential', async () => {
  await plane.call('PUT', '/admin/credentials/STORED', { value: 'never-exported' })
  await plane.register('org/remote:1', { credentialRef: 'secret://AMBIENT', params: { maxTokens: 5 } })
  await plane.call('PUT', '/admin/models/local', local)
  const { body: bundle } = await plane.call('GET', '/admin/export')
  expect(bundle).toMatchObject({ formatVersion: 1, credentialNames: ['AMBIENT', 'STORED'] })
  expect(bundle.models.map(({ install }: { install: unknown }) => install)).toEqual([null, null])
  expect(JSON.stringify(bundle)).not.toContain('never-exported')

  await using other = await openInferencePlane()
  const { status, body } = await other.call('POST', '/admin/import', bundle)
  expect(status).toBe(200)
  expect(body).toEqual({
    registered: ['org/remote:1', 'local'],
    skipped: [],
    downloads: [],
    warnings: [{ logicalId: 'local', code: 'weights_unavailable', message: expect.any(String) }],
    credentialNames: ['AMBIENT', 'STORED'],
  })
  expect((await other.call('GET', '/admin/export')).body.models).toEqual(bundle.models)
})

test('what is registered already is skipped, never replaced', async () => {
  await plane.register('mine')
  const { body } = await take({
    models: [
      { logicalId: 'mine', binding: remote },
      { logicalId: 'new', binding: remote },
      { logicalId: 'new', binding: { ...remote, model: 'second' } },
    ],
  })
  expect(body).toMatchObject({ registered: ['new'], skipped: ['mine', 'new'] })
  expect((await plane.call('GET', '/admin/models/mine')).body.binding.model).toBe('fake-model')
  expect((await plane.call('GET', '/admin/models/new')).body.binding.model).toBe('gpt')
})

test('an entry that cannot be registered is a warning and holds up no other', async () => {
  const { status, body } = await take({
    models: [
      { logicalId: 'bad', binding: { ...remote, baseUrl: 'nonsense' } },
      { logicalId: 'good', binding: remote },
    ],
  })
  expect(status).toBe(200)
  expect(body.registered).toEqual(['good'])
  expect(body.warnings).toEqual([
    { logicalId: 'bad', code: 'invalid_binding', message: expect.stringContaining('baseUrl') },
  ])
})

test('a parameter that is a path of another machine is left out; one that is a path here stays', async () => {
  const here = join(plane.dir, 'projector.gguf')
  writeFileSync(here, '')
  const params = { mmproj: 'C:\\models\\mmproj.gguf', ctxSize: 2048, kept: here }
  const { body } = await take({
    models: [
      { logicalId: 'local', binding: { ...local, model: here, params } },
      { logicalId: 'remote', binding: { ...remote, params: { stop: '/end' } } },
    ],
  })
  expect(body.warnings).toEqual([
    { logicalId: 'local', code: 'params_path_dropped', message: expect.stringContaining('mmproj') },
  ])
  const registered = await plane.call('GET', '/admin/models/local')
  expect(registered.body.binding.params).toEqual({ ctxSize: 2048, kept: here })
  expect((await plane.call('GET', '/admin/models/remote')).body.binding.params).toEqual({ stop: '/end' })
})

test.each([
  ['no object', 7],
  ['nothing', undefined],
  ['no models', { formatVersion: 1 }],
  ['an unknown key', { models: [], extra: 1 }],
  ['an unknown key in a model', { models: [{ logicalId: 'a', binding: remote, state: {} }] }],
  ['a model without an id', { models: [{ binding: remote }] }],
  ['a version of 0', { formatVersion: 0, models: [] }],
])('a bundle with %s is refused', async (_what, bundle) => {
  const { status, body } = await take(bundle)
  expect([status, body.error.code]).toEqual([400, 'invalid_bundle'])
})

test('a bundle of a later format is refused as such, whatever else is in it', async () => {
  const { status, body } = await take({ formatVersion: 2, models: [], later: true })
  expect([status, body.error.code]).toEqual([400, 'unsupported_bundle_version'])
})
