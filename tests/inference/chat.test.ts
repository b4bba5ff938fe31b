import { afterAll, beforeAll, expect, test } from 'bun:test'
import OpenAI from 'openai'
import { requestDefaults } from '../../src/inference/v1/request'
import { until } from '../engines/machine'
import { type InferencePlane, openInferencePlane } from '../support/inference-plane'

let plane: InferencePlane
let openai: OpenAI

beforeAll(async () => {
  plane = await openInferencePlane()
  await plane.register('org/model:8b')
  openai = new OpenAI({ baseURL: `${plane.url}/v1`, apiKey: 'callers-own-key', maxRetries: 0 })
})
afterAll(() => plane[Symbol.asyncDispose]())

const ask = { model: 'org/model:8b', messages: [{ role: 'user' as const, content: 'hello' }] }
const lastSeen = () => plane.provider.seen.at(-1)!
const lastBody = () => lastSeen().body as Record<string, unknown>

/** A streamed chat over plain fetch, where a test is about bytes or connections. */
const stream = (signal?: AbortSignal) =>
  fetch(`${plane.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...ask, stream: true }),
    signal,
  })

test('the official client chats', async () => {
  plane.provider.answers({ deltas: ['Good ', 'day.'] })
  const completion = await openai.chat.completions.create(ask)
  expect(completion.choices[0]!.message.content).toBe('Good day.')
  expect(completion.usage!.total_tokens).toBe(9)
})

test('the official client streams', async () => {
  plane.provider.answers({ deltas: ['Good ', 'day.'] })
  const parts: string[] = []
  for await (const chunk of await openai.chat.completions.create({ ...ask, stream: true })) {
    parts.push(chunk.choices[0]?.delta.content ?? '')
  }
  expect(parts.join('')).toBe('Good day.')
})

test('tools pass through, there and back', async () => {
  plane.provider.answers({ toolCalls: [{ id: 'call_1', name: 'weather', arguments: '{"city":"Oslo"}' }] })
  const tools = [{ type: 'function' as const, function: { name: 'weather', parameters: { type: 'object' } } }]
  const completion = await openai.chat.completions.create({ ...ask, tools })
  expect(lastBody().tools).toEqual(tools)
  expect(completion.choices[0]!.message.tool_calls).toMatchObject([
    { id: 'call_1', function: { name: 'weather', arguments: '{"city":"Oslo"}' } },
  ])
})

test('the provider gets its own name of the model, and the caller gets the logical id back', async () => {
  const completion = await openai.chat.completions.create(ask)
  expect(lastBody().model).toBe('fake-model')
  expect(completion.model).toBe('org/model:8b')
})

test('fields that nobody here knows pass through', async () => {
  await plane.call('POST', '/v1/chat/completions', {
    ...ask,
    chat_template_kwargs: { enable_thinking: false },
    some_new_field: [1, null, { deep: true }],
    seed: null,
  })
  expect(lastBody()).toMatchObject({
    chat_template_kwargs: { enable_thinking: false },
    some_new_field: [1, null, { deep: true }],
    seed: null,
  })
})

test('registered params stand where the request says nothing, in the spelling of requests', async () => {
  await plane.register('with-params', { params: { maxTokens: 64, topP: 0.5, stop: ['END'], temperature: 0 } })
  await plane.call('POST', '/v1/chat/completions', {
    ...ask,
    model: 'with-params',
    temperature: 0.9,
    top_p: null,
  })
  expect(lastBody()).toEqual({
    model: 'fake-model',
    messages: ask.messages,
    max_tokens: 64,
    top_p: 0.5,
    stop: ['END'],
    temperature: 0.9,
  })
})

test('launch settings of an engine are no fields of a request', () => {
  expect(
    requestDefaults({ ctxSize: 4096, mmproj: '/a', pooling: 'mean', maxTokens: 5, voice: null }),
  ).toEqual({
    max_tokens: 5,
  })
})

test('the provider learns nothing of the caller: no key, no run id, no cookie', async () => {
  await plane.call('POST', '/v1/chat/completions', ask, {
    headers: {
      authorization: 'Bearer callers-own-key',
      'x-service-run-id': '01RUN',
      cookie: 'a=b',
      'x-request-id': 'mine',
    },
  })
  expect(Object.keys(lastSeen().headers).sort()).toEqual([
    'accept',
    'accept-encoding',
    'authorization',
    'connection',
    'content-length',
    'content-type',
    'host',
    'user-agent',
  ])
  expect(lastSeen().headers).toMatchObject({
    authorization: 'Bearer sk-noauth',
    'accept-encoding': 'identity',
    'user-agent': 'tycho/0.0.0',
  })
  // The line is written after the answer has left.
  await until(() => plane.logs.some((line) => JSON.parse(line).run === '01RUN'))
})

test('a stream passes on byte for byte, whatever it holds', async () => {
  const rawChunks = [
    ': comment\n\n',
    'data: {"no":"protocol"}\r\n\r\n',
    'event: odd\ndata: naïve 🦆\n',
    'data: second line\n\n',
    'data: [DONE]\n\n',
  ]
  plane.provider.answers({ rawChunks })
  const response = await stream()
  expect(response.headers.get('content-type')).toStartWith('text/event-stream')
  expect(await response.text()).toBe(rawChunks.join(''))
})

test('each piece arrives when the provider sends it, not when the next one comes', async () => {
  const second = Promise.withResolvers<void>()
  plane.provider.answers({
    rawChunks: ['data: first\n\n', 'data: second\n\n'],
    before: (index) => (index === 1 ? second.promise : undefined),
  })
  const reader = (await stream()).body!.getReader()
  expect(new TextDecoder().decode((await reader.read()).value)).toBe('data: first\n\n')
  second.resolve()
  expect(new TextDecoder().decode((await reader.read()).value)).toBe('data: second\n\n')
})

test('a client that leaves a stream ends the request at the provider', async () => {
  const never = Promise.withResolvers<void>()
  plane.provider.answers({ deltas: ['a', 'b'], before: (index) => (index === 2 ? never.promise : undefined) })
  const leaving = new AbortController()
  const reader = (await stream(leaving.signal)).body!.getReader()
  await reader.read()
  leaving.abort()
  await lastSeen().aborted
  never.resolve()
})

test('a client that leaves before the first token ends the request at the provider', async () => {
  const asked = Promise.withResolvers<void>()
  const provider = plane.provider
  await plane.register('slow')
  provider.on('/v1/slow/chat/completions', async ({ aborted }) => {
    asked.resolve()
    await aborted
    return new Response('too late')
  })
  await plane.register('slow', { baseUrl: `${provider.url}/slow` })
  const leaving = new AbortController()
  const answer = plane.call(
    'POST',
    '/v1/chat/completions',
    { ...ask, model: 'slow' },
    { signal: leaving.signal },
  )
  await asked.promise
  leaving.abort()
  await expect(answer).rejects.toThrow()
  await lastSeen().aborted
})

test('a stream that breaks ends with one event that says so', async () => {
  const taken = breakAfter(2, ['data: a\n\n', 'data: b\n\n', 'data: c\n\n'])
  const events = (await textOf(await stream(), 'data: b\n\n', taken)).split('\n\n').filter(Boolean)
  expect(events.slice(0, 2)).toEqual(['data: a', 'data: b'])
  expect(events).toHaveLength(3)
  expect(JSON.parse(events[2]!.slice('data: '.length))).toEqual({
    error: {
      message: expect.stringContaining('broke off'),
      type: 'server_error',
      code: 'upstream_error',
    },
  })
})

test('a stream that breaks inside an event still ends with a whole one', async () => {
  const taken = breakAfter(1, ['data: {"cut', 'never'])
  const events = (await textOf(await stream(), 'cut', taken)).split('\n\n').filter(Boolean)
  expect(events[0]).toBe('data: {"cut')
  expect(JSON.parse(events[1]!.slice('data: '.length)).error.code).toBe('upstream_error')
})

test('the official client raises the failure of a stream that breaks', async () => {
  const taken = breakAfter(1, ['data: {"choices":[]}\n\n', 'never'])
  const reading = async () => {
    for await (const _ of await openai.chat.completions.create({ ...ask, stream: true })) taken()
  }
  await expect(reading()).rejects.toThrow('broke off')
})

test('an answer that breaks off before it is whole is a 502', async () => {
  await plane.register('breaking', { baseUrl: `${plane.provider.url}/breaking` })
  plane.provider.on('/v1/breaking/chat/completions', () => brokenBody('{"choices":[', 'application/json'))
  const { status, body } = await plane.call('POST', '/v1/chat/completions', { ...ask, model: 'breaking' })
  expect(status).toBe(502)
  expect(body.error).toMatchObject({ type: 'server_error', code: 'upstream_error' })
})

test('a client that reads slowly holds the provider back', async () => {
  const chunk = new Uint8Array(64 * 1024).fill(0x61)
  const total = 4_000
  let pulled = 0
  await plane.register('flood', { baseUrl: `${plane.provider.url}/flood` })
  plane.provider.on(
    '/v1/flood/chat/completions',
    () =>
      new Response(
        new ReadableStream({
          pull(out) {
            if (pulled === total) return out.close()
            pulled += 1
            out.enqueue(chunk)
          },
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      ),
  )
  const received = await readAndStop(plane.url, JSON.stringify({ ...ask, model: 'flood', stream: true }))
  // It has stopped when nothing more is pulled over many turns of the loop.
  for (let before = -1; before !== pulled; ) {
    before = pulled
    await Bun.sleep(200)
  }
  expect(received()).toBeGreaterThan(chunk.byteLength)
  expect(pulled).toBeLessThan(total / 4)
})

/** The provider breaks before piece `index`, as soon as the answer, which has come that far, is called. */
function breakAfter(index: number, rawChunks: string[]): () => void {
  const taken = Promise.withResolvers<void>()
  plane.provider.answers({
    rawChunks,
    breakAfter: index,
    before: (piece) => (piece === index ? taken.promise : undefined),
  })
  return taken.resolve
}

/** All text of a stream; `then` is called as soon as `piece` has come. */
async function textOf(response: Response, piece: string, then: () => void): Promise<string> {
  let text = ''
  for await (const more of response.body!.pipeThrough(
    new TextDecoderStream() as never,
  ) as ReadableStream<string>) {
    text += more
    if (text.includes(piece)) then()
  }
  return text
}

/** A request over a bare socket that reads a little and then no more. */
async function readAndStop(url: string, body: string): Promise<() => number> {
  let received = 0
  const begun = Promise.withResolvers<void>()
  const { hostname, port, host } = new URL(url)
  await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      open: (socket) =>
        void socket.write(
          `POST /v1/chat/completions HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
        ),
      data(socket, bytes) {
        received += bytes.byteLength
        if (received < 200_000) return
        socket.pause()
        begun.resolve()
      },
    },
  })
  await begun.promise
  return () => received
}

function brokenBody(begin: string, contentType: string): Response {
  let sent = false
  return new Response(
    new ReadableStream({
      pull(out) {
        if (sent) return out.error(new Error('broken on purpose'))
        sent = true
        out.enqueue(new TextEncoder().encode(begin))
      },
    }),
    { headers: { 'content-type': contentType } },
  )
}
