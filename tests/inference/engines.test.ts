import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runs, testFolder, until } from '../engines/machine'
import { openEnginePlane } from '../support/engine-plane'
import type { Misbehaviour } from '../support/fake-engine'
import { openInferencePlane } from '../support/inference-plane'

const ask = { messages: [{ role: 'user' as const, content: 'Hello' }] }

describe('the official client', () => {
  test('chats with an engine of this machine, whole and streamed', async () => {
    await using plane = await openEnginePlane()
    await plane.local('mine', { params: { maxTokens: 7, ctxSize: 512 } })
    const { openai } = plane
    const whole = await openai.chat.completions.create({ ...ask, model: 'mine' })
    expect([whole.model, whole.choices[0]!.message.content]).toEqual(['mine', 'Hello from a fake.'])
    const pieces: string[] = []
    for await (const { choices } of await openai.chat.completions.create({
      ...ask,
      model: 'mine',
      stream: true,
    })) {
      pieces.push(choices[0]!.delta.content ?? '')
    }
    expect(pieces.join('')).toBe('Hello from a fake.')

    const [start, request] = await plane.events()
    expect(start!.args!.join(' ')).toContain('-c 512')
    expect(request!.body).toEqual({ ...ask, model: plane.weights, max_tokens: 7 })
    expect(await plane.count('start')).toBe(1)
    await plane.inflight('mine', 0)
  })

  test('embeds', async () => {
    await using plane = await openEnginePlane()
    await plane.local('embedder', { modality: 'embeddings' })
    const { data } = await plane.openai.embeddings.create({
      model: 'embedder',
      input: ['one', 'three'],
      encoding_format: 'float',
    })
    expect(data.map(({ embedding }) => embedding)).toEqual([
      [3, 1],
      [5, 1],
    ])
  })

  test('transcribes', async () => {
    await using plane = await openEnginePlane({ engines: { 'whisper-server': {} } })
    const model = join(plane.folder, 'ggml-tiny.bin')
    writeFileSync(model, '')
    await plane.local('ears', { modality: 'audio.transcription', model })
    const file = new File([new Uint8Array(8)], 'a.wav', { type: 'audio/wav' })
    expect((await plane.openai.audio.transcriptions.create({ model: 'ears', file })).text).toContain('Hello')
  })

  test('speaks', async () => {
    await using plane = await openEnginePlane({ engines: { 'mlx_audio.server': {} } })
    await plane.local('voice', { binding: 'mlx', source: 'hf', model: 'org/voice', modality: 'audio.speech' })
    const speech = await plane.openai.audio.speech.create({ model: 'voice', input: 'Hi', voice: 'alloy' })
    expect((await speech.arrayBuffer()).byteLength).toBe(4)
    expect((await plane.events()).at(-1)!.body).toMatchObject({ model: 'org/voice', voice: 'alloy' })
  })
})

test('a run is named to engines of this machine, and nothing else of the caller is', async () => {
  await using plane = await openEnginePlane()
  await plane.local('mine')
  const headers = { 'x-service-run-id': '01RUN', authorization: 'Bearer callers-own', cookie: 'a=b' }
  await plane.call('POST', '/v1/chat/completions', { ...ask, model: 'mine' }, { headers })
  const request = (await plane.events()).find(({ event }) => event === 'request')!
  expect(request.headers!['x-service-run-id']).toBe('01RUN')
  expect(JSON.stringify(request.headers)).not.toMatch(/callers-own|a=b/)
})

test('a model is not loaded for what it is not registered for', async () => {
  await using plane = await openEnginePlane()
  await plane.local('mine')
  const { status, body } = await plane.call('POST', '/v1/embeddings', { model: 'mine', input: 'x' })
  expect([status, body.error.code]).toEqual([404, 'modality_not_supported'])
  expect(await plane.count('start')).toBe(0)
})

test('requests that come at once wait for the same engine', async () => {
  await using plane = await openEnginePlane({ engines: { 'llama-server': { loadingMs: 300 } } })
  await plane.local('mine')
  const asked = [plane.chat('mine'), plane.chat('mine'), plane.chat('mine')]
  await until(async () => (await plane.state('mine')).phase === 'loading')
  expect(await plane.state('mine')).toEqual({
    resident: false,
    inflight: 0,
    draining: false,
    phase: 'loading',
    loadingMs: expect.any(Number),
  })
  expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([200, 200, 200])
  expect(await plane.count('start')).toBe(1)
})

test('who leaves while the engine loads is not waited for, and the engine stays', async () => {
  await using plane = await openEnginePlane({ engines: { 'llama-server': { loadingMs: 200 } } })
  await plane.local('mine')
  const leaving = new AbortController()
  const asked = plane.chat('mine', {}, leaving.signal)
  await until(async () => (await plane.state('mine')).phase === 'loading')
  leaving.abort()
  await expect(asked).rejects.toThrow()
  await until(async () => (await plane.state('mine')).resident)
  expect(await plane.count('request')).toBe(0)
  expect(plane.logs.some((line) => line.includes('unexpected failure'))).toBe(false)
})

describe('slots', () => {
  test('the least recently used of three models makes room', async () => {
    let clock = Date.now()
    await using plane = await openEnginePlane({ now: () => clock++ })
    for (const id of ['a', 'b', 'c']) await plane.local(id)
    for (const id of ['a', 'b', 'a', 'c']) expect((await plane.chat(id)).status).toBe(200)
    const { body } = await plane.call('GET', '/admin/engines')
    const resident = body.resident.filter(({ phase }: { phase: string }) => phase === 'ready')
    expect(body.maxResident).toBe(2)
    expect(resident.map(({ logicalId }: { logicalId: string }) => logicalId)).toEqual(['a', 'c'])
    expect(resident[0]).toEqual({
      logicalId: 'a',
      engine: 'llamacpp',
      model: plane.weights,
      modality: 'chat',
      phase: 'ready',
      baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1$/),
      inflight: 0,
      draining: false,
      priority: 0,
    })
  })

  test('busy engines give no room, their fallback is asked, and the end of a stream does', async () => {
    await using plane = await openEnginePlane({ held: true, maxResident: 1 })
    await plane.register('remote')
    for (const id of ['busy', 'other']) await plane.local(id)
    await plane.local('elsewhere', { fallback: 'remote' })
    const stream = await plane.openStream('busy')
    const { status, body } = await plane.chat('other')
    expect([status, body.error.code]).toEqual([503, 'no_capacity'])
    expect((await plane.chat('elsewhere')).status).toBe(200)
    expect(plane.provider.seen).toHaveLength(1)
    plane.letGoOn()
    expect(await stream.rest()).toEndWith('data: [DONE]\n\n')
    expect((await plane.chat('other')).status).toBe(200)
  })

  test('a fallback that has no engine either is not asked for its own', async () => {
    await using plane = await openEnginePlane({ engines: { 'llama-server': { crashOnLoad: 'no' } } })
    await plane.register('remote')
    await plane.local('second', { fallback: 'remote' })
    await plane.local('first', { fallback: 'second' })
    expect((await plane.chat('first')).body.error.code).toBe('engine_unavailable')
    expect(plane.provider.seen).toHaveLength(0)
    expect((await plane.chat('second')).status).toBe(200)
  })

  test('models that are kept warm are loaded at the start and outlive idle ones', async () => {
    let clock = Date.now()
    using home = testFolder()
    const folder = home.path
    {
      await using before = await openEnginePlane({ folder })
      await before.local('kept', { lifecycle: { keepWarm: true, idleTimeoutSec: 1 } })
      await before.local('a')
      await before.local('b')
    }
    await using plane = await openEnginePlane({ folder, now: () => clock })
    await until(async () => (await plane.state('kept')).resident)
    clock += 1_000_000_000
    for (const id of ['a', 'b']) expect((await plane.chat(id)).status).toBe(200)
    expect((await plane.state('kept')).resident).toBe(true)
  })

  test('idle engines end after their time, those that are kept warm do not', async () => {
    let clock = Date.now()
    await using plane = await openEnginePlane({ now: () => clock, reapMs: 10 })
    await plane.local('kept', { lifecycle: { keepWarm: true, idleTimeoutSec: 1 } })
    await plane.local('idle', { lifecycle: { idleTimeoutSec: 60 } })
    for (const id of ['kept', 'idle']) expect((await plane.chat(id)).status).toBe(200)
    clock += 59_000
    await Bun.sleep(50)
    expect((await plane.state('idle')).resident).toBe(true)
    clock += 1_000
    await until(async () => !(await plane.state('idle')).resident)
    expect((await plane.state('kept')).resident).toBe(true)
  })

  test('whatever callers do, no lease is left', async () => {
    await using plane = await openEnginePlane({ engines: { 'llama-server': { paceMs: 5 } } })
    const ids = ['a', 'b', 'c']
    for (const id of ids) await plane.local(id)
    const visits = Array.from({ length: 60 }, async (_, index) => {
      const leaving = new AbortController()
      const timer = setTimeout(() => leaving.abort(), (index * 37) % 200)
      const stream = index % 2 === 0
      await plane.chat(ids[index % 3]!, { stream }, leaving.signal).catch(() => null)
      clearTimeout(timer)
    })
    await Promise.all(visits)
    // An engine that still loads for somebody who left is busy until it is there.
    for (const id of ids) await until(async () => (await plane.state(id)).phase === undefined)
    for (const id of ids) await plane.inflight(id, 0)
    for (const id of ids) expect((await plane.chat(id)).status).toBe(200)
    expect(plane.logs.some((line) => line.includes('unexpected failure'))).toBe(false)
  })

  test('a lowered ceiling counts at once', async () => {
    await using plane = await openEnginePlane()
    for (const id of ['a', 'b']) await plane.local(id)
    for (const id of ['a', 'b']) await plane.chat(id)
    await plane.call('PATCH', '/admin/settings', { maxResident: 1 })
    await until(async () => (await plane.call('GET', '/admin/engines')).body.resident.length === 1)
    expect((await plane.state('b')).resident).toBe(true)
    expect((await plane.call('GET', '/admin/engines')).body.maxResident).toBe(1)
    await plane.call('PATCH', '/admin/settings', { maxResident: 2 })
    expect((await plane.chat('a')).status).toBe(200)
    expect((await plane.state('b')).resident).toBe(true)
  })
})

describe('while a stream is open', () => {
  async function streaming() {
    const plane = await openEnginePlane({ held: true })
    await plane.local('mine')
    const leaving = new AbortController()
    const stream = await plane.openStream('mine', leaving.signal)
    const pid = (await plane.events())[0]!.pid
    return { ...plane, stream, pid, leave: () => leaving.abort() }
  }

  test('an eviction waits for its end', async () => {
    await using plane = await streaming()
    const { status, body } = await plane.call('POST', '/admin/models/mine:evict')
    expect([status, body.state]).toEqual([
      200,
      expect.objectContaining({ resident: true, draining: true, inflight: 1 }),
    ])
    plane.letGoOn()
    expect(await plane.stream.rest()).toEndWith('data: [DONE]\n\n')
    await until(async () => (await plane.state('mine')).phase === undefined)
    expect(await plane.state('mine')).toEqual({ resident: false, inflight: 0, draining: false })
    expect(await runs(plane.pid)).toBe(false)
  })

  test('a new registration serves new requests, the old engine ends what it began', async () => {
    await using plane = await streaming()
    await plane.local('mine', { params: { ctxSize: 1024 } })
    plane.letGoOn()
    expect((await plane.chat('mine')).status).toBe(200)
    expect(await plane.stream.rest()).toEndWith('data: [DONE]\n\n')
    const starts = (await plane.events()).filter(({ event }) => event === 'start')
    expect(starts.map(({ args }) => args!.join(' ').includes('-c 1024'))).toEqual([false, true])
    await until(async () => !(await runs(plane.pid)))
  })

  test('a model that is deleted ends with its last request', async () => {
    await using plane = await streaming()
    expect((await plane.call('DELETE', '/admin/models/mine')).status).toBe(204)
    expect((await plane.chat('mine')).status).toBe(404)
    plane.letGoOn()
    expect(await plane.stream.rest()).toEndWith('data: [DONE]\n\n')
    await until(async () => !(await runs(plane.pid)))
  })

  test('a client that leaves frees the slot, and the engine hears of it', async () => {
    await using plane = await streaming()
    expect((await plane.state('mine')).inflight).toBe(1)
    plane.leave()
    await plane.inflight('mine', 0)
    await until(async () => (await plane.count('left')) === 1)
    expect((await plane.state('mine')).resident).toBe(true)
  })

  test('an engine that is killed is named in the last event, and started anew', async () => {
    await using plane = await streaming()
    process.kill(plane.pid, 'SIGKILL')
    const events = (await plane.stream.rest()).split('\n\n').filter(Boolean)
    expect(JSON.parse(events.at(-1)!.slice('data: '.length)).error).toEqual({
      message: expect.stringContaining('ended by itself'),
      type: 'server_error',
      code: 'upstream_error',
    })
    plane.letGoOn()
    expect((await plane.chat('mine')).status).toBe(200)
    expect(await plane.count('start')).toBe(2)
  })
})

describe('an engine that fails', () => {
  test('in the middle of a stream says its last words', async () => {
    await using plane = await openEnginePlane({
      engines: { 'llama-server': { crashAfterChunks: 2, paceMs: 20 } },
    })
    await plane.local('mine')
    const text = await (await plane.openStream('mine')).rest()
    const last = JSON.parse(text.trim().split('\n\n').at(-1)!.slice('data: '.length))
    expect(last.error.code).toBe('upstream_error')
    expect(last.error.message).toContain('ggml_abort: out of memory')
    const reading = async () => {
      const stream = await plane.openai.chat.completions.create({ ...ask, model: 'mine', stream: true })
      for await (const _ of stream);
    }
    await expect(reading()).rejects.toThrow('out of memory')
  })

  test('under a request is a 502 with its last words, and no reason to ask another model', async () => {
    await using plane = await openEnginePlane({
      engines: { 'llama-server': { crashOnRequest: 'CUDA error' } },
    })
    await plane.register('remote')
    await plane.local('mine', { fallback: 'remote' })
    const { status, body } = await plane.chat('mine')
    expect([status, body]).toEqual([
      502,
      {
        error: expect.objectContaining({
          code: 'upstream_error',
          message: expect.stringContaining('CUDA error'),
        }),
      },
    ])
    // Once more, because it might have been dying already; not for ever.
    expect(await plane.count('request')).toBeLessThanOrEqual(2)
    expect(plane.provider.seen).toHaveLength(0)
  })

  test('to answer in time is ended, and started anew for the next', async () => {
    await using plane = await openEnginePlane({
      engines: { 'llama-server': { hangOnRequest: true } },
      answerWithinMs: 100,
    })
    await plane.local('mine')
    for (const starts of [1, 2]) {
      const { status, body } = await plane.chat('mine')
      expect([status, body.error.code]).toEqual([504, 'upstream_timeout'])
      expect(await plane.count('start')).toBe(starts)
    }
  })

  describe('to transcribe in the time that a recording of its length takes', () => {
    async function heard(whisper: Misbehaviour, bytes: number, times: number) {
      await using plane = await openEnginePlane({
        engines: { 'whisper-server': whisper },
        answerWithinMs: 50,
      })
      const model = join(plane.folder, 'ggml-tiny.bin')
      writeFileSync(model, '')
      await plane.local('ears', { modality: 'audio.transcription', model })
      const statuses: number[] = []
      for (let i = 0; i < times; i++) {
        const form = new FormData()
        form.set('model', 'ears')
        form.set('file', new File([new Uint8Array(bytes)], 'a.mp3'))
        statuses.push((await plane.call('POST', '/v1/audio/transcriptions', form)).status)
      }
      return { statuses, starts: await plane.count('start') }
    }

    test('is ended, and started anew for the next', async () => {
      expect(await heard({ hangOnRequest: true }, 0, 2)).toEqual({ statuses: [504, 504], starts: 2 })
    })

    test('has more of it for a longer one', async () => {
      expect(await heard({ paceMs: 200 }, 20_000, 1)).toEqual({ statuses: [200], starts: 1 })
    })
  })

  test('to load is a 503 with the end of its output', async () => {
    await using plane = await openEnginePlane({
      engines: { 'llama-server': { crashOnLoad: 'error: bad magic' } },
    })
    await plane.local('mine')
    for (const path of ['/admin/models/mine:warm', '/admin/models/mine/capabilities']) {
      const { status, body } = await plane.call(path.endsWith('warm') ? 'POST' : 'GET', path)
      expect([status, body.error.code]).toEqual([503, 'engine_unavailable'])
      expect(body.error.message).toContain('error: bad magic')
    }
    expect((await plane.chat('mine')).body.error.message).toContain('error: bad magic')
  })

  test('while nobody uses it is started anew by the next request, at once', async () => {
    await using plane = await openEnginePlane()
    await plane.local('mine')
    await plane.chat('mine')
    process.kill((await plane.events())[0]!.pid, 'SIGKILL')
    expect(await plane.chat('mine')).toMatchObject({ status: 200, body: { model: 'mine' } })
    expect(await plane.count('start')).toBe(2)
  })

  test('to be where its variable says is named, and no other engine is taken', async () => {
    const env = {
      SERVICE_MAX_RESIDENT: undefined,
      HF_HOME: undefined,
      SERVICE_LLAMACPP_BIN: '/no/llama-server',
    }
    await using plane = await openInferencePlane({ env })
    await plane.call('PUT', '/admin/models/mine', {
      binding: 'llamacpp',
      source: 'local-path',
      model: '/m.gguf',
    })
    const { status, body } = await plane.call('POST', '/v1/chat/completions', { ...ask, model: 'mine' })
    expect([status, body.error.code]).toEqual([503, 'engine_unavailable'])
    expect(body.error.message).toContain('SERVICE_LLAMACPP_BIN is /no/llama-server')
    expect((await plane.call('GET', '/readyz')).body.engines.llamacpp.reason).toContain('/no/llama-server')
  })
})

test('warm loads, evict frees, and what the engine can is asked of it', async () => {
  await using plane = await openEnginePlane()
  await plane.local('mine', { params: { ctxSize: 2048 } })
  const warm = await plane.call('POST', '/admin/models/mine:warm')
  expect(warm.body.state).toEqual({
    resident: true,
    inflight: 0,
    draining: false,
    baseUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1$/),
  })
  expect((await plane.call('GET', '/admin/models/mine/capabilities')).body).toEqual({
    toolCalling: true,
    structuredOutput: true,
    vision: false,
    reasoning: true,
    maxContext: 2048,
    modalities: ['chat'],
    approximate: false,
  })
  const cold = await plane.call('POST', '/admin/models/mine:evict')
  expect(cold.body.state).toEqual({ resident: false, inflight: 0, draining: false })
  expect(await runs((await plane.events())[0]!.pid)).toBe(false)
})

test('a machine with an engine is ready, and says where its programs are', async () => {
  await using plane = await openEnginePlane()
  const { status, body } = await plane.call('GET', '/readyz')
  expect([status, body.status]).toEqual([200, 'ready'])
  expect(body.engines.llamacpp).toEqual({ ready: true, reason: null })
  expect(body.engines['llamacpp:images.generation']).toEqual({
    ready: false,
    reason: expect.stringContaining('Install stable-diffusion.cpp'),
  })
  const { binaries } = (await plane.call('GET', '/admin/diagnostics')).body
  expect(binaries).toContainEqual({
    engine: 'llamacpp',
    modality: 'embeddings',
    path: join(plane.folder, 'bin', 'llama-server'),
    status: 'resolved',
    builtIn: false,
    version: expect.stringMatching(/^\d+/),
  })
})

test('a plane that stops leaves no engine', async () => {
  const plane = await openEnginePlane()
  await plane.local('mine')
  await plane.chat('mine')
  const { pid } = (await plane.events())[0]!
  expect(await runs(pid)).toBe(true)
  await plane[Symbol.asyncDispose]()
  expect(await runs(pid)).toBe(false)
})
