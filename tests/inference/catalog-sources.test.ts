import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../engines/machine'
import { openCatalogPlane } from '../support/catalog-plane'
import { fakeHub, type HubRepo, sum } from '../support/fake-hub'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tycho-catalog-source-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const bytes = (length: number) => new Uint8Array(length).fill(7)
const TOKEN = 'hf_aTokenThatNobodyMaySee'
const repo = (more: Partial<HubRepo> = {}): HubRepo => ({
  files: { 'a-Q4_0.gguf': bytes(60_000) },
  task: 'text-generation',
  tags: ['gguf'],
  ...more,
})

test('a gated repository says what to do, and opens for the token', async () => {
  const repos = {
    'org/gated': repo({ gatedFor: TOKEN }),
    'org/apple': repo({ gatedFor: TOKEN, tags: ['mlx'], files: { 'model.safetensors': bytes(9) } }),
  }
  await using plane = await openCatalogPlane({ repos })
  expect(await plane.get('/models/org/gated')).toMatchObject({ gated: true, variants: [{ label: 'Q4_0' }] })
  const refused = await plane.install('org/gated', 'a-Q4_0.gguf', 'a')
  expect([refused.status, refused.body.error.code]).toEqual([403, 'repository_gated'])
  expect(refused.body.error.message).toContain('/admin/credentials/HF_TOKEN')

  // Also where there is no header to read.
  const whole = await plane.install('org/apple', '', 'b', { engine: 'mlx' })
  expect([whole.status, whole.body.error.code]).toEqual([403, 'repository_gated'])

  await plane.call('PUT', '/admin/credentials/HF_TOKEN', { value: 'hf_ofSomebodyElse123' })
  const other = await plane.install('org/gated', 'a-Q4_0.gguf', 'a')
  expect([other.status, other.body.error.message]).toEqual([403, expect.stringContaining('Accept its terms')])

  await plane.call('PUT', '/admin/credentials/HF_TOKEN', { value: TOKEN })
  expect((await plane.install('org/gated', 'a-Q4_0.gguf', 'a')).status).toBe(202)
  expect((await plane.ended('dl-1')).status).toBe('done')
})

test('the token goes to the hub and nowhere else', async () => {
  await using plane = await openCatalogPlane({ repos: { 'org/gated': repo({ gatedFor: TOKEN }) } })
  await plane.call('PUT', '/admin/credentials/HF_TOKEN', { value: TOKEN })
  await plane.get('/models')
  await plane.get('/models/org/gated')
  await plane.install('org/gated', 'a-Q4_0.gguf', 'a')
  await plane.ended('dl-1')
  const sent = (origin: string) =>
    plane.hub.seen.filter((one) => one.origin === origin).map(({ headers }) => headers.get('authorization'))
  expect(new Set(sent('hub'))).toEqual(new Set([`Bearer ${TOKEN}`]))
  expect(new Set(sent('cdn'))).toEqual(new Set([null]))
  const state = readdirSync(plane.dir, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'credentials.json')
    .map(({ name }) => readFileSync(join(plane.dir, name), 'utf8'))
  for (const text of [...plane.logs, ...state]) {
    expect(text).not.toContain(TOKEN)
    // Nor the address that opens for whoever has it.
    expect(text).not.toContain('signature=secret')
  }
})

test.each<[string, Record<string, string>, string | undefined, string | undefined, string | null]>([
  ['nobody is signed in', {}, undefined, undefined, null],
  ['this machine is', {}, 'hf_ofTheMachine12\n', undefined, 'hf_ofTheMachine12'],
  [
    'the environment says so',
    { HF_TOKEN: 'hf_environment12' },
    'hf_ofTheMachine12',
    undefined,
    'hf_environment12',
  ],
  ['a credential is set', { HF_TOKEN: 'hf_environment12' }, 'hf_ofTheMachine12', TOKEN, TOKEN],
])('when %s, the hub is asked accordingly', async (_who, environment, login, stored, expected) => {
  if (login) {
    mkdirSync(join(folder, 'hf'))
    writeFileSync(join(folder, 'hf/token'), login)
  }
  await using plane = await openCatalogPlane({ folder, environment })
  if (stored) await plane.call('PUT', '/admin/credentials/HF_TOKEN', { value: stored })
  await plane.get('/models')
  expect(plane.hub.seen.at(-1)?.headers.get('authorization')).toBe(expected && `Bearer ${expected}`)
})

test('what was seen can be looked through while the hub is away, and says so', async () => {
  await using hub = fakeHub({
    'org/Small-1B': repo({ downloads: 1 }),
    'org/Big-20B': repo({ downloads: 2 }),
    'org/never-seen': repo(),
  })
  {
    await using plane = await openCatalogPlane({ hub, folder })
    expect((await plane.get('/models?search=B&sort=downloads')).entries).toHaveLength(2)
    await plane.get('/models/org/Small-1B')
  }
  hub.down()
  await using plane = await openCatalogPlane({ hub, folder })
  const list = await plane.get('/models?sort=downloads')
  expect(list).toMatchObject({ offline: true, offlineReason: expect.stringContaining('503') })
  expect(list.entries.map(({ ref }: { ref: string }) => ref)).toEqual(['org/Big-20B', 'org/Small-1B'])
  expect((await plane.get('/models?search=small')).entries).toHaveLength(1)
  expect((await plane.get('/models?size=large')).entries).toMatchObject([{ ref: 'org/Big-20B' }])
  expect(await plane.get('/models/org/Small-1B')).toMatchObject({
    offline: true,
    variants: [{ label: 'Q4_0', fit: 'fits' }],
  })
  const unseen = await plane.call('GET', '/admin/catalog/models/org/never-seen')
  expect([unseen.status, unseen.body.error.code]).toEqual([502, 'catalog_error'])
  hub.up()
  expect(await plane.get('/models')).toMatchObject({ offline: false, offlineReason: null })
})

test('a hub that was never reached is an error, and so is one that makes no sense', async () => {
  await using away = await openCatalogPlane({ url: 'http://127.0.0.1:9' })
  const { status, body } = await away.call('GET', '/admin/catalog/models')
  expect([status, body.error.code]).toEqual([502, 'catalog_error'])
  using nonsense = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('<html>') })
  await using plane = await openCatalogPlane({ url: `http://127.0.0.1:${nonsense.port}` })
  expect((await plane.call('GET', '/admin/catalog/models')).body.error.code).toBe('catalog_error')
  expect((await plane.call('GET', '/admin/catalog/models/org/a')).body.error.code).toBe('catalog_error')
})

test('a token that the hub refuses is said so', async () => {
  using strict = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('', { status: 401 }) })
  await using plane = await openCatalogPlane({ url: `http://127.0.0.1:${strict.port}` })
  await plane.call('PUT', '/admin/credentials/HF_TOKEN', { value: TOKEN })
  const { status, body } = await plane.call('GET', '/admin/catalog/models')
  expect([status, body.error.code]).toEqual([502, 'catalog_error'])
  expect(body.error.message).toContain('refuses the token')
  expect(body.error.message).not.toContain(TOKEN)
})

test.each(['org/none', 'none', '..%2Fstate', 'a/b/c'])('%s is no repository', async (name) => {
  await using plane = await openCatalogPlane()
  const { status, body } = await plane.call('GET', `/admin/catalog/models/${name}`)
  expect([status, body.error.code]).toEqual([404, 'repository_not_found'])
})

test('a folder is a hub: searched, looked at, installed from', async () => {
  const shelf = join(folder, 'shelf')
  mkdirSync(join(shelf, 'org/Big-20B-GGUF/.cache'), { recursive: true })
  mkdirSync(join(shelf, 'org/ears'), { recursive: true })
  const weights = bytes(50_000)
  writeFileSync(join(shelf, 'org/Big-20B-GGUF/big-Q4_K_M.gguf'), weights)
  writeFileSync(join(shelf, 'org/Big-20B-GGUF/.cache/x.gguf'), weights)
  writeFileSync(join(shelf, 'org/Big-20B-GGUF/SHA256SUMS'), `${sum(weights)}  ./big-Q4_K_M.gguf\n`)
  const info = { pipeline_tag: 'text-generation', tags: ['gguf'], likes: 5, cardData: { license: 'mit' } }
  writeFileSync(join(shelf, 'org/Big-20B-GGUF/.hub.json'), JSON.stringify(info))
  writeFileSync(join(shelf, 'org/ears/ggml-tiny.bin'), bytes(10))

  await using plane = await openCatalogPlane({ url: `file://${shelf}` })
  const { entries } = await plane.get('/models')
  expect(entries).toMatchObject([
    { provider: 'folder', ref: 'org/Big-20B-GGUF', params: '20B', license: 'mit', badges: { likes: 5 } },
    { ref: 'org/ears', modality: 'audio.transcription' },
  ])
  expect((await plane.get('/models?search=big')).entries).toHaveLength(1)
  expect((await plane.get('/models/org/Big-20B-GGUF')).variants).toMatchObject([
    { id: 'big-Q4_K_M.gguf', label: 'Q4_K_M' },
  ])
  await plane.install('org/Big-20B-GGUF', 'big-Q4_K_M.gguf', 'big')
  expect(await plane.ended('dl-1')).toMatchObject({ status: 'done', doneBytes: 50_000 })
  expect((await plane.call('GET', '/admin/models/big')).status).toBe(200)
  expect(plane.hub.seen).toEqual([])

  // A file that is not what its sum says is refused as the hub's would be.
  writeFileSync(join(shelf, 'org/Big-20B-GGUF/big-Q4_K_M.gguf'), bytes(50_001))
  await plane.install('org/Big-20B-GGUF', 'big-Q4_K_M.gguf', 'other')
  expect(await plane.ended('dl-2')).toMatchObject({
    status: 'error',
    error: expect.stringContaining('SHA-256'),
  })
})

test('a folder that is not there is said so', async () => {
  await using plane = await openCatalogPlane({ url: 'file:///nowhere/at/all' })
  const { status, body } = await plane.call('GET', '/admin/catalog/models')
  expect([status, body.error.message]).toEqual([502, expect.stringContaining('/nowhere/at/all')])
})

test('what was downloaded is downloaded again where the registry is taken', async () => {
  const repos = { 'org/a': repo(), 'org/b': repo() }
  await using plane = await openCatalogPlane({ repos })
  await plane.install('org/a', 'a-Q4_0.gguf', 'mine')
  await plane.ended('dl-1')
  const { body: bundle } = await plane.call('GET', '/admin/export')
  expect(bundle.models).toMatchObject([
    {
      logicalId: 'mine',
      install: { repo: 'org/a', variantId: 'a-Q4_0.gguf' },
      binding: { binding: 'llamacpp' },
    },
  ])
  const tuned = { ...bundle.models[0].binding, model: '/of/another/machine.gguf', params: { ctxSize: 2048 } }
  bundle.models = [
    { ...bundle.models[0], binding: tuned },
    { logicalId: 'gone', binding: tuned, install: { repo: 'org/gone', variantId: 'x.gguf' } },
    { logicalId: 'busy', binding: tuned, install: { repo: 'org/b', variantId: 'a-Q4_0.gguf' } },
    {
      logicalId: 'bad',
      binding: { ...tuned, params: { ctxSize: 0 } },
      install: { repo: 'org/b', variantId: '' },
    },
  ]

  await using other = await openCatalogPlane({ repos })
  const goOn = other.hub.hold()
  await other.install('org/b', 'a-Q4_0.gguf', 'busy')
  const { status, body } = await other.call('POST', '/admin/import', bundle)
  expect(status).toBe(200)
  expect(body).toMatchObject({
    registered: [],
    skipped: [],
    downloads: [
      { jobId: 'dl-2', logicalId: 'mine', repo: 'org/a' },
      { jobId: 'dl-3', logicalId: 'gone', repo: 'org/gone' },
    ],
  })
  expect(body.warnings.map(({ logicalId, code }: Record<string, string>) => [logicalId, code])).toEqual([
    ['bad', 'invalid_binding'],
    ['busy', 'download_in_progress'],
  ])
  goOn()
  await other.ended('dl-1')
  expect((await other.ended('dl-2')).status).toBe('done')
  const { binding } = (await other.call('GET', '/admin/models/mine')).body
  expect(binding).toEqual({ ...tuned, model: join(other.models, 'org_a/a-Q4_0.gguf') })
  expect(await other.ended('dl-3')).toMatchObject({
    status: 'error',
    error: expect.stringContaining('org/gone'),
  })
  expect((await other.call('POST', '/admin/import', bundle)).body.skipped).toEqual(['mine', 'busy'])
})

test('a registration that is replaced or removed is not what was downloaded any more; its weights stay', async () => {
  await using plane = await openCatalogPlane({ repos: { 'org/a': repo() } })
  for (const id of ['kept', 'removed']) {
    await plane.install('org/a', 'a-Q4_0.gguf', id)
    await until(async () => (await plane.call('GET', `/admin/models/${id}`)).status === 200)
  }
  const { binding } = (await plane.call('GET', '/admin/models/kept')).body
  await plane.call('PUT', '/admin/models/kept', binding)
  await plane.call('DELETE', '/admin/models/removed')
  expect((await plane.call('GET', '/admin/export')).body.models).toMatchObject([
    { logicalId: 'kept', install: null },
  ])
  expect(await plane.get('/models/org/a')).toMatchObject({ installed: false, installedAs: null })
  expect(plane.files()).toEqual(['a-Q4_0.gguf'])
})
