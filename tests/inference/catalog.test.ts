import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openCatalogPlane } from '../support/catalog-plane'
import type { HubRepo } from '../support/fake-hub'
import { makeParrot } from '../support/make-tiny-gguf'

const folder = mkdtempSync(join(tmpdir(), 'tycho-catalog-test-'))
let weights: Uint8Array
beforeAll(() => {
  makeParrot(join(folder, 'parrot.gguf'))
  weights = readFileSync(join(folder, 'parrot.gguf'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const bytes = (length: number) => new Uint8Array(length).fill(7)
const gguf = (files: Record<string, Uint8Array>, more: Partial<HubRepo> = {}): HubRepo => ({
  files,
  task: 'text-generation',
  tags: ['gguf', 'license:mit'],
  ...more,
})
const template = '{% if tools %}{{ tools }}{% endif %}<think>'
const listed = () => ({
  'org/Small-1B-GGUF': gguf({}, { downloads: 10, likes: 3, license: 'apache-2.0' }),
  'org/Middle-8B-GGUF': gguf(
    {},
    { downloads: 30, likes: 1, gguf: { total: 8.03e9, context_length: 40960, chat_template: template } },
  ),
  'org/Large-70B-GGUF': gguf({}, { downloads: 20, likes: 2, gatedFor: 'hf_me' }),
  'org/Eye-4B-GGUF': gguf({}, { task: 'image-text-to-text', downloads: 5 }),
  'org/Embed-GGUF': gguf({}, { task: 'sentence-similarity', downloads: 4 }),
  'org/Apple-7B-4bit': gguf({}, { tags: ['mlx'], downloads: 90 }),
  'org/whisper.cpp': {
    files: { 'ggml-base.bin': bytes(9), 'ggml-tiny.en.bin': bytes(3) },
    task: 'automatic-speech-recognition',
    tags: [],
    downloads: 8,
  },
  'openai/whisper': {
    files: { 'model.safetensors': bytes(9) },
    task: 'automatic-speech-recognition',
    tags: ['transformers'],
    downloads: 99,
  },
})
const refs = (list: { entries: { ref: string }[] }) => list.entries.map(({ ref }) => ref)

test('the list shows what is known of a model, and which engines are ready', async () => {
  await using plane = await openCatalogPlane({ repos: listed() })
  const list = await plane.get('/models?search=middle')
  expect(list).toEqual({
    engines: ['llamacpp'],
    offline: false,
    offlineReason: null,
    entries: [
      {
        provider: 'huggingface',
        ref: 'org/Middle-8B-GGUF',
        title: 'Middle-8B-GGUF',
        description: 'Text generation by org',
        category: 'models',
        kind: 'model',
        sovereignty: 'in-domain',
        engines: ['llamacpp'],
        modality: 'chat',
        badges: { downloads: 30, likes: 1, pipelineTag: 'text-generation' },
        params: '8B',
        license: 'mit',
        gated: false,
        updatedAt: '2026-10-01T00:00:00.000Z',
        reasoning: true,
        toolCalling: true,
        vision: false,
        maxContext: 40960,
        installed: false,
        installedAs: null,
        variants: [],
      },
    ],
  })
})

test.each([
  [
    '',
    ['org/Middle-8B-GGUF', 'org/Large-70B-GGUF', 'org/Small-1B-GGUF', 'org/Eye-4B-GGUF', 'org/Embed-GGUF'],
  ],
  ['?sort=likes&limit=2', ['org/Small-1B-GGUF', 'org/Large-70B-GGUF']],
  ['?size=small', ['org/Small-1B-GGUF']],
  ['?size=medium', ['org/Middle-8B-GGUF', 'org/Eye-4B-GGUF']],
  ['?size=large', ['org/Large-70B-GGUF']],
  ['?modality=vision', ['org/Eye-4B-GGUF']],
  ['?modality=embeddings', ['org/Embed-GGUF']],
  ['?modality=chat&limit=1', ['org/Middle-8B-GGUF']],
  ['?modality=audio.transcription', ['org/whisper.cpp']],
  ['?engines=mlx', []],
  ['?engines=mlx,llamacpp&search=small', ['org/Small-1B-GGUF']],
])('%s finds what it says', async (query, expected) => {
  await using plane = await openCatalogPlane({ repos: listed() })
  expect(refs(await plane.get(`/models${query}`))).toEqual(expected)
})

test.each(['?limit=0', '?limit=101', '?sort=newest', '?size=huge', '?modality=smell'])(
  '%s is refused',
  async (query) => {
    await using plane = await openCatalogPlane()
    const { status, body } = await plane.call('GET', `/admin/catalog/models${query}`)
    expect([status, body.error.code]).toEqual([422, 'validation_error'])
  },
)

test('without an engine nothing is offered, and the hub is not asked', async () => {
  await using plane = await openCatalogPlane({ repos: listed(), engines: false })
  expect(await plane.get('/models')).toMatchObject({ entries: [], engines: [] })
  expect(plane.hub.seen).toEqual([])
})

test('variants: shards are one, a projector belongs to each, what is no weights is none', async () => {
  const repos = {
    'org/Eye-4B-GGUF': gguf(
      {
        'README.md': bytes(1),
        'eye-Q8_0.gguf': bytes(8_000),
        'eye-Q4_K_M.gguf': bytes(4_000),
        'BF16/eye-BF16-00001-of-00002.gguf': bytes(9_000),
        'BF16/eye-BF16-00002-of-00002.gguf': bytes(7_000),
        'F32/eye-F32-00001-of-00002.gguf': bytes(9_000),
        'imatrix.gguf': bytes(5),
        'mmproj-eye-bf16.gguf': bytes(600),
        'mmproj-eye-f16.gguf': bytes(500),
      },
      { task: 'image-text-to-text' },
    ),
  }
  await using plane = await openCatalogPlane({ repos, memoryBytes: 20_000 })
  const detail = await plane.get('/models/org/Eye-4B-GGUF')
  expect(detail).toMatchObject({ ref: 'org/Eye-4B-GGUF', vision: true, params: '4B', offline: false })
  expect(
    detail.variants.map((one: Record<string, unknown>) => [
      one.id,
      one.label,
      one.sizeBytes,
      one.fit,
      one.recommended,
      one.quality,
    ]),
  ).toEqual([
    ['eye-Q4_K_M.gguf', 'Q4_K_M', 4_500, 'fits', false, 'good'],
    ['eye-Q8_0.gguf', 'Q8_0', 8_500, 'fits', true, 'near full'],
    ['BF16/eye-BF16-00001-of-00002.gguf', 'BF16', 16_500, 'tight', false, 'full'],
  ])
})

test.each([
  [1_000, 'fits'],
  // 1,000 × 1.25 of 1,785 × 0.7 is one too many, and 1,786 enough.
  [1_785, 'tight'],
  [1_786, 'fits'],
  [1_177, 'tight'],
  [1_176, 'too-large'],
])(
  'with %d bytes of memory and more, a model of 1,000 bytes is judged by the formula',
  async (memoryBytes, fit) => {
    await using plane = await openCatalogPlane({
      repos: { 'org/a': gguf({ 'a-Q4_0.gguf': bytes(1_000) }) },
      memoryBytes: memoryBytes === 1_000 ? 100_000 : memoryBytes,
    })
    const { variants } = await plane.get('/models/org/a')
    expect(variants).toMatchObject([{ fit, recommended: true }])
  },
)

test('the context is told apart from the weights, by the header alone', async () => {
  await using plane = await openCatalogPlane({
    repos: {
      'org/parrot': gguf({ 'parrot-F32.gguf': weights, 'parrot-Q8_0.gguf': weights.slice(0, 3_000_000) }),
    },
  })
  const { variants } = await plane.get('/models/org/parrot')
  // Keys and values of 2 layers, 256 wide, 16 bits, for the 4,096 tokens that it was trained with.
  const context = { contextTokens: 4096, contextBytes: 2 * 2 * 256 * 2 * 4096 }
  expect(variants[1]).toMatchObject({ label: 'F32', ...context })
  expect(variants[1].fitReason).toContain('8.4 MB for 4,096 tokens')
  const sent = plane.hub.seen.filter(({ origin }) => origin === 'cdn')
  expect(sent.map(({ headers }) => headers.get('range'))).toEqual(['bytes=0-262143'])
  // What was read once is not read again.
  await plane.get('/models/org/parrot')
  expect(plane.hub.seen.filter(({ origin }) => origin === 'cdn')).toHaveLength(1)
})
