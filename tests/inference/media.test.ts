import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import OpenAI, { toFile } from 'openai'
import { type InferencePlane, openInferencePlane } from '../support/inference-plane'

let plane: InferencePlane
let openai: OpenAI

beforeAll(async () => {
  plane = await openInferencePlane({ keepaliveMs: 30 })
  openai = new OpenAI({ baseURL: `${plane.url}/v1`, apiKey: 'unused', maxRetries: 0 })
})
afterAll(() => plane[Symbol.asyncDispose]())
beforeEach(() => plane.register('media'))

const lastSeen = () => plane.provider.seen.at(-1)!

/** A model whose provider answers a path in this way. */
async function providerThat(path: string, answer: Parameters<typeof plane.provider.on>[1]): Promise<string> {
  const id = crypto.randomUUID()
  await plane.register(id, { baseUrl: `${plane.provider.url}/${id}` })
  plane.provider.on(`/v1/${id}${path}`, answer)
  return id
}

test('the official client embeds', async () => {
  const answer = await openai.embeddings.create({
    model: 'media',
    input: ['one', 'three'],
    encoding_format: 'float',
  })
  expect(answer.data.map(({ embedding }) => embedding)).toEqual([
    [3, 1, 0.5],
    [5, 1, 0.5],
  ])
  expect(lastSeen().body).toMatchObject({ model: 'fake-model', input: ['one', 'three'] })
})

test('the official client transcribes', async () => {
  const file = await toFile(new Uint8Array([82, 73, 70, 70]), 'talk.wav', { type: 'audio/wav' })
  const answer = await openai.audio.transcriptions.create({ model: 'media', file, language: 'en' })
  expect(answer.text).toBe('hello from a recording')
  const form = lastSeen().body as FormData
  expect(form.getAll('model')).toEqual(['fake-model'])
  expect(form.get('language')).toBe('en')
  const sent = form.get('file') as File
  expect(sent.name).toBe('talk.wav')
  expect(await sent.bytes()).toEqual(new Uint8Array([82, 73, 70, 70]))
})

test('a file reaches the provider as it was sent, bytes and type', async () => {
  // The runtime's own parser, which the fake provider uses, makes up a file's type: this one listens to the bytes.
  const received = Promise.withResolvers<string>()
  await using provider = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      received.resolve(Buffer.from(await request.arrayBuffer()).toString('latin1'))
      return Response.json({ text: '' })
    },
  })
  await plane.register('media', { baseUrl: `${provider.url}v1`, model: 'whisper' })
  const head =
    'Content-Disposition: form-data; name="file"; filename="a "b".webm"\r\nContent-Type: audio/webm;codecs=opus'
  const file = `--q q\r\n${head}\r\n\r\n\x00\xff--q q\r\n--\r\n\r\n`
  const model = '--q q\r\nContent-Disposition: form-data; name="model"\r\n\r\nmedia\r\n'
  const { status } = await plane.call(
    'POST',
    '/v1/audio/transcriptions',
    Buffer.from(`${file}${model}--q q--\r\n`, 'latin1'),
    {
      headers: { 'content-type': 'multipart/form-data; boundary="q q"' },
    },
  )
  expect(status).toBe(200)
  expect(await received.promise).toBe(`${model.replace('media', 'whisper')}${file}--q q--\r\n`)
})

test('registered params stand in a form where it says nothing', async () => {
  await plane.register('media', { params: { language: 'de', temperature: 0.2, responseFormat: 'text' } })
  const form = new FormData()
  form.set('file', new File(['abc'], 'a.wav'))
  form.set('language', 'fr')
  form.append('timestamp_granularities[]', 'word')
  form.append('timestamp_granularities[]', 'segment')
  form.set('model', 'media')
  expect((await plane.call('POST', '/v1/audio/transcriptions', form)).status).toBe(200)
  const sent = lastSeen().body as FormData
  expect(sent.get('language')).toBe('fr')
  expect(sent.get('temperature')).toBe('0.2')
  expect(sent.get('response_format')).toBe('text')
  expect(sent.getAll('timestamp_granularities[]')).toEqual(['word', 'segment'])
})

test('a transcript of another format keeps its type', async () => {
  const model = await providerThat(
    '/audio/transcriptions',
    () => new Response('1\n00:00 hello\n', { headers: { 'content-type': 'text/srt; charset=utf-8' } }),
  )
  const form = new FormData()
  form.set('model', model)
  form.set('file', new File(['abc'], 'a.wav'))
  const answer = await plane.call('POST', '/v1/audio/transcriptions', form)
  expect(answer.headers.get('content-type')).toBe('text/srt; charset=utf-8')
  expect(answer.body).toBe('1\n00:00 hello\n')
})

test.each([
  ['no model', (form: FormData) => form.set('file', new File(['abc'], 'a.wav')), 'model'],
  ['no file', (form: FormData) => form.set('model', 'media'), 'file'],
  [
    'a file that is a text',
    (form: FormData) => {
      form.set('model', 'media')
      form.set('file', 'a.wav')
    },
    'file',
  ],
])('a transcription with %s is refused', async (_what, fill, field) => {
  const form = new FormData()
  fill(form)
  const { status, body } = await plane.call('POST', '/v1/audio/transcriptions', form)
  expect([status, body.error.code]).toEqual([422, 'invalid_request'])
  expect(body.error.message).toStartWith(`${field}:`)
})

test.each([
  ['JSON', { 'content-type': 'application/json' }, '{"model":"media"}'],
  ['a form without its boundary', { 'content-type': 'multipart/form-data' }, 'x'],
  ['a form that is cut', { 'content-type': 'multipart/form-data; boundary=b' }, '--b\r\ncontent-disp'],
])('a transcription as %s is refused', async (_what, headers, body) => {
  const answer = await plane.call('POST', '/v1/audio/transcriptions', body, { headers })
  expect([answer.status, answer.body.error.code]).toEqual([422, 'invalid_request'])
})

test('an upload over the limit is refused before it is read', async () => {
  const { hostname, port, host } = new URL(plane.url)
  const answer = Promise.withResolvers<string>()
  await Bun.connect({
    hostname,
    port: Number(port),
    socket: {
      open: (socket) =>
        void socket.write(
          `POST /v1/audio/transcriptions HTTP/1.1\r\nhost: ${host}\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: 400000000\r\n\r\n--b`,
        ),
      data: (socket, bytes) => {
        answer.resolve(new TextDecoder().decode(bytes))
        socket.end()
      },
    },
  })
  const text = await answer.promise
  expect(text).toStartWith('HTTP/1.1 413')
  expect(text).toContain('payload_too_large')
})

test('the official client speaks', async () => {
  const speech = await openai.audio.speech.create({
    model: 'media',
    input: 'hello',
    voice: 'anna',
    response_format: 'mp3',
  })
  expect(speech.headers.get('content-type')).toBe('audio/mpeg')
  expect(new Uint8Array(await speech.arrayBuffer())).toEqual(new Uint8Array([0x49, 0x44, 0x33, 1, 2, 3]))
  expect(lastSeen().body).toEqual({
    model: 'fake-model',
    input: 'hello',
    voice: 'anna',
    response_format: 'mp3',
  })
})

test.each([{ voice: null }, {}])('a voice of %p is none, or the registered one', async (voice) => {
  const request = { model: 'media', input: 'hello', ...voice }
  await plane.call('POST', '/v1/audio/speech', request)
  expect(lastSeen().body).not.toHaveProperty('voice')
  await plane.register('media', { params: { voice: 'bella' } })
  await plane.call('POST', '/v1/audio/speech', request)
  expect(lastSeen().body).toHaveProperty('voice', 'bella')
})

test('speech without a sound is a 502', async () => {
  const model = await providerThat('/audio/speech', () => new Response(new Uint8Array()))
  const { status, body } = await plane.call('POST', '/v1/audio/speech', { model, input: 'hello' })
  expect([status, body.error.code]).toEqual([502, 'upstream_error'])
  expect(body.error.message).toContain('no audio')
})

test('speech that aborts in the middle is a 502, not half a recording', async () => {
  let sent = false
  const model = await providerThat(
    '/audio/speech',
    () =>
      new Response(
        new ReadableStream({
          pull(out) {
            if (sent) return out.error(new Error('aborted on purpose'))
            sent = true
            out.enqueue(new Uint8Array(100_000))
          },
        }),
        { headers: { 'content-type': 'audio/mpeg' } },
      ),
  )
  const { status, body } = await plane.call('POST', '/v1/audio/speech', { model, input: 'hello' })
  expect([status, body.error.code]).toEqual([502, 'upstream_error'])
})

test('the official client renders, and the provider gets the size and count that were asked for', async () => {
  const answer = await openai.images.generate({
    model: 'media',
    prompt: 'a duck',
    size: '100x100' as never,
    n: 9,
    response_format: 'b64_json',
  })
  expect(answer.data![0]!.b64_json).toStartWith('iVBOR')
  expect(lastSeen().body).toEqual({
    model: 'fake-model',
    prompt: 'a duck',
    size: '100x100',
    n: 9,
    response_format: 'b64_json',
  })
})

test('a slow render is kept alive with spaces in front of its JSON', async () => {
  const rendered = Promise.withResolvers<Response>()
  const model = await providerThat('/images/generations', () => rendered.promise)
  const response = await render(model)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/json')
  const reader = response.body!.getReader()
  const decoder = new TextDecoder()
  expect(decoder.decode((await reader.read()).value)).toMatch(/^ +$/)
  expect(decoder.decode((await reader.read()).value)).toMatch(/^ +$/)
  rendered.resolve(Response.json({ data: [{ b64_json: 'AA==' }] }))
  expect(JSON.parse(await rest(reader))).toEqual({ data: [{ b64_json: 'AA==' }] })
})

test('a slow render that fails is the error envelope in the body', async () => {
  const failed = Promise.withResolvers<Response>()
  const model = await providerThat('/images/generations', () => failed.promise)
  const response = await render(model)
  expect(response.status).toBe(200)
  failed.resolve(Response.json({ error: { message: 'out of memory' } }, { status: 500 }))
  expect(await response.json()).toEqual({
    error: { message: 'out of memory', type: 'server_error', code: 'upstream_error' },
  })
})

test('a render that fails at once keeps its status', async () => {
  const model = await providerThat('/images/generations', () =>
    Response.json({ error: { message: 'no such size' } }, { status: 400 }),
  )
  expect((await render(model)).status).toBe(400)
})

test('a client that leaves a slow render ends it at the provider', async () => {
  const model = await providerThat('/images/generations', async ({ aborted }) => {
    await aborted
    return new Response()
  })
  const leaving = new AbortController()
  const response = await render(model, leaving.signal)
  await response.body!.getReader().read()
  leaving.abort()
  await lastSeen().aborted
})

const render = (model: string, signal?: AbortSignal) =>
  fetch(`${plane.url}/v1/images/generations`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model, prompt: 'a duck' }),
    signal,
  })

async function rest(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text
    text += new TextDecoder().decode(value)
  }
}
