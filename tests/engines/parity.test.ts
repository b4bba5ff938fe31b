import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import type OpenAI from 'openai'
import type { Machine, ManagedRegistration } from '#engines/engine'
import { EngineProcess } from '#engines/process'
import { engineTable } from '#engines/table'
import { ENGINE_HOST, toneWav } from '../support/built-in-plane'
import { makeParrot } from '../support/make-tiny-gguf'
import { makeTinyWhisper } from '../support/make-tiny-whisper'
import { registration, testFolder, testMachine, testProcesses } from './machine'

/** A machine that has the engines' own programs holds the built-in ones against them; most have not. */
const has = (name: string) => Bun.which(name) !== null
const skipped = (name: string) => (has(name) ? name : `${name}: skipped, none is on the PATH`)

const tools = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
    },
  },
]
const messages = [{ role: 'user', content: 'Hi' }]
const weather = [
  {
    role: 'assistant',
    tool_calls: [{ id: 'c', type: 'function', function: { name: 'get_weather', arguments: '{}' } }],
  },
  { role: 'tool', tool_call_id: 'c', content: 'Sunny' },
]

/** Asks the engine's own program, and the built-in one. */
async function both<T>(
  model: ManagedRegistration,
  folder: string,
  ask: (baseUrl: string) => Promise<T>,
): Promise<[T, T]> {
  const builtIn = { command: ENGINE_HOST, nativesDir: join(folder, 'natives') }
  const environment = { PATH: process.env.PATH, HOME: folder }
  const own = testMachine(folder, { environment, threads: 1 })
  const none = testMachine(folder, { environment: { PATH: '/nowhere', HOME: folder }, threads: 1, builtIn })
  return [await asked(own, model, folder, ask), await asked(none, model, folder, ask)]
}

async function asked<T>(
  machine: Machine,
  model: ManagedRegistration,
  folder: string,
  ask: (baseUrl: string) => Promise<T>,
) {
  const plan = await engineTable(machine).get('llamacpp', model.modality).plan(model)
  if (plan.kind !== 'server') throw new Error('this engine is no server')
  const engine = new EngineProcess('parity', plan, testProcesses(folder))
  await engine.start()
  try {
    return await ask(engine.baseUrl)
  } finally {
    await engine.stop()
  }
}

describe.skipIf(!has('llama-server'))(skipped('llama-server'), () => {
  test.each<[string, Record<string, unknown>]>([
    ['an answer', { messages }],
    ['an answer that is cut', { messages, max_tokens: 3 }],
    ['a stop text', { messages, stop: ['which'] }],
    ['a call', { messages, tools }],
    ['an answer after a call', { messages: [...messages, ...weather], tools }],
    ['a thought', { messages, chat_template_kwargs: { ponder: true } }],
  ])(
    '%s',
    async (_, body) => {
      using folder = testFolder()
      const model = join(folder.path, 'parrot.gguf')
      makeParrot(model)
      const [own, builtIn] = await both(registration({ model }), folder.path, async (baseUrl) => {
        const response = await fetch(`${baseUrl}/chat/completions`, {
          method: 'POST',
          body: JSON.stringify(body),
        })
        const { choices, usage } = (await response.json()) as OpenAI.ChatCompletion
        const { message, finish_reason } = choices[0]!
        const {
          content,
          reasoning_content,
          tool_calls = [],
        } = message as typeof message & {
          reasoning_content?: string
        }
        const calls = tool_calls.map((call) =>
          call.type === 'function' ? [call.function.name, JSON.parse(call.function.arguments)] : call,
        )
        return {
          content: content || null,
          reasoning_content,
          calls,
          finish_reason,
          prompt: usage!.prompt_tokens,
        }
      })
      expect(builtIn).toEqual(own)
    },
    30_000,
  )

  test('vectors', async () => {
    using folder = testFolder()
    const model = join(folder.path, 'parrot.gguf')
    makeParrot(model)
    const one = registration({ model, modality: 'embeddings' })
    const [own, builtIn] = await both(one, folder.path, async (baseUrl) => {
      const body = JSON.stringify({ input: ['red apples', 'blue'] })
      const { data } = (await (await fetch(`${baseUrl}/embeddings`, { method: 'POST', body })).json()) as {
        data: { embedding: number[] }[]
      }
      return data.flatMap(({ embedding }) => embedding)
    })
    expect(builtIn).toHaveLength(own.length)
    expect(Math.max(...builtIn.map((value, index) => Math.abs(value - own[index]!)))).toBeLessThan(1e-3)
  }, 30_000)
})

describe.skipIf(!has('whisper-server'))(skipped('whisper-server'), () => {
  test.each(['json', 'text', 'srt', 'vtt'])(
    'a transcript as %s',
    async (format) => {
      using folder = testFolder()
      const model = join(folder.path, 'ggml-tiny.bin')
      makeTinyWhisper(model)
      const one = registration({ model, modality: 'audio.transcription' })
      const [own, builtIn] = await both(one, folder.path, async (baseUrl) => {
        const form = new FormData()
        form.set('file', new File([toneWav()], 'a.wav'))
        form.set('response_format', format)
        const text = await (
          await fetch(`${baseUrl}/audio/transcriptions`, { method: 'POST', body: form })
        ).text()
        return text.match(/[A-Za-z]+/g)
      })
      expect(builtIn).toEqual(own)
    },
    60_000,
  )
})
