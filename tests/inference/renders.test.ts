import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../engines/machine'
import { openEnginePlane } from '../support/engine-plane'
import type { Misbehaviour } from '../support/fake-engine'
import { writeGguf } from '../support/make-tiny-gguf-file'

const image = { modality: 'images.generation' }

async function painter(misbehaviour: Misbehaviour = {}, options: { keepaliveMs?: number } = {}) {
  const plane = await openEnginePlane({ engines: { 'sd-cli': misbehaviour }, ...options })
  await plane.local('brush', image)
  return {
    ...plane,
    paint: (more: Record<string, unknown> = {}, signal?: AbortSignal) =>
      plane.call('POST', '/v1/images/generations', { model: 'brush', prompt: 'a duck', ...more }, { signal }),
    lines: async () =>
      (await plane.events()).flatMap(({ event, args }) => (event === 'start' ? args!.join(' ') : [])),
  }
}

test('the official client gets pictures, each from a run of the program', async () => {
  await using plane = await painter()
  const { created, data } = await plane.openai.images.generate({
    model: 'brush',
    prompt: 'a duck',
    n: 2,
    size: '512x512',
  })
  expect(Math.abs(created - Date.now() / 1000)).toBeLessThan(60)
  expect(data!.map(({ b64_json }) => Buffer.from(b64_json!, 'base64').subarray(1, 4).toString())).toEqual([
    'PNG',
    'PNG',
  ])
  const lines = await plane.lines()
  expect(lines).toHaveLength(2)
  expect(lines[0]).toContain(`-m ${plane.weights} -p a duck -o `)
  expect(lines[0]).toContain('--steps 20 -W 512 -H 512')
  expect(readdirSync(join(plane.folder, 'state', 'tmp'))).toEqual([])
  expect((await plane.call('GET', '/admin/engines')).body.resident).toMatchObject([
    { logicalId: 'brush', baseUrl: null, inflight: 0 },
  ])
})

test.each([
  [{ size: '1000x130' }, '--steps 20 -W 960 -H 128', 1],
  [{ size: '10x10' }, '-W 64 -H 64', 1],
  [{ size: 'large' }, '-W 512 -H 512', 1],
  [{ size: null }, '-W 512 -H 512', 1],
  [{ size: '999999x64' }, '-W 4096 -H 64', 1],
  [{ n: 9 }, '-W 512', 4],
  [{ n: 0 }, '-W 512', 1],
  [{ n: 'many' }, '-W 512', 1],
  [{ steps: 3 }, '--steps 3 ', 1],
  [{}, '--seed -1 ', 1],
  [{ seed: -1 }, '--seed -1 ', 1],
  [{ seed: 41 }, '--seed 41 ', 1],
])('%j is rendered as %s, %d times', async (more, expected, times) => {
  await using plane = await painter()
  const { status, body } = await plane.paint(more)
  expect([status, body.data.length]).toEqual([200, times])
  const lines = await plane.lines()
  expect(lines).toHaveLength(times)
  expect(lines[0]).toContain(expected)
})

test('pictures of one request differ, and so do their seeds', async () => {
  await using plane = await painter()
  await plane.paint({ seed: 41, n: 2 })
  const lines = await plane.lines()
  expect(lines.map((line) => /--seed (\S+)/.exec(line)?.[1])).toEqual(['41', '42'])
})

test('a seed that is none is refused', async () => {
  await using plane = await painter()
  const { status, body } = await plane.paint({ seed: 'blue' })
  expect([status, body.error.code]).toEqual([422, 'invalid_request'])
})

test.each([
  ['no prompt', { prompt: undefined }, 'prompt_required'],
  ['an empty prompt', { prompt: '  ' }, 'prompt_required'],
  ['half a step', { steps: 2.5 }, 'invalid_steps'],
  ['steps that are text', { steps: '20' }, 'invalid_steps'],
  ['no steps at all', { steps: 0 }, 'invalid_steps'],
])('a request with %s is refused before anything is started', async (_what, more, code) => {
  await using plane = await painter()
  const { status, body } = await plane.paint(more)
  expect([status, body.error.code]).toEqual([400, code])
  expect(await plane.lines()).toEqual([])
})

test('registered params stand where the request says nothing', async () => {
  await using plane = await painter()
  await plane.local('brush', { ...image, params: { size: '128x128', steps: 4 } })
  await plane.paint({ steps: 5 })
  expect((await plane.lines())[0]).toContain('--steps 5 -W 128 -H 128')
})

test('one render runs at a time, whoever asks', async () => {
  await using plane = await painter({ startMs: 100 })
  await plane.local('second', image)
  await Promise.all([
    plane.paint(),
    plane.paint(),
    plane.call('POST', '/v1/images/generations', { model: 'second', prompt: 'a goose' }),
  ])
  const order = (await plane.events()).map(({ event }) => event)
  expect(order).toEqual(['start', 'end', 'start', 'end', 'start', 'end'])
})

test('a slow render is kept alive with white space', async () => {
  await using plane = await painter({ startMs: 300 }, { keepaliveMs: 50 })
  const response = await fetch(`${plane.url}/v1/images/generations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'brush', prompt: 'a duck' }),
  })
  const text = await response.text()
  expect(text).toMatch(/^ +\{/)
  expect(JSON.parse(text).data).toHaveLength(1)
})

test('a client that leaves ends the render, and the next one can begin', async () => {
  await using plane = await painter({ startMs: 60_000 })
  const leaving = new AbortController()
  const first = plane.paint({}, leaving.signal)
  await until(async () => (await plane.lines()).length === 1)
  const next = new AbortController()
  const second = plane.paint({}, next.signal)
  leaving.abort()
  await expect(first).rejects.toThrow()
  await until(async () => (await plane.lines()).length === 2)
  next.abort()
  await expect(second).rejects.toThrow()
  await plane.inflight('brush', 0)
})

test('an engine that fails is a 502 with its last words', async () => {
  await using plane = await painter({ crashOnLoad: 'CUDA out of memory' })
  const { status, body } = await plane.paint()
  expect([status, body.error.code]).toEqual([502, 'image_generation_failed'])
  expect(body.error.message).toContain('CUDA out of memory')
})

test('a model that renders does not chat, and one that chats does not render', async () => {
  await using plane = await openEnginePlane({ engines: { 'sd-cli': {}, 'llama-server': {} } })
  await plane.local('brush', image)
  await plane.local('talker')
  expect((await plane.chat('brush')).body.error.code).toBe('modality_not_supported')
  const { status, body } = await plane.call('POST', '/v1/images/generations', {
    model: 'talker',
    prompt: 'x',
  })
  expect([status, body.error.code]).toEqual([404, 'modality_not_supported'])
  expect(await plane.events()).toEqual([])
})

test.each([
  ['a part of an image model', ['model.diffusion_model.a.weight'], 'VAE'],
  ['a language model', ['token_embd.weight'], 'language model'],
])('%s is refused when it is registered, and when it is used', async (_what, names, why) => {
  await using plane = await painter()
  const file = join(plane.folder, 'part.gguf')
  const tensor = (name: string) => ({ name, shape: [32], type: 'f32' as const, fill() {} })
  writeGguf(file, {}, [tensor('first_stage_model.x')])
  await plane.local('late', { ...image, model: file })
  writeGguf(file, {}, names.map(tensor))

  const { status, body } = await plane.call('PUT', '/admin/models/early', {
    ...{ binding: 'llamacpp', source: 'local-path', model: file },
    ...image,
  })
  expect([status, body.error.code]).toEqual([422, 'incomplete_weights'])
  expect(body.error.message).toContain(why)
  expect((await plane.call('GET', '/admin/models/early')).status).toBe(404)

  const used = await plane.paint({ model: 'late' })
  expect([used.status, used.body.error.code]).toEqual([503, 'incomplete_weights'])
})
