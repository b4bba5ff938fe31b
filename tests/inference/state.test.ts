import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openInferencePlane } from '../support/inference-plane'

let root: string
let dir: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'tycho-state-'))
  dir = join(root, 'state')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

const mode = (path: string) => (statSync(path).mode & 0o777).toString(8)

test('registrations, credentials and settings outlive the process', async () => {
  {
    await using plane = await openInferencePlane({ dir })
    await plane.register('org/kept:1', { params: { maxTokens: 5 }, credentialRef: 'secret://KEPT' })
    await plane.call('PUT', '/admin/credentials/KEPT', { value: 'kept-value' })
    await plane.call('PATCH', '/admin/settings', { maxResident: 5 })
  }
  await using plane = await openInferencePlane({ dir })
  const { body } = await plane.call('GET', '/admin/models/org%2Fkept%3A1')
  expect(body.binding).toMatchObject({ params: { maxTokens: 5 }, credentialRef: 'secret://KEPT' })
  expect((await plane.call('GET', '/admin/credentials')).body.credentials).toEqual([
    { name: 'KEPT', hasValue: true },
  ])
  expect((await plane.call('GET', '/admin/settings')).body.maxResident).toMatchObject({
    value: 5,
    source: 'stored',
  })
  expect((await plane.call('GET', '/admin/diagnostics')).body.problems).toEqual([])
})

test('the state is readable by its owner only, also where it was not before', async () => {
  mkdirSync(dir)
  writeFileSync(join(dir, 'credentials.json'), '{"OLD":"old-value"}', { mode: 0o644 })
  writeFileSync(join(dir, 'registry.json.tmp'), 'left by a crash', { mode: 0o644 })
  {
    await using _plane = await openInferencePlane({ dir })
    expect(mode(join(dir, 'credentials.json'))).toBe('600')
  }
  await using plane = await openInferencePlane({ dir })
  await plane.register()
  await plane.call('PATCH', '/admin/settings', { maxResident: 3 })
  await plane.call('PUT', '/admin/credentials/NEW', { value: 'new-value' })
  for (const name of ['registry.json', 'credentials.json', 'settings.json']) {
    expect([name, mode(join(dir, name))]).toEqual([name, '600'])
  }
  // `tmp` is for what engines write and forget.
  expect(readdirSync(dir).sort()).toEqual(['credentials.json', 'registry.json', 'settings.json', 'tmp'])
  expect(mode(join(dir, 'tmp'))).toBe('700')
})

test('a new state folder is for its owner only', async () => {
  await using _plane = await openInferencePlane({ dir })
  expect(mode(dir)).toBe('700')
})

test('many registrations at once all arrive', async () => {
  const ids = Array.from({ length: 40 }, (_, index) => `model-${index}`)
  {
    await using plane = await openInferencePlane({ dir })
    await Promise.all(ids.map((id) => plane.register(id)))
    await Promise.all(ids.slice(0, 10).map((id) => plane.call('DELETE', `/admin/models/${id}`)))
  }
  await using plane = await openInferencePlane({ dir })
  const { body } = await plane.call('GET', '/v1/models')
  expect(body.data.map(({ id }: { id: string }) => id).sort()).toEqual(ids.slice(10).sort())
})

test.each([
  ['cut in the middle', (whole: string) => whole.slice(0, whole.length / 2)],
  ['empty', () => ''],
  ['JSON of another kind', () => '[1, 2]'],
  ['bytes that are no text', () => '\u0000\u0001'],
  ['of a later format', (whole: string) => whole.replace('"formatVersion": 1', '"formatVersion": 99')],
])('a registry that is %s is put aside, said aloud, and the plane starts', async (_what, damage) => {
  {
    await using plane = await openInferencePlane({ dir })
    await plane.register('lost')
    await plane.call('PUT', '/admin/credentials/KEPT', { value: 'kept-value' })
  }
  const file = join(dir, 'registry.json')
  const damaged = damage(readFileSync(file, 'utf8'))
  writeFileSync(file, damaged)

  await using plane = await openInferencePlane({ dir })
  expect((await plane.call('GET', '/admin/models')).body.models).toEqual([])
  expect((await plane.call('GET', '/admin/credentials')).body.credentials).toHaveLength(1)
  const { problems } = (await plane.call('GET', '/admin/diagnostics')).body
  expect(problems).toMatchObject([{ file, message: expect.stringContaining('registry.json') }])
  expect(readFileSync(problems[0].keptAs, 'utf8')).toBe(damaged)
  expect(problems[0].keptAs).toStartWith(`${file}.corrupt-`)
  const line = plane.logs.map((text) => JSON.parse(text)).find(({ level }) => level === 'error')
  expect(line).toMatchObject({ file, keptAs: problems[0].keptAs })
  expect((await plane.call('GET', '/readyz')).body.reason).toContain('registry.json')

  await plane.register('new')
  expect((await plane.call('GET', '/v1/models')).body.data).toHaveLength(1)
})

test('a credentials file that cannot be read gives none of its words away', async () => {
  mkdirSync(dir)
  writeFileSync(join(dir, 'credentials.json'), 'hushhush')
  await using plane = await openInferencePlane({ dir })
  const told = JSON.stringify((await plane.call('GET', '/admin/diagnostics')).body) + plane.logs.join()
  expect(told).toContain('credentials.json')
  expect(told).not.toContain('hushhush')
})

test('a registration that could not be written is not there', async () => {
  await using plane = await openInferencePlane({ dir })
  await plane.register('first')
  // A folder where the draft is written: what root may write too, this cannot.
  mkdirSync(join(dir, 'registry.json.tmp'))
  const { status, body } = await plane.call('PUT', '/admin/models/second', {
    binding: 'standard-compatible',
    model: 'gpt',
    baseUrl: 'http://127.0.0.1:9/v1',
  })
  expect([status, body.error.code]).toEqual([500, 'internal_error'])
  expect((await plane.call('GET', '/admin/models/second')).status).toBe(404)
  rmSync(join(dir, 'registry.json.tmp'), { recursive: true })
  await plane.register('third')
  expect((await plane.call('GET', '/v1/models')).body.data).toHaveLength(2)
})

test('a stored setting that is out of range counts as none', async () => {
  mkdirSync(dir)
  writeFileSync(join(dir, 'settings.json'), '{"maxResident": 99}')
  await using plane = await openInferencePlane({ dir })
  expect((await plane.call('GET', '/admin/settings')).body.maxResident).toMatchObject({
    value: 2,
    source: 'default',
  })
})
