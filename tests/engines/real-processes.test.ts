import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Machine, ManagedRegistration } from '#engines/engine'
import { machineMemory } from '#engines/memory'
import { runOneShot } from '#engines/one-shot'
import { residentEngines } from '#engines/resident'
import { engineRuns } from '#engines/runs'
import { engineTable } from '#engines/table'
import { AppError } from '#kernel/errors'
import { silentLogger } from '#kernel/log'
import { type FakeName, fakeEngine, type Misbehaviour, recorded } from '../support/fake-engine'
import { makeParrot } from '../support/make-tiny-gguf'
import { registration, runs, testFolder, testMachine, testProcesses, until } from './machine'

const never = new AbortController().signal

interface Options {
  ceiling?: number
  programs?: Partial<Record<FakeName, Misbehaviour>>
  machine?: Partial<Machine>
}

/** The whole of local engines over real processes: the adapters, the slots and the guard, with fake programs. */
function engines({ ceiling = 2, programs = { 'llama-server': {} }, machine: changes }: Options = {}) {
  const folder = testFolder()
  const machine = testMachine(folder.path, changes)
  for (const [name, misbehaviour] of Object.entries(programs)) {
    fakeEngine(join(folder.path, 'bin'), name as FakeName, misbehaviour)
  }
  const model = join(folder.path, 'model.gguf')
  makeParrot(model)
  const registrations = new Map<string, ManagedRegistration>()
  const table = engineTable(machine)
  const processes = testProcesses(folder.path, { graceMs: 500 })
  const resident = residentEngines({
    registration(id) {
      const found = registrations.get(id)
      if (!found) throw new AppError('model_not_found', `No model is registered as ${id}.`)
      return found
    },
    plan: (one) => table.get(one.binding, one.modality).plan(one),
    run: engineRuns(processes),
    ceiling,
    memory: machineMemory(Number.POSITIVE_INFINITY),
    now: Date.now,
    log: silentLogger(),
  })
  return {
    folder: folder.path,
    resident,
    table,
    processes,
    register: (id: string, fields: Partial<ManagedRegistration> = {}) =>
      registrations.set(id, registration({ model, ...fields })),
    /** Engines that run, by their ids, however they came to it. */
    running: () => processesOf(folder.path),
    [Symbol.asyncDispose]: async () => {
      await resident[Symbol.asyncDispose]()
      folder[Symbol.dispose]()
    },
  }
}

const processesOf = (folder: string): number[] =>
  Bun.spawnSync(['ps', '-eo', 'pid=,stat=,args='])
    .stdout.toString()
    .split('\n')
    .flatMap((line) => {
      const [pid, state, ...args] = line.trim().split(/\s+/)
      // The guard's command line holds the engine's; the engine's does not hold the guard's.
      const isEngine = args.includes('llama-server') && args.some((arg) => arg.startsWith(folder))
      return pid && isEngine && !state?.startsWith('Z') ? [Number(pid)] : []
    })

const chat = (baseUrl: string | null, signal = never) =>
  fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ stream: true }),
    keepalive: false,
    signal,
  }).then((response) => response.text())

test('a model is loaded, chats, says what it can, and is evicted', async () => {
  await using one = engines()
  one.register('parrot')
  {
    await using lease = await one.resident.acquire('parrot', never)
    expect(await chat(lease.baseUrl)).toContain('data: [DONE]')
    const found = await one.table
      .get('llamacpp', 'chat')
      .capabilities(lease.registration, lease.baseUrl, never)
    expect(found).toEqual({
      toolCalling: true,
      structuredOutput: true,
      vision: false,
      reasoning: true,
      maxContext: 4096,
      modalities: ['chat'],
      approximate: false,
    })
  }
  expect(one.running()).toHaveLength(1)
  await one.resident.evict('parrot')
  expect(one.running()).toEqual([])
}, 20_000)

test('speech is recognized by whisper-server at the path of the data plane', async () => {
  await using one = engines({ programs: { 'whisper-server': {} } })
  const model = join(one.folder, 'ggml-tiny.bin')
  writeFileSync(model, '')
  one.register('ears', { modality: 'audio.transcription', model })
  await using lease = await one.resident.acquire('ears', never)
  const response = await fetch(`${lease.baseUrl}/audio/transcriptions`, { method: 'POST', keepalive: false })
  expect(await response.json()).toEqual({ text: 'Hello from a fake.\n' })
}, 20_000)

test('an MLX server that has no health path of its own is ready all the same', async () => {
  const machine = { platform: 'darwin', arch: 'arm64' } as const
  await using one = engines({ programs: { 'mlx_audio.server': {} }, machine })
  one.register('voice', { binding: 'mlx', modality: 'audio.speech' })
  await using lease = await one.resident.acquire('voice', never)
  expect(lease.baseUrl).toStartWith('http://127.0.0.1:')
}, 20_000)

test('an engine that crashes under a lease says its last words, and is there again at the next use', async () => {
  await using one = engines({ programs: { 'llama-server': { crashAfterChunks: 2, paceMs: 10 } } })
  one.register('parrot')
  const lease = await one.resident.acquire('parrot', never)
  await expect(chat(lease.baseUrl)).rejects.toThrow()
  if (!lease.signal.aborted) {
    await new Promise((resolve) => lease.signal.addEventListener('abort', resolve, { once: true }))
  }
  expect((lease.signal.reason as Error).message).toContain('ggml_abort: out of memory')
  lease.release()
  await using again = await one.resident.acquire('parrot', never)
  expect(again.signal.aborted).toBe(false)
}, 20_000)

test('a model that does not load says why', async () => {
  await using one = engines({ programs: { 'llama-server': { crashOnLoad: 'unknown architecture' } } })
  one.register('parrot')
  const refused = await one.resident.acquire('parrot', never).catch((error: unknown) => error)
  expect(refused).toMatchObject({ code: 'engine_unavailable', status: 503 })
  expect((refused as Error).message).toContain('unknown architecture')
}, 20_000)

test('the engine gets the environment that was made for it, and nothing of ours', async () => {
  await using one = engines()
  const record = join(one.folder, 'record.json')
  mkdirSync(join(one.folder, 'engines', 'llamacpp'), { recursive: true })
  fakeEngine(join(one.folder, 'engines', 'llamacpp'), 'llama-server', { record })
  one.register('parrot')
  await using _ = await one.resident.acquire('parrot', never)
  const { env } = await recorded(record)
  const known = ['PATH', 'HOME', 'HF_HOME', 'LLAMA_ARG_JINJA', 'LLAMA_ARG_NO_WEBUI', 'FAKE_ENGINE', 'PWD']
  expect(
    Object.keys(env).filter((name) => !known.includes(name) && !/^(_|SHLVL|OLDPWD)$/.test(name)),
  ).toEqual([])
}, 20_000)

test('many models over two slots, with callers who leave and engines that are killed, leave nothing behind', async () => {
  const models = 6
  const rounds = 40
  await using one = engines({ programs: { 'llama-server': { startMs: 20, paceMs: 2 } } })
  for (let index = 0; index < models; index++) one.register(`m${index}`)
  let most = 0
  let served = 0
  const visit = async (round: number) => {
    const leaves = round % 5 === 3 ? AbortSignal.timeout(30 + round) : never
    await using lease = await one.resident.acquire(`m${(round * 7) % models}`, leaves)
    if (round % 8 === 5)
      process.kill(one.running()[0] ?? process.pid, round % 16 === 5 ? 'SIGKILL' : 'SIGTERM')
    await chat(lease.baseUrl, lease.signal)
    served++
  }
  for (let round = 0; round < rounds; round += 2) {
    const ends = await Promise.allSettled([visit(round), visit(round + 1)])
    most = Math.max(most, one.running().length)
    for (const end of ends) if (end.status === 'rejected') expect(end.reason).toBeInstanceOf(Error)
  }
  expect(most).toBeLessThanOrEqual(2)
  expect(served).toBeGreaterThan(rounds / 4)
  expect(one.resident.engines().reduce((sum, { inflight }) => sum + inflight, 0)).toBe(0)
  await one.resident[Symbol.asyncDispose]()
  expect(one.running()).toEqual([])
}, 60_000)

describe('a render', () => {
  async function rendering(programs: Options['programs']) {
    const one = engines({ programs })
    const model = join(one.folder, 'image.safetensors')
    writeFileSync(model, '')
    one.register('brush', { modality: 'images.generation', model })
    const lease = await one.resident.acquire('brush', never)
    if (lease.plan.kind !== 'render') throw new Error('images are rendered')
    const output = join(one.folder, 'out.png')
    const command = lease.plan.command({
      prompt: 'a fox',
      width: 512,
      height: 512,
      steps: 1,
      seed: null,
      output,
    })
    const { env } = lease.plan
    return {
      ...one,
      lease,
      output,
      run: (options: { timeoutMs?: number; signal?: AbortSignal } = {}) =>
        runOneShot({ command, env, timeoutMs: 10_000, signal: never, ...options }, one.processes),
    }
  }

  test('holds a slot and leaves its picture', async () => {
    await using one = await rendering({ 'sd-cli': {} })
    expect(one.resident.engines()).toMatchObject([{ logicalId: 'brush', baseUrl: null, inflight: 1 }])
    expect(await one.run()).toMatchObject({ kind: 'ended', code: 0 })
    expect(await Bun.file(one.output).exists()).toBe(true)
    one.lease.release()
    await one.resident.evict('brush')
    expect(one.resident.engines()).toEqual([])
  })

  test('that fails says why', async () => {
    await using one = await rendering({ 'sd-cli': { crashOnLoad: 'get sd version from file failed' } })
    expect(await one.run()).toEqual({ kind: 'ended', code: 1, tail: 'get sd version from file failed' })
  })

  test('that takes too long, or that nobody waits for any more, is ended', async () => {
    using folder = testFolder()
    const record = join(folder.path, 'record.json')
    await using one = await rendering({ 'sd-cli': { startMs: 60_000, ignoreSigterm: true, record } })
    expect(await one.run({ timeoutMs: 2_000 })).toMatchObject({ kind: 'timeout' })
    expect(await runs((await recorded(record)).pid)).toBe(false)
    rmSync(record)
    const leaving = new AbortController()
    const left = one.run({ signal: leaving.signal })
    await until(() => existsSync(record))
    leaving.abort()
    expect(await left).toMatchObject({ kind: 'aborted' })
    expect(await runs((await recorded(record)).pid)).toBe(false)
  })
})
