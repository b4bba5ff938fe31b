import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type OpenAI from 'openai'
import { runs, until } from '../engines/machine'
import { openBuiltInPlane, toneWav } from '../support/built-in-plane'

/** Real engines on weights that the test makes: a machine with nothing installed but Tycho. */
let plane: Awaited<ReturnType<typeof openBuiltInPlane>>
let openai: OpenAI

const failureOf = (asked: PromiseLike<unknown>): PromiseLike<string> =>
  asked.then(
    () => 'it did not fail',
    (error: Error) => error.message,
  )

const LINE = 'Hello from a model of two no-op layers, which says this line each time someone asks.'
const messages = [{ role: 'user' as const, content: 'Hi' }]
const weather = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}

/** The pieces of what a streamed answer thinks, and of what it says. */
async function streamed(request: Omit<OpenAI.ChatCompletionCreateParams, 'stream'>): Promise<string[][]> {
  const thought: string[] = []
  const said: string[] = []
  for await (const chunk of await openai.chat.completions.create({ ...request, stream: true })) {
    const delta = chunk.choices[0]?.delta as { content?: string; reasoning_content?: string }
    if (delta.reasoning_content) thought.push(delta.reasoning_content)
    if (delta.content) said.push(delta.content)
  }
  return [thought, said]
}

beforeAll(async () => {
  plane = await openBuiltInPlane({ maxResident: 4 })
  openai = plane.openai
  await plane.local('parrot', { params: { ctxSize: 2048, parallel: 2 } })
  await plane.local('embedder', { modality: 'embeddings' })
  await plane.local('ears', { modality: 'audio.transcription', model: plane.weights.whisper })
}, 30_000)
afterAll(() => plane[Symbol.asyncDispose](), 20_000)

describe('chat', () => {
  test('answers whole', async () => {
    const answer = await openai.chat.completions.create({ model: 'parrot', messages })
    expect(answer.model).toBe('parrot')
    expect(answer.choices[0]).toMatchObject({ message: { content: LINE }, finish_reason: 'stop' })
    const { prompt_tokens, completion_tokens, total_tokens } = answer.usage!
    expect(completion_tokens).toBe(16)
    expect(total_tokens).toBe(prompt_tokens + 16)
  }, 30_000)

  test('streams token by token, with its usage last', async () => {
    const options = { stream: true, stream_options: { include_usage: true } } as const
    const pieces: string[] = []
    const ends: unknown[] = []
    for await (const chunk of await openai.chat.completions.create({
      model: 'parrot',
      messages,
      ...options,
    })) {
      const [choice] = chunk.choices
      if (choice?.delta.content) pieces.push(choice.delta.content)
      if (choice?.finish_reason) ends.push(choice.finish_reason)
      if (chunk.usage) ends.push(chunk.usage.completion_tokens)
    }
    expect(pieces.join('')).toBe(LINE)
    expect(pieces.length).toBeGreaterThan(10)
    expect(ends).toEqual(['stop', 16])
  })

  test('ends at the asked number of tokens and before a stop text', async () => {
    const short = await openai.chat.completions.create({ model: 'parrot', messages, max_tokens: 3 })
    expect(short.choices[0]).toMatchObject({ message: { content: 'Hello from a' }, finish_reason: 'length' })
    const stopped = await openai.chat.completions.create({
      model: 'parrot',
      messages,
      stop: ['which', 'e l'],
    })
    expect(stopped.choices[0]).toMatchObject({
      message: { content: 'Hello from a model of two no-op layers, ' },
      finish_reason: 'stop',
    })
  })

  test('calls a tool and answers with what that said', async () => {
    const tools = [weather]
    const asked = await openai.chat.completions.create({ model: 'parrot', messages, tools })
    const [choice] = asked.choices
    expect(choice!.finish_reason).toBe('tool_calls')
    const [call] = choice!.message.tool_calls!
    expect(call).toMatchObject({ type: 'function', function: { name: 'get_weather' } })
    expect(JSON.parse((call as { function: { arguments: string } }).function.arguments)).toEqual({
      city: 'Paris',
    })

    const answer = { role: 'tool' as const, tool_call_id: call!.id, content: 'Sunny' }
    const told = await openai.chat.completions.create({
      model: 'parrot',
      tools,
      messages: [...messages, choice!.message, answer],
    })
    expect(told.choices[0]).toMatchObject({ message: { content: LINE }, finish_reason: 'stop' })
  })

  test('streams a call so that the official client puts it together', async () => {
    const stream = openai.chat.completions.stream({ model: 'parrot', messages, tools: [weather] })
    const { finish_reason, message } = (await stream.finalChatCompletion()).choices[0]!
    expect(finish_reason).toBe('tool_calls')
    expect(message.content).toBeNull()
    expect(message.tool_calls).toMatchObject([
      { type: 'function', function: { name: 'get_weather', arguments: '{"city":"Paris"}' } },
    ])
  })

  test("streams a call's name first, then its arguments in pieces, which are those of the whole answer", async () => {
    const request = { model: 'parrot', messages, tools: [weather] }
    const pieces: unknown[] = []
    let text = ''
    for await (const chunk of await openai.chat.completions.create({ ...request, stream: true })) {
      for (const { index, id, function: called } of chunk.choices[0]?.delta.tool_calls ?? []) {
        pieces.push([index, id === undefined, called!.name, called!.arguments === ''])
        text += called!.arguments
      }
    }
    expect(pieces).toEqual([
      [0, false, 'get_weather', true],
      [0, true, undefined, false],
      [0, true, undefined, false],
    ])
    const { choices } = await openai.chat.completions.create(request)
    const [call] = choices[0]!.message.tool_calls as { function: { arguments: string } }[]
    expect(call!.function.arguments).toBe(text)
  })

  test('a call that the limit cuts is told as far as it came, and that it was cut', async () => {
    const request = { model: 'parrot', messages, tools: [weather], max_tokens: 3 }
    const { choices } = await openai.chat.completions.create(request)
    expect(choices[0]!.finish_reason).toBe('length')
    expect(choices[0]!.message.tool_calls).toMatchObject([
      { function: { name: 'get_weather', arguments: '{"city":' } },
    ])
  })

  test('must call the tool that it is told to', async () => {
    const named = { type: 'function' as const, function: { name: 'set_colour' } }
    const colour = {
      type: 'object',
      properties: { colour: { enum: ['teal'] }, bright: { const: true } },
      required: ['colour', 'bright'],
    }
    const tools = [
      weather,
      { type: 'function' as const, function: { name: 'set_colour', parameters: colour } },
    ]
    const { choices } = await openai.chat.completions.create({
      model: 'parrot',
      messages,
      tools,
      tool_choice: named,
    })
    const [call] = choices[0]!.message.tool_calls as { function: { name: string; arguments: string } }[]
    expect(call!.function.name).toBe('set_colour')
    expect(JSON.parse(call!.function.arguments)).toEqual({ colour: 'teal', bright: true })
    expect(choices[0]!.finish_reason).toBe('tool_calls')
  })

  test('calls nothing where it must not', async () => {
    const { choices } = await openai.chat.completions.create({
      model: 'parrot',
      messages,
      tools: [weather],
      tool_choice: 'none',
    })
    expect(choices[0]!.message).toMatchObject({ content: LINE })
    expect(choices[0]!.message.tool_calls).toBeUndefined()
  })

  test('keeps what it thinks apart from what it says', async () => {
    const request = { model: 'parrot', messages, chat_template_kwargs: { ponder: true } }
    const { choices } = await openai.chat.completions.create(request)
    expect(choices[0]!.message).toMatchObject({
      reasoning_content: 'First, I ponder.',
      content: "Then I'd answer: 42.",
    })
    const thoughts = await streamed(request)
    expect(thoughts.map((all) => all.join(''))).toEqual(['First, I ponder.', "Then I'd answer: 42."])
  })

  test('thinks as hard as it is told to, and reads the channels of gpt-oss', async () => {
    const request = { model: 'parrot', messages, reasoning_effort: 'high' as const }
    const { choices } = await openai.chat.completions.create(request)
    expect(choices[0]).toMatchObject({
      message: { reasoning_content: 'Six times seven.', content: 'It is 6×7.' },
      finish_reason: 'stop',
    })
    expect(await streamed(request)).toEqual([
      ['Six', ' times', ' seven.'],
      ['It', ' is', ' 6×7.'],
    ])
    const variables = { chat_template_kwargs: { reasoning_effort: 'low' } }
    const own = await openai.chat.completions.create({ ...request, ...variables })
    expect(own.choices[0]!.message).toMatchObject({ content: LINE })
  })

  test('answers in the JSON that a schema allows, and in some JSON where only that is asked', async () => {
    const schema = {
      type: 'object',
      properties: {
        kind: { enum: ['a', 'b'] },
        count: { type: 'integer' },
        list: { type: 'array', items: { $ref: '#/$defs/flag' }, minItems: 2, maxItems: 2 },
      },
      required: ['kind', 'count', 'list'],
      additionalProperties: false,
      $defs: { flag: { type: 'boolean' } },
    }
    const strict = await openai.chat.completions.create({
      model: 'parrot',
      messages,
      response_format: { type: 'json_schema', json_schema: { name: 'it', schema } },
    })
    expect(JSON.parse(strict.choices[0]!.message.content!)).toEqual({
      kind: expect.stringMatching(/^[ab]$/),
      count: expect.any(Number),
      list: [expect.any(Boolean), expect.any(Boolean)],
    })
    const loose = await openai.chat.completions.create({
      model: 'parrot',
      messages,
      max_tokens: 1,
      response_format: { type: 'json_object' },
    })
    expect(loose.choices[0]!.message.content).toStartWith('{')
  })

  test.each([
    [
      'an invalid schema',
      { response_format: { type: 'json_schema', json_schema: { schema: { type: 'x' } } } },
    ],
    [
      'a picture',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'x' } }] }] },
    ],
    ['no messages', { messages: [] }],
    [
      'a tool that is not offered',
      { tools: [weather], tool_choice: { type: 'function', function: { name: 'x' } } },
    ],
    ['a temperature that is none', { temperature: 'hot' }],
    ['several answers', { n: 2 }],
    ['probabilities', { logprobs: true }],
  ])('%s is refused with 400', async (_what, more) => {
    const { status, body } = await plane.call('POST', '/v1/chat/completions', {
      model: 'parrot',
      messages,
      ...more,
    })
    expect([status, body.error.code]).toEqual([400, 'upstream_error'])
    expect(body.error.message.length).toBeGreaterThan(20)
  })

  test('a prompt that does not fit is refused with both numbers, and nothing of it is cut', async () => {
    const content = 'x'.repeat(3_000)
    const asked = openai.chat.completions.create({ model: 'parrot', messages: [{ role: 'user', content }] })
    expect(await failureOf(asked)).toMatch(
      /^400 The prompt has 30\d\d tokens, and the context of this model holds 1024/,
    )
  })

  test('an answer ends where the context does', async () => {
    const content = 'x'.repeat(1_000)
    const { choices, usage } = await openai.chat.completions.create({
      model: 'parrot',
      messages: [{ role: 'user', content }],
    })
    expect(choices[0]!.finish_reason).toBe('length')
    expect(usage!.total_tokens).toBe(1024)
  })

  test('a prompt that goes on where another ended is not read again', async () => {
    const long = [{ role: 'user' as const, content: 'y'.repeat(200) }]
    await openai.chat.completions.create({ model: 'parrot', messages: long })
    const more = [...long, { role: 'assistant' as const, content: 'Yes.' }, ...messages]
    const { usage } = await openai.chat.completions.create({ model: 'parrot', messages: more })
    expect(usage!.prompt_tokens_details!.cached_tokens).toBeGreaterThan(200)
  })

  test('two answer at once, and whoever leaves makes room at once', async () => {
    // Room for so many tokens that nobody waits for the end of the context.
    await plane.local('endless', { params: { ctxSize: 32_768, parallel: 2 } })
    const endless = { model: 'endless', messages, ignore_eos: true } as const
    const open = async () => {
      const leaving = new AbortController()
      const stream = await openai.chat.completions.create(
        { ...endless, stream: true },
        { signal: leaving.signal },
      )
      const first = stream[Symbol.asyncIterator]()
      await first.next()
      return leaving
    }
    const [one, two] = await Promise.all([open(), open()])
    expect((await plane.load('endless')).busy).toBe(2)
    const impatient = new AbortController()
    const leftBefore = failureOf(openai.chat.completions.create(endless, { signal: impatient.signal }))
    await until(async () => (await plane.load('endless')).waiting === 1)
    impatient.abort()
    expect(await leftBefore).toContain('aborted')
    await until(async () => (await plane.load('endless')).waiting === 0)
    const whole = new AbortController()
    const waiting = failureOf(openai.chat.completions.create(endless, { signal: whole.signal }))
    await until(async () => (await plane.load('endless')).waiting === 1)
    one.abort()
    await until(async () => (await plane.load('endless')).waiting === 0)
    expect((await plane.load('endless')).busy).toBe(2)
    two.abort()
    whole.abort()
    expect(await waiting).toContain('aborted')
    await until(async () => (await plane.load('endless')).busy === 0)
    await until(async () => (await plane.state('endless')).inflight === 0)
  })
})

test('texts that share words are closer than others, each vector of length 1', async () => {
  // The last letters say the opposite of the whole.
  const input = ['apples red', 'apples green', 'zzz d']
  const { data, usage } = await openai.embeddings.create({ model: 'embedder', input })
  const [red, green, other] = data.map(({ embedding }) => embedding) as [number[], number[], number[]]
  const dot = (a: number[], b: number[]) => a.reduce((sum, value, at) => sum + value * b[at]!, 0)
  expect(dot(red, green)).toBeGreaterThan(dot(red, other) + 0.2)
  expect(dot(other, other)).toBeCloseTo(1, 3)
  expect(usage.prompt_tokens).toBeGreaterThan(10)
  const base64 = await plane.call('POST', '/v1/embeddings', {
    model: 'embedder',
    input: 'zzz d',
    encoding_format: 'base64',
  })
  const bytes = Buffer.from(base64.body.data[0].embedding, 'base64')
  expect(
    new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))[0],
  ).toBeCloseTo(other[0]!, 5)
}, 30_000)

test('a text too long to embed is refused with both numbers', async () => {
  const input = ['ok', 'x'.repeat(5_000)]
  const { status, body } = await plane.call('POST', '/v1/embeddings', { model: 'embedder', input })
  expect(status).toBe(400)
  expect(body.error.message).toMatch(/^input\[1\] has 5000 tokens, and the context of this model holds 4095/)
})

describe('transcription', () => {
  const TEXT = 'Hello from a tiny whisper.'
  const wav = (options = {}) => new File([toneWav(options)], 'a.wav', { type: 'audio/wav' })

  test('of a recording in stereo at 44.1 kHz, in every format', async () => {
    const file = wav({ rate: 44_100, channels: 2 })
    const create = openai.audio.transcriptions
    expect(await create.create({ model: 'ears', file })).toMatchObject({ text: TEXT })
    const verbose = await create.create({
      model: 'ears',
      file,
      response_format: 'verbose_json',
      language: 'en',
    })
    expect(verbose).toMatchObject({
      text: TEXT,
      duration: 1,
      language: 'en',
      segments: [{ id: 0, start: 0, end: 1 }],
    })
    expect(await create.create({ model: 'ears', file, response_format: 'text' })).toBe(`${TEXT}\n`)
    expect(await create.create({ model: 'ears', file, response_format: 'srt' })).toBe(
      `1\n00:00:00,000 --> 00:00:01,000\n${TEXT}\n\n`,
    )
    expect(await create.create({ model: 'ears', file, response_format: 'vtt' })).toStartWith(
      `WEBVTT\n\n00:00:00.000 --> 00:00:01.000\n${TEXT}`,
    )
  }, 60_000)

  test('needs ffmpeg for anything but WAV, and says so', async () => {
    const file = new File([new Uint8Array(100)], 'a.mp3', { type: 'audio/mpeg' })
    const asked = openai.audio.transcriptions.create({ model: 'ears', file })
    expect(await failureOf(asked)).toMatch(/^400 file: is no WAV file.*Install ffmpeg, or send WAV/)
  })
})

test('it says what it can, what it is, and what it needs for pictures', async () => {
  const { body: capabilities } = await plane.call('GET', '/admin/models/parrot/capabilities')
  expect(capabilities).toMatchObject({
    toolCalling: true,
    structuredOutput: true,
    vision: false,
    maxContext: 1024,
    approximate: false,
  })
  const { body: ready } = await plane.call('GET', '/readyz')
  expect(ready.engines.llamacpp).toEqual({ ready: true, reason: null })
  expect(ready.engines['llamacpp:vision'].reason).toMatch(
    /built-in llama\.cpp does not look at pictures\. Install llama\.cpp/,
  )
  const { body: found } = await plane.call('GET', '/admin/diagnostics')
  expect(found.binaries[0]).toMatchObject({ modality: 'chat', path: process.execPath, builtIn: true })
  expect(found.binaries[0].version).toMatch(/^\d+\.\d+\.\d+ \(llama\.cpp v[\d.]+, cpu \w+, gpu \w+\)$/)
  await plane.local('eyes', { modality: 'vision' })
  const { status, body } = await plane.call('POST', '/v1/chat/completions', { model: 'eyes', messages })
  expect([status, body.error.code]).toEqual([503, 'engine_unavailable'])
  expect(body.error.message).toContain('does not look at pictures')
}, 20_000)

test('weights that are none are told with the end of what the engine said', async () => {
  const model = join(plane.folder, 'broken.gguf')
  writeFileSync(model, 'GGUF and nothing more')
  await plane.local('broken', { model })
  const { status, body } = await plane.call('POST', '/v1/chat/completions', { model: 'broken', messages })
  expect([status, body.error.code]).toEqual([503, 'engine_unavailable'])
  expect(body.error.message).toContain('Its last output')
}, 20_000)

test('an engine killed in the middle of an answer is told in the stream and comes back on the next use', async () => {
  const response = await fetch(`${plane.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'parrot', messages, stream: true, ignore_eos: true }),
  })
  const reader = response.body!.getReader()
  let text = new TextDecoder().decode((await reader.read()).value)
  const pid = await plane.engine('parrot')
  process.kill(pid, 'SIGKILL')
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    text += new TextDecoder().decode(next.value)
  }
  const last = JSON.parse(
    text
      .trim()
      .split('\n\n')
      .at(-1)!
      .replace(/^data: /, ''),
  )
  expect(last.error).toMatchObject({ code: 'upstream_error', type: 'server_error' })
  const again = await openai.chat.completions.create({ model: 'parrot', messages })
  expect(again.choices[0]!.message.content).toBe(LINE)
  expect(await runs(pid)).toBe(false)
}, 30_000)

test('three models over two slots: each answers, and never more than two are in memory', async () => {
  await using small = await openBuiltInPlane({ maxResident: 2 })
  for (const id of ['a', 'b', 'c']) await small.local(id, { params: { ctxSize: 256 } })
  for (const id of ['a', 'b', 'c', 'a']) {
    const { choices } = await small.openai.chat.completions.create({ model: id, messages })
    expect(choices[0]!.message.content).toBe(LINE)
    const { body } = await small.call('GET', '/admin/engines')
    expect(body.resident.length).toBeLessThanOrEqual(2)
  }
  const { body } = await small.call('GET', '/admin/engines')
  expect(body.resident.map(({ logicalId }: { logicalId: string }) => logicalId).sort()).toEqual(['a', 'c'])
}, 60_000)
