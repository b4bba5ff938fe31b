import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../engines/machine'
import { openCatalogPlane } from '../support/catalog-plane'
import { fakeHub, type HubRepo, sum, type Trouble } from '../support/fake-hub'
import { makeParrot } from '../support/make-tiny-gguf'
import { writeGguf } from '../support/make-tiny-gguf-file'

const folder = mkdtempSync(join(tmpdir(), 'tycho-catalog-test-'))
let weights: Uint8Array
beforeAll(() => {
  const path = join(folder, 'parrot.gguf')
  makeParrot(path)
  weights = readFileSync(path)
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Bytes that are no two times the same. */
function bytes(length: number, seed = 'a'): Uint8Array {
  const block = createHash('sha512').update(seed).digest()
  return Uint8Array.from({ length }, (_, at) => block[at % 64]! ^ (at >> 8))
}
const gguf = (files: Record<string, Uint8Array>, more: Partial<HubRepo> = {}): HubRepo => ({
  files,
  task: 'text-generation',
  tags: ['gguf'],
  ...more,
})
const parrot = () => ({ 'org/parrot': gguf({ 'parrot-Q4_K_M.gguf': weights }) })
const one = (length = 200_000, more: Partial<HubRepo> = {}) => ({
  'org/a': gguf({ 'a-Q4_0.gguf': bytes(length) }, more),
})

test('a model is downloaded, verified, registered and served', async () => {
  await using plane = await openCatalogPlane({ repos: parrot() })
  const { status, body: job } = await plane.install('org/parrot', 'parrot-Q4_K_M.gguf', 'my-parrot')
  expect(status).toBe(202)
  expect(job).toEqual({
    id: 'dl-1',
    logicalId: 'my-parrot',
    repo: 'org/parrot',
    engine: 'llamacpp',
    variantId: 'parrot-Q4_K_M.gguf',
    status: 'downloading',
    queued: false,
    doneBytes: 0,
    totalBytes: weights.length,
    bytesPerSecond: null,
    etaSeconds: null,
    error: null,
  })
  expect(await plane.ended('dl-1')).toMatchObject({ status: 'done', doneBytes: weights.length, error: null })
  const { binding } = (await plane.call('GET', '/admin/models/my-parrot')).body
  expect(binding).toMatchObject({
    binding: 'llamacpp',
    source: 'local-path',
    modality: 'chat',
    model: join(plane.models, 'org_parrot', 'parrot-Q4_K_M.gguf'),
  })
  expect(sum(readFileSync(binding.model))).toBe(sum(weights))
  expect(plane.files()).toEqual(['parrot-Q4_K_M.gguf'])
  expect(await plane.get('/models/org/parrot')).toMatchObject({ installed: true, installedAs: 'my-parrot' })
  const chat = await plane.call('POST', '/v1/chat/completions', {
    model: 'my-parrot',
    messages: [{ role: 'user', content: 'Hi' }],
  })
  expect(chat.status).toBe(200)
})

test('all parts and the projector come, and lie side by side', async () => {
  const repos = {
    'org/eye': gguf(
      {
        'Q8/eye-Q8_0-00001-of-00002.gguf': bytes(50_000, '1'),
        'Q8/eye-Q8_0-00002-of-00002.gguf': bytes(40_000, '2'),
        'mmproj-f16.gguf': bytes(3_000, '3'),
      },
      { task: 'image-text-to-text' },
    ),
  }
  await using plane = await openCatalogPlane({ repos })
  await plane.install('org/eye', 'Q8/eye-Q8_0-00001-of-00002.gguf', 'eye')
  expect(await plane.ended('dl-1')).toMatchObject({ status: 'done', doneBytes: 93_000, totalBytes: 93_000 })
  const { binding } = (await plane.call('GET', '/admin/models/eye')).body
  expect(binding).toMatchObject({
    modality: 'vision',
    model: join(plane.models, 'org_eye/Q8/eye-Q8_0-00001-of-00002.gguf'),
  })
  expect(existsSync(join(plane.models, 'org_eye/Q8/mmproj-f16.gguf'))).toBe(true)
  expect(plane.files()).toHaveLength(3)
})

test('a whole MLX repository, with its small files; native weights of whisper.cpp', async () => {
  const repos = {
    'org/apple-4bit': gguf(
      {
        '.gitattributes': bytes(5),
        'config.json': bytes(700),
        'model.safetensors': bytes(90_000),
        'deep/er.txt': bytes(9),
      },
      { tags: ['mlx'] },
    ),
    'org/whisper': {
      files: { 'ggml-tiny.bin': bytes(30_000), 'ggml-base.bin': bytes(5) },
      task: 'automatic-speech-recognition',
    },
  }
  await using plane = await openCatalogPlane({ repos })
  const { variants } = await plane.get('/models/org/apple-4bit')
  expect(variants).toMatchObject([
    { id: '', label: '4-bit', engine: 'mlx', sizeBytes: 90_709, recommended: true },
  ])
  await plane.install('org/apple-4bit', '', 'apple', { engine: 'mlx' })
  await plane.install('org/whisper', 'ggml-tiny.bin', 'ears')
  expect((await plane.ended('dl-1')).status).toBe('done')
  expect((await plane.ended('dl-2')).status).toBe('done')
  const bindingOf = async (id: string) => (await plane.call('GET', `/admin/models/${id}`)).body.binding
  expect(await bindingOf('apple')).toMatchObject({
    binding: 'mlx',
    model: join(plane.models, 'org_apple-4bit'),
  })
  expect(await bindingOf('ears')).toMatchObject({ binding: 'llamacpp', modality: 'audio.transcription' })
  expect(plane.files()).toEqual(['config.json', 'er.txt', 'ggml-tiny.bin', 'model.safetensors'])
})

test.each<[string, Trouble[], (string | null)[]]>([
  [
    'cut off twice',
    [
      { kind: 'reset', after: 70_000 },
      { kind: 'reset', after: 20_000 },
    ],
    [null, 'bytes=70000-', 'bytes=90000-'],
  ],
  ['silent in the middle', [{ kind: 'stall', after: 50_000 }], [null, 'bytes=50000-']],
  [
    'refused for a while',
    [
      { kind: 'status', status: 503 },
      { kind: 'status', status: 429 },
    ],
    [null, null, null],
  ],
  ['changed meanwhile', [{ kind: 'reset', after: 70_000 }, { kind: 'changed' }], [null, 'bytes=70000-']],
])('a download that is %s goes on to its end', async (_what, troubles, ranges) => {
  await using plane = await openCatalogPlane({ repos: one() })
  plane.hub.trouble('a-Q4_0.gguf', ...troubles)
  await plane.install('org/a', 'a-Q4_0.gguf', 'a')
  let arrived = 0
  for (const trouble of troubles) {
    if (trouble.kind !== 'reset') continue
    arrived += trouble.after
    await until(async () => (await plane.job('dl-1')).doneBytes === arrived)
    await until(() => plane.hub.cut() > 0)
  }
  expect(await plane.ended('dl-1')).toMatchObject({ status: 'done', doneBytes: 200_000 })
  expect(sum(readFileSync(join(plane.models, 'org_a/a-Q4_0.gguf')))).toBe(sum(bytes(200_000)))
  const fetched = plane.hub.fetched()
  expect(fetched.map(({ headers }) => headers.get('range'))).toEqual(ranges)
  // The bytes are asked for under the name that those before had.
  for (const { headers } of fetched) {
    if (headers.get('range')) expect(headers.get('if-range')).toBe(`"${sum(bytes(200_000)).slice(0, 8)}"`)
  }
})

test.each<[string, Partial<HubRepo>, Trouble[], string]>([
  ['is not what the hub promised', { wrongSum: true }, [], 'SHA-256'],
  ['is shorter than the hub promised', { toldSize: 200_001 }, [], 'not as long'],
  ['is longer than the hub promised', { toldSize: 199_999 }, [], 'promised'],
  ['never comes', {}, Array(4).fill({ kind: 'status', status: 500 }), 'status 500'],
])('a file that %s is an error, and nothing is registered', async (_what, more, troubles, message) => {
  await using plane = await openCatalogPlane({ repos: one(200_000, more) })
  plane.hub.trouble('a-Q4_0.gguf', ...troubles)
  await plane.install('org/a', 'a-Q4_0.gguf', 'a')
  expect(await plane.ended('dl-1')).toMatchObject({
    status: 'error',
    error: expect.stringContaining(message),
  })
  expect((await plane.call('GET', '/admin/models')).body.models).toEqual([])
  expect(plane.files().filter((name) => !name.endsWith('.part'))).toEqual([])
})

test('bytes that went bad on the disk are fetched anew', async () => {
  await using plane = await openCatalogPlane({ repos: one() })
  mkdirSync(join(plane.models, 'org_a'), { recursive: true })
  const part = join(plane.models, 'org_a', `a-Q4_0.gguf.${sum(bytes(200_000)).slice(0, 16)}.part`)
  writeFileSync(part, new Uint8Array(60_000))
  await plane.install('org/a', 'a-Q4_0.gguf', 'a')
  expect((await plane.ended('dl-1')).status).toBe('done')
  expect(plane.hub.fetched().map(({ headers }) => headers.get('range'))).toEqual(['bytes=60000-', null])
})

test('a cancelled download leaves nothing; one that is over stays as it is', async () => {
  await using plane = await openCatalogPlane({ repos: one() })
  const goOn = plane.hub.hold(60_000)
  await plane.install('org/a', 'a-Q4_0.gguf', 'a')
  await until(async () => (await plane.job('dl-1')).doneBytes > 0)
  const cancel = () => plane.call('POST', '/admin/catalog/downloads/dl-1:cancel')
  expect((await cancel()).body).toMatchObject({ status: 'cancelled', error: null })
  expect(existsSync(join(plane.models, 'org_a'))).toBe(false)
  goOn()
  // The id is free again.
  await plane.install('org/a', 'a-Q4_0.gguf', 'a')
  expect((await plane.ended('dl-2')).status).toBe('done')
  expect((await cancel()).body.status).toBe('cancelled')
  expect((await plane.call('POST', '/admin/catalog/downloads/dl-2:cancel')).body.status).toBe('done')
  expect(plane.files()).toEqual(['a-Q4_0.gguf'])
  expect((await plane.get('/downloads')).downloads.map(({ id }: { id: string }) => id)).toEqual([
    'dl-2',
    'dl-1',
  ])
})

test('no more than two download at once, and two of one repository never', async () => {
  const repos = Object.fromEntries(
    ['a', 'b', 'c', 'd'].map((name) => [`org/${name}`, gguf({ 'x-Q4_0.gguf': bytes(40_000, name) })]),
  )
  await using plane = await openCatalogPlane({ repos })
  const goOn = plane.hub.hold()
  for (const [repo, id] of ['a', 'a', 'b', 'c', 'd'].map((name, at) => [`org/${name}`, `m${at}`] as const)) {
    await plane.install(repo, 'x-Q4_0.gguf', id)
  }
  await until(() => plane.hub.mostOpen() === 2)
  const { downloads } = await plane.get('/downloads')
  expect(
    downloads
      .filter(({ queued }: { queued: boolean }) => !queued)
      .map(({ logicalId }: { logicalId: string }) => logicalId),
  ).toEqual(['m2', 'm0'])
  goOn()
  for (const id of [1, 2, 3, 4, 5]) expect((await plane.ended(`dl-${id}`)).status).toBe('done')
  expect(plane.hub.mostOpen()).toBe(2)
  // The second of the same repository found the file there.
  expect(plane.hub.fetched()).toHaveLength(4)
  expect((await plane.call('GET', '/admin/models')).body.models).toHaveLength(5)
})

test('a stop in the middle is gone on with at the next start, and ids are not used twice', async () => {
  await using hub = fakeHub(one())
  const home = mkdtempSync(join(tmpdir(), 'tycho-catalog-stop-'))
  const goOn = hub.hold(90_000)
  {
    await using plane = await openCatalogPlane({ hub, folder: home })
    await plane.install('org/a', 'a-Q4_0.gguf', 'a')
    await until(async () => (await plane.job('dl-1')).doneBytes >= 90_000)
  }
  goOn()
  await using plane = await openCatalogPlane({ hub, folder: home })
  expect(await plane.ended('dl-1')).toMatchObject({ status: 'done' })
  expect(hub.fetched().map(({ headers }) => headers.get('range'))).toEqual([null, 'bytes=90000-'])
  expect((await plane.call('GET', '/admin/models/a')).status).toBe(200)
  expect((await plane.install('org/a', 'a-Q4_0.gguf', 'again')).body.id).toBe('dl-2')
  await plane.ended('dl-2')
  rmSync(home, { recursive: true })
})

const picture = (names: string[]): Uint8Array => {
  const path = join(folder, 'picture.gguf')
  const tensor = (name: string) => ({
    name,
    shape: [32],
    type: 'f32' as const,
    fill: (_: number, values: Float32Array) => void values.fill(0),
  })
  writeGguf(path, {}, names.map(tensor))
  return readFileSync(path)
}

test('weights that can never serve are refused before anything is downloaded', async () => {
  const images = { task: 'text-to-image' }
  const repos = {
    'org/part': gguf({ 'p-Q4_0.gguf': picture(['model.diffusion_model.a']) }, images),
    'org/whole': gguf({ 'w-Q4_0.gguf': picture(['model.diffusion_model.a', 'first_stage_model.b']) }, images),
    'org/language': gguf({ 'l-Q4_0.gguf': weights }, images),
    'org/torn': gguf({ 't-Q4_0-00001-of-00003.gguf': bytes(9), 't-Q4_0-00003-of-00003.gguf': bytes(9) }),
    'org/mlx-part': gguf({ 'transformer/a.safetensors': bytes(9) }, { ...images, tags: ['mlx'] }),
  }
  await using plane = await openCatalogPlane({ repos })
  for (const [repo, variant, engine] of [
    ['org/part', 'p-Q4_0.gguf', 'llamacpp'],
    ['org/language', 'l-Q4_0.gguf', 'llamacpp'],
    ['org/torn', 't-Q4_0-00001-of-00003.gguf', 'llamacpp'],
    ['org/mlx-part', '', 'mlx'],
  ] as const) {
    const { status, body } = await plane.install(repo, variant, 'x', { engine })
    expect([repo, status, body.error.code]).toEqual([repo, 422, 'incomplete_weights'])
  }
  expect((await plane.get('/downloads')).downloads).toEqual([])
  expect((await plane.install('org/whole', 'w-Q4_0.gguf', 'x')).status).toBe(202)
  expect((await plane.ended('dl-1')).status).toBe('done')
})

test('what cannot be installed says why', async () => {
  const repos = { ...one(), 'org/huge': gguf({ 'h-Q4_0.gguf': bytes(9) }, { toldSize: 1e15 }) }
  await using plane = await openCatalogPlane({ repos })
  await plane.register('taken')
  const goOn = plane.hub.hold()
  await plane.install('org/a', 'a-Q4_0.gguf', 'pending')
  const refused = async (body: object) => {
    const answer = await plane.install('org/a', 'a-Q4_0.gguf', 'new', body)
    return [answer.status, answer.body.error.code]
  }
  expect(await refused({ logicalId: 'taken' })).toEqual([409, 'logical_id_exists'])
  expect(await refused({ logicalId: 'pending' })).toEqual([409, 'logical_id_exists'])
  expect(await refused({ logicalId: ' x' })).toEqual([422, 'invalid_install'])
  expect(await refused({ repo: 'org/none' })).toEqual([404, 'repository_not_found'])
  expect(await refused({ repo: '../../etc' })).toEqual([422, 'invalid_install'])
  expect(await refused({ variantId: 'b.gguf' })).toEqual([422, 'invalid_install'])
  expect(await refused({ engine: 'mlx' })).toEqual([422, 'invalid_install'])
  expect(await refused({ engine: 'standard-compatible' })).toEqual([422, 'invalid_install'])
  expect(await refused({ more: 1 })).toEqual([422, 'invalid_install'])
  expect(await refused({ repo: 'org/huge', variantId: 'h-Q4_0.gguf' })).toEqual([507, 'storage_full'])
  plane.hub.down(500)
  expect(await refused({})).toEqual([502, 'catalog_error'])
  expect((await plane.call('GET', '/admin/catalog/downloads/dl-9')).body.error.code).toBe(
    'download_not_found',
  )
  expect((await plane.call('POST', '/admin/catalog/downloads/dl-9:cancel')).status).toBe(404)
  goOn()
})
