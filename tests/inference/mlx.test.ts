import { describe, expect, test } from 'bun:test'
import type OpenAI from 'openai'
import { openEnginePlane } from '../support/engine-plane'
import type { Misbehaviour } from '../support/fake-engine'

const messages = [{ role: 'user' as const, content: 'Weather in Oslo?' }]
const tools: OpenAI.ChatCompletionTool[] = [
  { type: 'function', function: { name: 'get_weather', parameters: { type: 'object' } } },
]

const HERMES =
  'Let me see.\n<tool_call>\n{"name": "get_weather", "arguments": {"city": "Oslo"}}\n</tool_call>'
const LLAMA = '{"name": "get_weather", "parameters": {"city": "Oslo"}}'
const THOUGHT = '<|channel|>analysis<|message|>I need the weather.<|end|>'
const HARMONY_CALL = `${THOUGHT}<|start|>assistant<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city":"Oslo"}<|call|>`
const HARMONY = `${THOUGHT}<|start|>assistant<|channel|>final<|message|>It is 7 °C.<|return|>`
const OSLO = [['get_weather', '{"city":"Oslo"}']]

interface Read {
  content: string | null
  reasoning: string | null
  calls: string[][]
  finish: string | null
}

type Spoken = { content?: string | null; reasoning_content?: string }

/** What the official client understands of an answer, whole or streamed. */
async function asked(writes: Misbehaviour, stream: boolean, more: object): Promise<Read> {
  await using plane = await openEnginePlane({ engines: { 'mlx_lm.server': writes }, apple: true })
  await plane.local('apple', { binding: 'mlx', source: 'hf', model: 'org/model' })
  const { openai } = plane
  const request = { model: 'apple', messages, ...more }
  if (!stream) {
    const { choices } = await openai.chat.completions.create(request)
    const { message, finish_reason } = choices[0]!
    const spoken: Spoken = message
    return {
      content: spoken.content ?? null,
      reasoning: spoken.reasoning_content ?? null,
      calls: (message.tool_calls ?? []).map((call) =>
        call.type === 'function' ? [call.function.name, call.function.arguments] : [],
      ),
      finish: finish_reason,
    }
  }
  const read: Read = { content: null, reasoning: null, calls: [], finish: null }
  for await (const { choices } of await openai.chat.completions.create({ ...request, stream: true })) {
    const { delta, finish_reason } = choices[0]!
    const spoken: Spoken = delta
    if (spoken.content) read.content = (read.content ?? '') + spoken.content
    if (spoken.reasoning_content) read.reasoning = (read.reasoning ?? '') + spoken.reasoning_content
    for (const { index, function: called } of delta.tool_calls ?? []) {
      // The name comes first, then the arguments in pieces.
      read.calls[index] ??= [called!.name!, '']
      read.calls[index][1] += called!.arguments!
    }
    read.finish = finish_reason ?? read.finish
  }
  return read
}

describe.each([
  ['whole', false],
  ['streamed', true],
])('an answer of MLX, %s,', (_how, stream) => {
  const rows: [what: string, writes: Misbehaviour, more: object, read: Read][] = [
    [
      'that is text stays text',
      { writes: 'A <b> and\n\n{c}. ' },
      { tools },
      { content: 'A <b> and\n\n{c}. ', reasoning: null, calls: [], finish: 'stop' },
    ],
    [
      'calls a tool as Hermes and Qwen do',
      { writes: HERMES },
      { tools },
      { content: 'Let me see.', reasoning: null, calls: OSLO, finish: 'tool_calls' },
    ],
    [
      'calls a tool as Llama does',
      { writes: LLAMA },
      { tools },
      { content: null, reasoning: null, calls: OSLO, finish: 'tool_calls' },
    ],
    [
      'is text where no tools were offered',
      { writes: LLAMA },
      {},
      { content: LLAMA, reasoning: null, calls: [], finish: 'stop' },
    ],
    [
      'is text where no tool may be called',
      { writes: HERMES },
      { tools, tool_choice: 'none' },
      { content: HERMES, reasoning: null, calls: [], finish: 'stop' },
    ],
    [
      'thinks and answers in the channels of gpt-oss',
      { writes: HARMONY },
      {},
      { content: 'It is 7 °C.', reasoning: 'I need the weather.', calls: [], finish: 'stop' },
    ],
    [
      'calls a tool in a channel of gpt-oss',
      { writes: HARMONY_CALL },
      { tools },
      { content: null, reasoning: 'I need the weather.', calls: OSLO, finish: 'tool_calls' },
    ],
    [
      'that ends in a thought says so',
      { writes: '<|channel|>analysis<|message|>I ne', cut: true },
      {},
      { content: stream ? null : '', reasoning: 'I ne', calls: [], finish: 'length' },
    ],
  ]
  test.each(rows)('%s', async (_what, writes, more, read) => {
    expect(await asked(writes, stream, more)).toEqual(read)
  })
})

test('a stream of MLX keeps its comments, its usage and its end, and every event is a chunk of one answer', async () => {
  await using plane = await openEnginePlane({
    engines: { 'mlx_lm.server': { writes: HERMES } },
    apple: true,
  })
  await plane.local('apple', { binding: 'mlx', source: 'hf', model: 'org/model' })
  const asking = { tools, stream: true, stream_options: { include_usage: true } }
  const text = (await plane.chat('apple', asking)).body as string
  const events = text.trim().split('\n\n')
  expect([events[0], events.at(-1)]).toEqual([': keepalive 9/9', 'data: [DONE]'])
  const chunks = events.slice(1, -1).map((event) => JSON.parse(event.replace('data: ', '')))
  expect(chunks.at(-1).usage.total_tokens).toBe(14)
  expect(new Set(chunks.map(({ id }) => id))).toEqual(new Set(['chatcmpl-1']))
  expect(chunks[0].choices[0].delta.role).toBe('assistant')
})

test.each([
  [
    'is a variable of the template',
    { reasoning_effort: 'high' },
    { reasoning_effort: 'high', enable_thinking: true },
  ],
  ['none is no thinking', { reasoning_effort: 'none' }, { reasoning_effort: 'low', enable_thinking: false }],
  [
    'gives way to what the request sets itself',
    { reasoning_effort: 'low', chat_template_kwargs: { enable_thinking: false } },
    { reasoning_effort: 'low', enable_thinking: false },
  ],
  ['that is not said is not made up', {}, undefined],
])('reasoning effort %s', async (_what, asking, variables) => {
  await using plane = await openEnginePlane({ engines: { 'mlx_lm.server': {} }, apple: true })
  await plane.local('apple', { binding: 'mlx', source: 'hf', model: 'org/model' })
  expect((await plane.chat('apple', asking)).status).toBe(200)
  const { body } = (await plane.events()).find(({ event }) => event === 'request')!
  const { reasoning_effort, chat_template_kwargs } = body as Record<string, unknown>
  expect([reasoning_effort, chat_template_kwargs]).toEqual([undefined, variables])
})

test('a stream of MLX comes as it is made, and a client that leaves it frees the slot', async () => {
  await using plane = await openEnginePlane({ engines: { 'mlx_lm.server': {} }, apple: true, held: true })
  await plane.local('apple', { binding: 'mlx', source: 'hf', model: 'org/model' })
  const leaving = new AbortController()
  const { response } = await plane.openStream('apple', leaving.signal)
  expect(response.status).toBe(200)
  await plane.inflight('apple', 1)
  leaving.abort()
  await plane.inflight('apple', 0)
})

test('a stream of MLX that breaks says so in its last event', async () => {
  const engines = { 'mlx_lm.server': { crashAfterChunks: 2 } }
  await using plane = await openEnginePlane({ engines, apple: true, held: true })
  await plane.local('apple', { binding: 'mlx', source: 'hf', model: 'org/model' })
  const stream = await plane.openStream('apple')
  plane.letGoOn()
  const text = await stream.rest()
  expect(text).toContain('"content":"Hel"')
  expect(JSON.parse(text.trim().split('\n\n').at(-1)!.replace('data: ', '')).error.code).toBe(
    'upstream_error',
  )
})

test('MLX is not ready on any other machine, and says so', async () => {
  await using plane = await openEnginePlane({ engines: { 'mlx_lm.server': {} } })
  const { engines } = (await plane.call('GET', '/readyz')).body
  expect(engines.mlx).toEqual({ ready: false, reason: expect.stringContaining('Apple silicon') })
})
