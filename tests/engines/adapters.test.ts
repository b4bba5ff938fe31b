import { describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { EngineName, Machine, ManagedRegistration, Modality, Render } from '#engines/engine'
import { type LaunchSettings, type LlamaModality, serverArguments } from '#engines/llamacpp'
import { mfluxArguments } from '#engines/mflux'
import { mlxArguments } from '#engines/mlx'
import { sdArguments } from '#engines/sdcpp'
import { engineTable } from '#engines/table'
import { whisperArguments } from '#engines/whispercpp'
import { fakeEngine } from '../support/fake-engine'
import { makeParrot } from '../support/make-tiny-gguf'
import { type MetadataValue, writeGguf } from '../support/make-tiny-gguf-file'
import { registration, testFolder, testMachine } from './machine'

const HOST = '--host 127.0.0.1 --port 4000'

describe('command lines', () => {
  type Row = [
    what: string,
    modality: LlamaModality,
    trained: number | null,
    settings: LaunchSettings,
    line: string,
  ]
  const rows: Row[] = [
    ['chat', 'chat', 4096, {}, '-m w -c 4096 -np 1'],
    ['chat of a long context', 'chat', 131_072, {}, '-m w -c 32768 -np 1'],
    ['chat of an unknown context', 'chat', null, {}, '-m w -c 32768 -np 1'],
    [
      'chat with every launch setting',
      'chat',
      4096,
      { ctxSize: 65_536, parallel: 4, batchSize: 512, ubatchSize: 256 },
      '-m w -c 65536 -np 4 -b 512 -ub 256',
    ],
    ['embeddings', 'embeddings', 512, {}, '-m w -c 512 -np 1 --embeddings --pooling mean -b 512 -ub 512'],
    [
      'embeddings of a long context',
      'embeddings',
      32_768,
      {},
      '-m w -c 8192 -np 1 --embeddings --pooling mean -b 8192 -ub 8192',
    ],
    [
      'embeddings of an unknown context',
      'embeddings',
      null,
      { pooling: 'cls' },
      '-m w -c 2048 -np 1 --embeddings --pooling cls -b 2048 -ub 2048',
    ],
  ]
  test.each(rows)('llama-server: %s', (_, modality, trained, settings, line) => {
    const made = serverArguments({ modality, weights: ['-m', 'w'], trained, mmproj: [], settings }, 4000)
    expect(made.join(' ')).toBe(`${HOST} ${line}`)
  })

  test('llama-server: vision', () => {
    const options = { modality: 'vision', trained: 4096, settings: {} } as const
    const named = { ...options, weights: ['-m', 'w'], mmproj: ['--mmproj', 'p'] }
    expect(serverArguments(named, 4000).join(' ')).toBe(`${HOST} -m w -c 4096 -np 1 --mmproj p`)
    const fetched = { ...options, weights: ['-hf', 'a/b'], mmproj: ['--mmproj-auto'] }
    expect(serverArguments(fetched, 4000).join(' ')).toBe(`${HOST} -hf a/b -c 4096 -np 1 --mmproj-auto`)
  })

  test('whisper-server, with ffmpeg and without', () => {
    const line = `${HOST} --inference-path /v1/audio/transcriptions -m w`
    expect(whisperArguments({ weights: 'w', convertIn: null }, 4000).join(' ')).toBe(line)
    expect(whisperArguments({ weights: 'w', convertIn: '/t' }, 4000).join(' ')).toBe(
      `${line} --convert --tmp-dir /t`,
    )
  })

  const render: Render = {
    prompt: 'a red fox',
    width: 512,
    height: 256,
    steps: 20,
    seed: null,
    output: 'out.png',
  }
  test('sd-cli', () => {
    expect(sdArguments('w', render)).toEqual([
      ...[
        '-m',
        'w',
        '-p',
        'a red fox',
        '-o',
        'out.png',
        '--seed',
        '-1',
        '--steps',
        '20',
        '-W',
        '512',
        '-H',
        '256',
      ],
      ...['--cfg-scale', '7', '--sampling-method', 'euler_a'],
    ])
  })
  test('sd-cli with a seed', () => {
    expect(sdArguments('w', { ...render, seed: 7 }).join(' ')).toContain(' --seed 7 ')
  })
  test('mflux-generate', () => {
    expect(mfluxArguments('w', render)).toEqual([
      ...['--model', 'w', '-q', '4', '--steps', '20', '--width', '512', '--height', '256'],
      ...['--prompt', 'a red fox', '--output', 'out.png'],
    ])
    expect(mfluxArguments('w', { ...render, seed: 7 }).join(' ')).toContain(' --seed 7 ')
    // A prompt is never an option.
    expect(mfluxArguments('w', { ...render, prompt: '--help' })).toContain(' --help')
  })
  test('the MLX servers', () => {
    expect(mlxArguments('m', 4000).join(' ')).toBe(`--model m ${HOST}`)
    expect(mlxArguments(null, 4000).join(' ')).toBe(HOST)
  })
})

describe('health checks', () => {
  const apple: Partial<Machine> = { platform: 'darwin', arch: 'arm64' }
  const rows: [engine: EngineName, modality: Modality, program: string, health: string, timeoutMs: number][] =
    [
      ['llamacpp', 'chat', 'llama-server', '/health', 120_000],
      ['llamacpp', 'embeddings', 'llama-server', '/health', 120_000],
      ['llamacpp', 'vision', 'llama-server', '/health', 120_000],
      ['llamacpp', 'audio.transcription', 'whisper-server', '/health', 120_000],
      ['mlx', 'chat', 'mlx_lm.server', '/health', 180_000],
      ['mlx', 'vision', 'mlx_vlm.server', '/health', 180_000],
      ['mlx', 'audio.speech', 'mlx_audio.server', '/v1/models', 120_000],
    ]
  test.each(rows)('%s %s', async (engine, modality, program, healthPath, timeoutMs) => {
    using folder = testFolder()
    const machine = testMachine(folder.path, apple)
    executable(join(folder.path, 'bin', program))
    writeFileSync(join(folder.path, 'model'), '')
    const model = join(folder.path, 'model')
    const plan = await engineTable(machine)
      .get(engine, modality)
      .plan(registration({ binding: engine, model }))
    expect(plan).toMatchObject({ kind: 'server', healthPath, timeoutMs })
  })

  test.each([
    ['llamacpp', 'sd-cli', 20],
    ['mlx', 'mflux-generate', 3],
  ] as const)('%s images.generation is run once for each picture', async (engine, program, defaultSteps) => {
    using folder = testFolder()
    const machine = testMachine(folder.path, apple)
    executable(join(folder.path, 'bin', program))
    const model = join(folder.path, 'model')
    writeFileSync(model, '')
    const plan = await engineTable(machine)
      .get(engine, 'images.generation')
      .plan(registration({ binding: engine, model }))
    expect(plan).toMatchObject({ kind: 'render', defaultSteps, timeoutMs: 1_000_000 })
  })
})

test('a pair that does not exist is served by no other engine', () => {
  using folder = testFolder()
  const table = engineTable(testMachine(folder.path))
  expect(table.all).toHaveLength(9)
  expect(() => table.get('mlx', 'audio.transcription')).toThrow('No engine serves audio.transcription')
  expect(() => table.get('llamacpp', 'audio.speech')).toThrow('No engine serves audio.speech')
})

describe('finding the program', () => {
  const find = (machine: Machine, engine: EngineName = 'llamacpp', modality: Modality = 'chat') =>
    engineTable(machine).get(engine, modality).find()

  test('the override comes first, then the data folder, then the PATH', async () => {
    using folder = testFolder()
    const machine = testMachine(folder.path)
    expect(await find(machine)).toMatchObject({ ready: false })
    const onPath = fakeEngine(join(folder.path, 'bin'), 'llama-server')
    expect(await find(machine)).toMatchObject({ ready: true, path: onPath, version: '6122 (50aa938)' })
    const own = executable(join(folder.path, 'engines', 'llamacpp', 'build', 'bin', 'llama-server'))
    expect(await find(machine)).toMatchObject({ path: own })
    const named = executable(join(folder.path, 'elsewhere'))
    const overrides = { SERVICE_LLAMACPP_BIN: named }
    expect(await find({ ...machine, overrides })).toMatchObject({ path: named })
    expect(await find({ ...machine, overrides: { SERVICE_LLAMACPP_BIN: 'llama-server' } })).toMatchObject({
      path: onPath,
    })
  })

  test.each([
    ['names nothing', '/nowhere/llama-server', 'nothing is there'],
    ['names a folder', '/usr', 'that is no program'],
    ['names a file that is no program', import.meta.path, 'that is not executable'],
    ['is a name that is not on the PATH', 'no-such-program', 'no program of that name is on the PATH'],
  ])('an override that %s is said, and no other engine is taken', async (_, named, problem) => {
    using folder = testFolder()
    fakeEngine(join(testMachine(folder.path).enginesDir, '..', 'bin'), 'llama-server')
    const machine = testMachine(folder.path, { overrides: { SERVICE_LLAMACPP_BIN: named } })
    const reason = `SERVICE_LLAMACPP_BIN is ${named}, but ${problem}.`
    expect(await find(machine)).toMatchObject({ ready: false, reason })
    const refused = engineTable(machine).get('llamacpp', 'chat').plan(registration())
    await expect(refused).rejects.toMatchObject({ code: 'engine_unavailable', status: 503 })
    await expect(refused).rejects.toThrow(reason)
  })

  test('what is missing comes with how to get it', async () => {
    using folder = testFolder()
    expect(await find(testMachine(folder.path), 'llamacpp', 'audio.transcription')).toEqual({
      ready: false,
      reason: `whisper-server was not found in ${join(folder.path, 'engines', 'whispercpp')} or on the PATH.`,
      hint:
        'Install whisper.cpp (`brew install whisper-cpp`, or a release from its site). ' +
        'Or name it with SERVICE_WHISPERCPP_BIN.',
    })
  })

  test('MLX needs a Mac with Apple silicon, unless its program is named', async () => {
    using folder = testFolder()
    const machine = testMachine(folder.path)
    const program = executable(join(folder.path, 'bin', 'mlx_audio.server'))
    expect(await find(machine, 'mlx', 'audio.speech')).toMatchObject({
      ready: false,
      reason: 'MLX runs on Macs with Apple silicon only.',
    })
    expect(await find({ ...machine, platform: 'darwin', arch: 'x64' }, 'mlx')).toMatchObject({ ready: false })
    const overrides = { SERVICE_MLX_AUDIO_BIN: program }
    expect(await find({ ...machine, overrides }, 'mlx', 'audio.speech')).toMatchObject({ path: program })
  })

  test('an MLX package without its program is run by Python', async () => {
    using folder = testFolder()
    const environment = { PATH: join(folder.path, 'bin') }
    const machine = testMachine(folder.path, { platform: 'darwin', arch: 'arm64', environment })
    const python = executable(join(folder.path, 'bin', 'python3'), '[ "$2" = "import mlx_lm" ]')
    expect(await find(machine, 'mlx', 'chat')).toMatchObject({
      ready: true,
      program: [python, '-m', 'mlx_lm.server'],
    })
    expect(await find(machine, 'mlx', 'vision')).toMatchObject({ ready: false })
  })
})

describe('weights', () => {
  async function commandOf(machine: Machine, fields: Partial<ManagedRegistration>): Promise<string> {
    const { binding, modality } = registration(fields)
    const plan = await engineTable(machine).get(binding, modality).plan(registration(fields))
    return plan.kind === 'server' ? plan.command(4000).slice(1).join(' ') : ''
  }

  test('the trained context is read from the file', async () => {
    using folder = testFolder()
    const machine = withPrograms(folder.path)
    const model = join(folder.path, 'parrot.gguf')
    makeParrot(model)
    expect(await commandOf(machine, { model })).toBe(`${HOST} -m ${model} -c 4096 -np 1`)
    const params = { ctxSize: 512, temperature: 0 }
    expect(await commandOf(machine, { model, params })).toBe(`${HOST} -m ${model} -c 512 -np 1`)
  })

  test('of a repository are fetched by the engine', async () => {
    using folder = testFolder()
    const machine = withPrograms(folder.path)
    const fields = { source: 'hf', model: 'org/repo' } as const
    expect(await commandOf(machine, fields)).toBe(`${HOST} -hf org/repo -c 32768 -np 1`)
    expect(await commandOf(machine, { ...fields, modality: 'vision' })).toEndWith('-np 1 --mmproj-auto')
  })

  test('in a folder are the only file that fits', async () => {
    using folder = testFolder()
    const machine = withPrograms(folder.path)
    const first = join(folder.path, 'm-00001-of-00002.gguf')
    for (const name of ['m-00001-of-00002.gguf', 'm-00002-of-00002.gguf', 'mmproj-m.gguf', 'ggml-base.bin']) {
      writeFileSync(join(folder.path, name), '')
    }
    expect(await commandOf(machine, { model: folder.path })).toContain(`-m ${first} `)
    const transcription = { model: folder.path, modality: 'audio.transcription' } as const
    expect(await commandOf(machine, transcription)).toContain(`-m ${join(folder.path, 'ggml-base.bin')}`)
    writeFileSync(join(folder.path, 'ggml-small.bin'), '')
    await expect(commandOf(machine, transcription)).rejects.toThrow('(ggml-base.bin, ggml-small.bin)')
  })

  test('tell the memory that they take, apart from that of the context', async () => {
    using folder = testFolder()
    const machine = withPrograms(folder.path)
    const place = (name: string, bytes: number) => {
      writeFileSync(join(folder.path, name), new Uint8Array(bytes))
      return join(folder.path, name)
    }
    const needOf = async (fields: Partial<ManagedRegistration>) => {
      const one = registration(fields)
      const plan = await engineTable(machine).get(one.binding, one.modality).plan(one)
      return plan.memory
    }
    const model = join(folder.path, 'parrot.gguf')
    makeParrot(model)
    const { size } = Bun.file(model)
    // Two layers, four heads of 64 for keys and as many for values, two bytes each.
    const perToken = 2 * 4 * 128 * 2
    expect(await needOf({ model })).toEqual({ weightsBytes: size, contextBytes: 4096 * perToken })
    expect(await needOf({ model, params: { ctxSize: 512 } })).toEqual({
      weightsBytes: size,
      contextBytes: 512 * perToken,
    })
    const cut = { model: place('m-00001-of-00002.gguf', 30) }
    place('m-00002-of-00002.gguf', 12)
    expect(await needOf(cut)).toEqual({ weightsBytes: 42, contextBytes: 0 })
    const whisper = { model: place('ggml-tiny.bin', 7), modality: 'audio.transcription' } as const
    expect(await needOf(whisper)).toEqual({ weightsBytes: 7, contextBytes: 0 })
    const flux = { model: place('flux.safetensors', 9), modality: 'images.generation' } as const
    expect(await needOf(flux)).toEqual({ weightsBytes: 9, contextBytes: 0 })
    expect(await needOf({ source: 'hf', model: 'org/repo' })).toBeUndefined()
  })

  test('that are not there are said with their path', async () => {
    using folder = testFolder()
    const model = join(folder.path, 'gone.gguf')
    const refused = commandOf(withPrograms(folder.path), { model })
    await expect(refused).rejects.toMatchObject({ code: 'engine_unavailable' })
    await expect(refused).rejects.toThrow(model)
  })

  test('see with the projector beside them, or the one that is named', async () => {
    using folder = testFolder()
    const machine = withPrograms(folder.path)
    const file = (name: string) => {
      writeFileSync(join(folder.path, name), '')
      return join(folder.path, name)
    }
    const vision = { model: file('gemma-3-4b-Q4.gguf'), modality: 'vision' } as const
    expect(await commandOf(machine, vision)).toEndWith('--mmproj-auto')
    file('mmproj-another.gguf')
    const fitting = file('mmproj-gemma-3-4b-F16.gguf')
    expect(await commandOf(machine, vision)).toEndWith(`--mmproj ${fitting}`)
    const named = file('projector.gguf')
    expect(await commandOf(machine, { ...vision, params: { mmproj: 'projector.gguf' } })).toEndWith(
      `--mmproj ${named}`,
    )
    const missing = commandOf(machine, { ...vision, params: { mmproj: '/gone' } })
    await expect(missing).rejects.toThrow('params.mmproj names /gone, and no file is there.')
    // Chat without a projector named stays chat.
    expect(await commandOf(machine, { ...vision, modality: 'chat' })).not.toContain('mmproj')
  })

  test.each([
    ['a part of an image model', ['model.diffusion_model.x']],
    ['a language model', ['token_embd.weight']],
  ])('of %s cannot render', async (_, names) => {
    using folder = testFolder()
    const machine = withPrograms(folder.path)
    const model = join(folder.path, 'image.gguf')
    const architecture: MetadataValue = { type: 'text', value: 'x' }
    const tensors = names.map((name) => ({ name, shape: [32], type: 'f32' as const, fill() {} }))
    writeGguf(model, { 'general.architecture': architecture }, tensors)
    const refused = commandOf(machine, { model, modality: 'images.generation' })
    await expect(refused).rejects.toMatchObject({ code: 'incomplete_weights', status: 503 })
  })

  test('recordings other than WAV are converted where ffmpeg is', async () => {
    using folder = testFolder()
    const model = join(folder.path, 'ggml-x.bin')
    writeFileSync(model, '')
    const fields = { model, modality: 'audio.transcription' } as const
    const environment = { PATH: join(folder.path, 'bin') }
    const machine = { ...withPrograms(folder.path), environment }
    expect(await commandOf(machine, fields)).not.toContain('--convert')
    executable(join(folder.path, 'bin', 'ffmpeg'))
    expect(await commandOf(machine, fields)).toEndWith(`--convert --tmp-dir ${machine.tmpDir}`)
  })
})

describe('an engine sees little of our environment', () => {
  const environment = {
    PATH: '/usr/bin:/bin',
    HOME: '/home/user',
    LC_ALL: 'C',
    CUDA_VISIBLE_DEVICES: '1',
    SERVICE_SECRET_KEY: 'ours',
    DATABASE_URL: 'postgres://user:password@host/db',
    OPENAI_API_KEY: 'sk-user',
    HF_TOKEN: 'hf_user',
    HTTPS_PROXY: 'http://user:password@proxy',
    LLAMA_ARG_HOST: '0.0.0.0',
    BUN_OPTIONS: '--preload evil.ts',
  }
  const envOf = async (fields: Partial<ManagedRegistration>) => {
    using folder = testFolder()
    const machine = { ...withPrograms(folder.path), environment, hubToken: () => 'hf_stored' }
    const overrides = { SERVICE_LLAMACPP_BIN: join(folder.path, 'bin', 'llama-server') }
    const model = join(folder.path, 'm.gguf')
    writeFileSync(model, '')
    return (
      await engineTable({ ...machine, overrides })
        .get('llamacpp', 'chat')
        .plan(registration({ model, ...fields }))
    ).env
  }

  test('weights of this machine need nothing but the system', async () => {
    const env = await envOf({})
    const names = ['PATH', 'HOME', 'LC_ALL', 'CUDA_VISIBLE_DEVICES', 'HF_HOME', 'LLAMA_ARG_JINJA']
    expect(Object.keys(env).sort()).toEqual([...names, 'LLAMA_ARG_NO_WEBUI'].sort())
  })
  test('weights that the engine fetches need the hub, and the token that Tycho holds', async () => {
    const env = await envOf({ source: 'hf', model: 'org/repo' })
    expect(env).toMatchObject({ HF_TOKEN: 'hf_stored', HTTPS_PROXY: 'http://user:password@proxy' })
    for (const name of ['SERVICE_SECRET_KEY', 'DATABASE_URL', 'OPENAI_API_KEY'])
      expect(env).not.toHaveProperty(name)
  })
})

describe('capabilities without asking the engine', () => {
  const never = new AbortController().signal

  test.each([
    ['llamacpp', 'embeddings', ['embeddings']],
    ['llamacpp', 'audio.transcription', ['audio.transcription']],
    ['mlx', 'audio.speech', ['audio.speech']],
    ['mlx', 'images.generation', ['images.generation']],
  ] as const)('%s %s are its modality', async (engine, modality, modalities) => {
    using folder = testFolder()
    const found = await engineTable(testMachine(folder.path))
      .get(engine, modality)
      .capabilities(registration({ binding: engine }), 'http://127.0.0.1:1/v1', never)
    expect(found).toEqual({
      toolCalling: false,
      structuredOutput: false,
      vision: false,
      reasoning: false,
      maxContext: null,
      modalities: [...modalities],
      approximate: true,
    })
  })

  test('of an MLX model are read from its files', async () => {
    using folder = testFolder()
    const files = {
      'config.json': { text_config: { max_position_embeddings: 32_768 } },
      'tokenizer_config.json': { chat_template: '{% if tools %}{% endif %}<think>' },
    }
    for (const [name, content] of Object.entries(files)) {
      writeFileSync(join(folder.path, name), JSON.stringify(content))
    }
    const found = await engineTable(testMachine(folder.path))
      .get('mlx', 'vision')
      .capabilities(registration({ binding: 'mlx', model: folder.path }), null, never)
    expect(found).toMatchObject({
      toolCalling: true,
      reasoning: true,
      vision: true,
      maxContext: 32_768,
      modalities: ['chat', 'vision'],
      approximate: true,
    })
  })
})

function withPrograms(folder: string): Machine {
  const machine = testMachine(folder)
  for (const name of ['llama-server', 'whisper-server', 'sd-cli'] as const)
    fakeEngine(join(folder, 'bin'), name)
  return machine
}

/** A program that ends with what `body` ends with. */
function executable(path: string, body = 'exit 0'): string {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `#!/bin/sh\n${body}\n`, { mode: 0o755 })
  return path
}

describe('the built-in engines', () => {
  const builtIn = { command: ['/opt/tycho', 'engine-host'], nativesDir: '/state/engines' }
  const find = (machine: Machine, modality: Modality) => engineTable(machine).get('llamacpp', modality).find()

  test('come last: after the variable, the folder and the PATH', async () => {
    using folder = testFolder()
    const machine = testMachine(folder.path, { builtIn })
    expect(await find(machine, 'chat')).toMatchObject({
      ready: true,
      builtIn: true,
      program: ['/opt/tycho', 'engine-host', 'llamacpp'],
    })
    const program = join(folder.path, 'bin', 'llama-server')
    executable(program)
    expect(await find(machine, 'chat')).toMatchObject({ ready: true, path: program })
  })

  test('do not stand in for a program that is named and not there', async () => {
    using folder = testFolder()
    const overrides = { SERVICE_LLAMACPP_BIN: '/nowhere/llama-server', SERVICE_WHISPERCPP_BIN: 'nothing' }
    const machine = testMachine(folder.path, { builtIn, overrides })
    expect(await find(machine, 'chat')).toMatchObject({
      ready: false,
      reason: expect.stringContaining('/nowhere/llama-server'),
    })
    const refused = engineTable(machine).get('llamacpp', 'audio.transcription').plan(registration())
    await expect(refused).rejects.toMatchObject({ code: 'engine_unavailable' })
    await expect(refused).rejects.toThrow('SERVICE_WHISPERCPP_BIN is nothing')
  })

  test('do not look at pictures, and say what does', async () => {
    using folder = testFolder()
    expect(await find(testMachine(folder.path, { builtIn }), 'vision')).toMatchObject({
      ready: false,
      reason: expect.stringContaining('does not look at pictures'),
      hint: expect.stringContaining('Install llama.cpp'),
    })
  })

  test('say which library is missing', async () => {
    using folder = testFolder()
    const bare = testMachine(folder.path, { builtIn, libraryFolders: [] })
    expect(await find(bare, 'audio.transcription')).toMatchObject({
      ready: false,
      reason: expect.stringContaining('libgomp.so.1 is missing'),
      hint: expect.stringContaining('apt install libgomp1'),
    })
    const environment = { ...bare.environment, LD_LIBRARY_PATH: folder.path }
    writeFileSync(join(folder.path, 'libgomp.so.1'), '')
    expect(await find({ ...bare, environment }, 'audio.transcription')).toMatchObject({ ready: true })
  })

  test('fetch no weights', async () => {
    using folder = testFolder()
    const chat = engineTable(testMachine(folder.path, { builtIn })).get('llamacpp', 'chat')
    const asked = chat.plan(registration({ source: 'hf', model: 'org/model' }))
    await expect(asked).rejects.toThrow('Install org/model from the catalog, or llama-server')
  })

  test.each<[string, Partial<ManagedRegistration>, string]>([
    ['chat', {}, '--context 4096 --fit --parallel 1'],
    ['a context that is asked for', { params: { ctxSize: 512, parallel: 2 } }, '--context 512 --parallel 2'],
    ['embeddings', { modality: 'embeddings' }, '--context 4096 --parallel 1 --batch 4096 --pooling mean'],
  ])('are started for %s', async (_, fields, line) => {
    using folder = testFolder()
    const model = join(folder.path, 'parrot.gguf')
    makeParrot(model)
    const one = registration({ model, ...fields })
    const plan = await engineTable(testMachine(folder.path, { builtIn }))
      .get('llamacpp', one.modality)
      .plan(one)
    const start = `/opt/tycho engine-host llamacpp --model ${model} --port 4000 --threads 1 --natives /state/engines`
    expect(plan.kind === 'server' && plan.command(4000).join(' ')).toBe(`${start} ${line}`)
  })
})
