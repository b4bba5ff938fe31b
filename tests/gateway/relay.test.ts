import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect, createServer, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import {
  ANTHROPIC_STREAM,
  anthropicMessage,
  CHAT_STREAM,
  fakeUpstream,
  RESPONSES_STREAM,
  streamOf,
} from '../support/fake-upstream'
import { openGateway, type TestGateway, until } from '../support/gateway'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await openGateway()
})
afterAll(() => gateway[Symbol.asyncDispose]())

/** Headers that belong to one connection, or to the moment. */
const OF_THE_HOP = ['date', 'connection', 'keep-alive', 'transfer-encoding', 'content-length']
const endToEnd = (headers: Headers) =>
  Object.fromEntries([...headers].filter(([name]) => !OF_THE_HOP.includes(name)))
const wholeOf = async (response: Response) => ({
  status: response.status,
  headers: endToEnd(response.headers),
  body: Buffer.from(await response.arrayBuffer()).toString('hex'),
})

const FIXTURES: [string, () => Response][] = [
  ['a JSON answer', () => anthropicMessage()],
  ['a stream', () => streamOf([ANTHROPIC_STREAM])],
  ['a stream with CR LF', () => streamOf([ANTHROPIC_STREAM.replaceAll('\n', '\r\n')])],
  [
    'a compressed answer nobody asked for',
    () => new Response(gzipSync('{"a":1}'), { headers: { 'content-encoding': 'gzip' } }),
  ],
  [
    'an overloaded provider, with its own words and headers',
    () =>
      new Response('{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', {
        status: 529,
        headers: {
          'retry-after': '3',
          'x-should-retry': 'true',
          'x-request-id': 'u',
          'x-new-header': 'kept',
        },
      }),
  ],
  ['a redirect', () => new Response(null, { status: 307, headers: { location: 'https://evil.example/' } })],
  ['an answer that is no JSON', () => new Response(new Uint8Array([0, 255, 128, 10, 10]), { status: 418 })],
  [
    'two cookies',
    () => {
      const headers = new Headers()
      headers.append('set-cookie', 'a=1')
      headers.append('set-cookie', 'b=2')
      return new Response('{}', { headers })
    },
  ],
]

test.each(FIXTURES)('%s arrives as it was sent, recorded or not', async (_, answer) => {
  await using plain = await openGateway({ config: null, upstream: gateway.upstream })
  gateway.upstream.answers(answer)
  const sent = {
    method: 'POST',
    body: '{"model":"m","messages":[{"role":"user","content":"hi"}]}',
    headers: { 'accept-encoding': 'identity' },
  }
  const direct = await fetch(`${gateway.upstream.url}/v1/messages`, {
    ...sent,
    redirect: 'manual',
    decompress: false,
  } as RequestInit)
  const expected = await wholeOf(direct)
  expect(await wholeOf(await gateway.send('/v1/messages', sent))).toEqual(expected)
  expect(await wholeOf(await plain.send('/v1/messages', sent))).toEqual(expected)
})

test('a stream split at every byte arrives whole, and its record is the same each time', async () => {
  await using recorded = await openGateway({ config: { record_level: 'full' } })
  const bytes = new TextEncoder().encode(ANTHROPIC_STREAM)
  let at = 0
  recorded.upstream.answers(() => streamOf([bytes.slice(0, at), bytes.slice(at)]))
  const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'hi' }] })
  for (at = 1; at < bytes.length; at++) {
    const answer = await recorded.send('/v1/messages', { method: 'POST', body })
    if ((await answer.text()) !== ANTHROPIC_STREAM) throw new Error(`split at ${at} it arrived otherwise`)
  }
  const told = recorded
    .records()
    .map(({ response, tokens, content }) =>
      JSON.stringify([{ ...response, chunks: 0 }, tokens, content?.response]),
    )
  expect(told).toHaveLength(bytes.length - 1)
  expect([...new Set(told)]).toHaveLength(1)
  expect(recorded.records()[0]).toMatchObject({
    response: { model: 'claude-test-1', stop_reason: 'tool_use', tools_used: [{ name: 'Bash', bytes: 16 }] },
    tokens: {
      input: 10,
      cache_read: 400,
      cache_write_5m: 20,
      cache_write_1h: 10,
      output: 25,
      estimated: false,
    },
    content: { response: [{ text: 'Grüße, "Welt" 🌍' }, { input: '{"command":"ls"}' }] },
  })
}, 60_000)

test('a request arrives with its bytes, its query and its headers, but for what is between the client and us', async () => {
  gateway.upstream.answers(() => Response.json({}))
  const body = new Uint8Array(30 * 2 ** 20).map((_, index) => index % 251)
  await (
    await gateway.send('/v1/messages?beta=true&x=%2F', {
      method: 'POST',
      body,
      headers: {
        authorization: 'Bearer own',
        'x-api-key': 'own-too',
        'anthropic-beta': 'a,b',
        'x-new': 'kept',
        'x-service-secret': 'dropped',
        te: 'trailers',
        'user-agent': 'tool/1',
      },
    })
  ).text()
  const arrived = gateway.upstream.last()
  expect(arrived.path).toBe('/v1/messages?beta=true&x=%2F')
  expect(Buffer.compare(arrived.body, body)).toBe(0)
  expect(arrived.headers).toMatchObject({
    authorization: 'Bearer own',
    'x-api-key': 'own-too',
    'anthropic-beta': 'a,b',
    'x-new': 'kept',
    'user-agent': 'tool/1',
    'accept-encoding': 'identity',
  })
  expect(Object.keys(arrived.headers)).not.toContain('x-service-secret')
  expect(Object.keys(arrived.headers)).not.toContain('te')
})

test('the path picks the provider, and nothing that the client says does', async () => {
  const other = fakeUpstream(() => Response.json({}))
  await using split = await openGateway({ env: { SERVICE_GATEWAY_UPSTREAM_OPENAI_URL: other.url } })
  split.upstream.answers(() => Response.json({}))
  const to = async (path: string, headers: Record<string, string> = {}) => {
    const before = other.seen.length
    await (await split.send(path, { headers })).text()
    return other.seen.length > before ? 'second' : 'first'
  }
  expect(await to('/v1/messages')).toBe('first')
  expect(await to('/v1/responses/x')).toBe('second')
  expect(await to('/v1/chat/completions')).toBe('second')
  expect(await to('/v1/models')).toBe('second')
  expect(await to('/v1/models', { 'anthropic-version': '2023-06-01' })).toBe('first')
  expect(await to('/anything', { 'x-forwarded-host': other.url })).toBe('first')
  expect(await raw(split.port, `GET ${other.url}/v1/x HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`)).toContain('200')
  expect(other.seen.some(({ path }) => path === '/v1/x')).toBe(false)
  await other.stop()
})

test('the gateway answers its own few paths, and HEAD /', async () => {
  const probe = await gateway.send('/', { method: 'HEAD' })
  expect([probe.status, probe.headers.get('x-service-gateway-error')]).toEqual([200, null])
  expect(await (await gateway.send('/healthz')).json()).toEqual({ status: 'ok' })
  const ready = await gateway.send('/readyz')
  expect([ready.status, await ready.json()]).toMatchObject([
    200,
    { status: 'ready', mode: 'personal', config_version: 1 },
  ])
  expect((await (await gateway.send('/admin/org-key')).json()).error.code).toBe('not_found')
})

test.each([
  ['another name', { host: 'rebound.example' }, 403, 'origin_not_allowed'],
  ['a page elsewhere', { origin: 'https://evil.example' }, 403, 'origin_not_allowed'],
  ['a WebSocket', { connection: 'Upgrade', upgrade: 'websocket' }, 426, 'upgrade_required'],
])('%s is refused, and told that a retry does not mend it', async (_, headers, status, code) => {
  const head = Object.entries({ host: '127.0.0.1', connection: 'close', ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')
  const answer = await raw(gateway.port, `GET /v1/messages HTTP/1.1\r\n${head}\r\n`)
  expect(answer).toStartWith(`HTTP/1.1 ${status}`)
  expect(answer.toLowerCase()).toContain(`x-service-gateway-error: ${code}`)
  expect(answer.toLowerCase()).toContain('x-should-retry: false')
  expect(JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1))).toMatchObject({
    type: 'error',
    error: { code },
    request_id: expect.stringMatching(/^gwr_/),
  })
})

test('a body past 64 MiB is refused before it is held', async () => {
  const answer = await gateway.send('/v1/messages', { method: 'POST', body: new Uint8Array(65 * 2 ** 20) })
  expect([answer.status, (await answer.json()).error.code]).toEqual([413, 'payload_too_large'])
})

test('a provider that is not there is 502 at once, one that does not answer 504; neither is a record', async () => {
  await using away = await openGateway({ env: { SERVICE_GATEWAY_UPSTREAM_URL: 'http://127.0.0.1:9' } })
  const refused = await away.send('/v1/messages', { method: 'POST', body: '{}' })
  expect([refused.status, refused.headers.get('retry-after'), refused.headers.get('x-should-retry')]).toEqual(
    [502, '2', null],
  )
  expect((await refused.json()).error.code).toBe('upstream_unreachable')

  await using slow = await openGateway({ times: { headersMs: 50 } })
  slow.upstream.answers(({ aborted }) => aborted.then(() => Response.json({})))
  const late = await slow.send('/v1/messages', { method: 'POST', body: '{}' })
  expect([late.status, late.headers.get('retry-after')]).toEqual([504, '5'])
  expect((await late.json()).error).toMatchObject({ code: 'upstream_timeout', type: 'timeout_error' })
  await slow.upstream.last().aborted
  expect([...away.records(), ...slow.records()]).toEqual([])
})

test('a provider that takes no connection is given up on, one that thinks is not', async () => {
  // Nobody answers in that network (RFC 5737): the connection neither comes nor fails.
  await using lost = await openGateway({
    env: { SERVICE_GATEWAY_UPSTREAM_URL: 'http://192.0.2.1:81' },
    times: { probeAfterMs: 5, connectMs: 60 },
  })
  const answer = await lost.send('/v1/messages', { method: 'POST', body: '{}' })
  expect([answer.status, (await answer.json()).error.code]).toEqual([502, 'upstream_unreachable'])

  await using thinking = await openGateway({ times: { probeAfterMs: 1, connectMs: 40 } })
  thinking.upstream.answers(() => Bun.sleep(150).then(() => Response.json({ ok: true })))
  expect((await thinking.send('/v1/messages', { method: 'POST', body: '{}' })).status).toBe(200)
})

test('when the client leaves, the provider is left too: before the answer and in the middle of it', async () => {
  const held = Promise.withResolvers<void>()
  gateway.upstream.answers(() => held.promise.then(() => Response.json({})))
  const gone = new AbortController()
  const before = gateway.upstream.seen.length
  const asked = gateway
    .send('/v1/messages', { method: 'POST', body: '{}', signal: gone.signal })
    .catch(() => null)
  await until(() => gateway.upstream.seen.length > before)
  gone.abort()
  await asked
  await gateway.upstream.last().aborted
  held.resolve()

  gateway.upstream.answers(
    ({ aborted }) =>
      new Response(
        new ReadableStream({
          async start(out) {
            out.enqueue(new TextEncoder().encode(ANTHROPIC_STREAM.slice(0, 700)))
            await aborted
          },
        }),
        { headers: { 'content-type': 'text/event-stream' } },
      ),
  )
  const midway = new AbortController()
  const answer = await gateway.send('/v1/messages', { method: 'POST', body: '{}', signal: midway.signal })
  await answer.body!.getReader().read()
  midway.abort()
  await gateway.upstream.last().aborted
  const record = await until(() =>
    gateway.records().find(({ response }) => response.ended === 'client_abort' && response.status === 200),
  )
  expect(record.tokens).toMatchObject({ estimated: true, input: 10 })
})

test('a provider that lies about itself is passed on as it is', async () => {
  gateway.upstream.answers(() =>
    Response.json(
      { error: 'no' },
      { status: 401, headers: { 'x-service-gateway-error': 'gateway_key_invalid' } },
    ),
  )
  const spoofed = await gateway.send('/v1/messages', { method: 'POST', body: '{}' })
  expect([spoofed.status, spoofed.headers.get('x-service-gateway-error')]).toEqual([401, null])
  await spoofed.text()

  // A line of a stream that never ends is not held; the client gets all of it.
  const line = 'data: '.padEnd(1024 * 1024, 'x')
  gateway.upstream.answers(() => streamOf(Array.from({ length: 20 }, () => line)))
  const endless = await gateway.send('/v1/messages', { method: 'POST', body: '{}' })
  expect((await endless.bytes()).byteLength).toBe(20 * 1024 * 1024)
  const record = await until(() =>
    gateway.records().find(({ response }) => response.parse_error && response.res_bytes > 1_000),
  )
  expect(record.response).toMatchObject({ ended: 'complete', res_bytes: 20 * 1024 * 1024 })
})

test.each([
  ['promises more bytes than it sends', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort', null],
  [
    'closes in the middle of a chunk',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n50\r\nshort',
    null,
  ],
  ['speaks no HTTP', 'SMTP ready\r\n', 502],
  ['closes without a word', '', 502],
])('a provider that %s ends the answer, and nothing else', async (_, bytes, status) => {
  const server = createServer((socket) => socket.once('data', () => socket.end(bytes)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await using hostile = await openGateway({
    env: { SERVICE_GATEWAY_UPSTREAM_URL: `http://127.0.0.1:${port}` },
  })
  const answer = hostile.send('/v1/messages', { method: 'POST', body: '{}' })
  if (status) expect((await answer).status).toBe(status)
  else {
    const whole = await answer
      .then((response) => response.text())
      .then(
        () => 'whole',
        () => 'cut off',
      )
    expect(whole).toBe('cut off')
    expect((await until(() => hostile.records()[0])).response.ended).toBe('upstream_error')
  }
  expect((await hostile.send('/healthz')).status).toBe(200)
  server.close()
})

test('what a provider sends behind the length it promised is no part of its answer, nor of the next one', async () => {
  const bytes =
    'HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nshortHTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nevil'
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.on('data', () => socket.write(bytes))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await using hostile = await openGateway({
    env: { SERVICE_GATEWAY_UPSTREAM_URL: `http://127.0.0.1:${port}` },
  })
  for (let request = 0; request < 3; request++) {
    const answer = await hostile.send('/v1/messages', { method: 'POST', body: '{}' })
    expect(await answer.text()).toBe('short')
  }
  server.close()
})

test('a provider that never ends its head is given up on: one byte at a time, or as much as it can send', async () => {
  let write: (socket: Socket) => unknown = () => {}
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\n')
      write(socket)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await using hostile = await openGateway({
    env: { SERVICE_GATEWAY_UPSTREAM_URL: `http://127.0.0.1:${port}` },
    times: { headersMs: 300 },
  })
  const ask = async () => {
    const answer = await hostile.send('/v1/messages', { method: 'POST', body: '{}' })
    return [answer.status, (await answer.json()).error.code]
  }
  const closed = Promise.withResolvers<void>()
  write = (socket) => {
    const drip = setInterval(() => socket.write('x'), 5)
    socket.on('close', () => {
      clearInterval(drip)
      closed.resolve()
    })
  }
  expect(await ask()).toEqual([504, 'upstream_timeout'])
  await closed.promise

  let sent = 0
  const flood = Buffer.from(`x-flood: ${'y'.repeat(65_536)}\r\n`)
  write = function pour(socket): void {
    if (socket.destroyed || sent > 256 * 2 ** 20) return
    sent += flood.byteLength
    if (socket.write(flood)) setImmediate(pour, socket)
    else socket.once('drain', () => pour(socket))
  }
  expect([502, 504]).toContain((await ask())[0] as number)
  expect(sent).toBeLessThan(64 * 2 ** 20)
  expect((await hostile.send('/healthz')).status).toBe(200)
  server.close()
})

test('a client that pauses holds the provider back, not our memory', async () => {
  const piece = new Uint8Array(256 * 1024)
  let sent = 0
  gateway.upstream.answers(
    () =>
      new Response(
        new ReadableStream({
          pull(out) {
            if (++sent > 400) return out.close()
            out.enqueue(piece)
          },
        }),
      ),
  )
  const socket = connect(gateway.port, '127.0.0.1')
  socket.write('GET /other HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
  socket.pause()
  await until(() => sent > 3)
  let last = 0
  // It comes to a halt: what is on the way fills the buffers, and no more is asked for.
  await until(async () => {
    last = sent
    await Bun.sleep(100)
    return sent === last
  })
  expect(sent).toBeLessThan(200)
  socket.destroy()
})

test('the official Anthropic client works through it, streaming, not, and in trouble', async () => {
  const client = new Anthropic({ baseURL: gateway.url, apiKey: 'own', maxRetries: 0 })
  const ask = { model: 'claude-x', max_tokens: 10, messages: [{ role: 'user' as const, content: 'hi' }] }
  gateway.upstream.answers(() => anthropicMessage())
  expect((await client.messages.create(ask)).content).toEqual([{ type: 'text', text: 'Hello.' }] as never)
  expect(gateway.upstream.last().headers.authorization).toBe('Bearer own')
  gateway.upstream.answers(() => streamOf([ANTHROPIC_STREAM]))
  const final = await client.messages.stream(ask).finalMessage()
  expect(final.content).toMatchObject([
    { text: 'Grüße, "Welt" 🌍' },
    { name: 'Bash', input: { command: 'ls' } },
  ])
  gateway.upstream.answers(() =>
    Response.json(
      { type: 'error', error: { type: 'rate_limit_error', message: 'Slow down' } },
      { status: 429 },
    ),
  )
  const failure = await client.messages.create(ask).then(
    () => null,
    (error) => error,
  )
  expect([failure?.status, failure?.message]).toEqual([429, expect.stringContaining('Slow down')])
})

test('the official OpenAI client works through it: responses and chat completions', async () => {
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: 'own', maxRetries: 0 })
  gateway.upstream.answers(({ path }) =>
    streamOf([path.startsWith('/v1/chat') ? CHAT_STREAM : RESPONSES_STREAM]),
  )
  const types: string[] = []
  for await (const event of await client.responses.create({ model: 'm', input: 'hi', stream: true }))
    types.push(event.type)
  expect(types.at(-1)).toBe('response.completed')
  let text = ''
  const chat = await client.chat.completions.create({
    model: 'm',
    messages: [{ role: 'user', content: 'hi' }],
    stream: true,
  })
  for await (const part of chat) text += part.choices[0]?.delta.content ?? ''
  expect(text).toBe('Hello')
})

/** Bytes in, bytes out: what `fetch` would not send. */
function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.on('data', (data) => {
      answer += data.toString()
      if (/\r\n\r\n[\s\S]*[}\]]\s*(0\r\n\r\n)?$/.test(answer)) socket.end()
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
  })
}
