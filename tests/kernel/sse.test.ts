import { expect, test } from 'bun:test'
import { DONE, encodeFrame, eventStream } from '#kernel/http/sse'

const text = (response: Response) => response.text()

test('frames go out in order, with event, id and data', async () => {
  const response = eventStream(async function* () {
    yield encodeFrame({ event: 'run', id: '1', data: { runId: 'r' } })
    yield encodeFrame({ data: 'plain' })
    yield DONE
  })
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  expect(await text(response)).toBe(
    'id: 1\nevent: run\ndata: {"runId":"r"}\n\ndata: plain\n\ndata: [DONE]\n\n',
  )
})

test('silence is filled with comments, and they stop with the stream', async () => {
  const open = Promise.withResolvers<void>()
  const response = eventStream(
    async function* () {
      yield encodeFrame({ data: 1 })
      await open.promise
    },
    { keepaliveMs: 5 },
  )
  const reader = response.body!.getReader()
  const decoder = new TextDecoder()
  let seen = ''
  while (!seen.includes(': keepalive\n\n')) seen += decoder.decode((await reader.read()).value)
  open.resolve()
  while (!(await reader.read()).done);
  expect(seen.startsWith('data: 1\n\n')).toBe(true)
})

test('a client that leaves stops the source', async () => {
  const stopped = Promise.withResolvers<void>()
  const server = Bun.serve({
    port: 0,
    fetch: () =>
      eventStream(async function* (signal) {
        signal.addEventListener('abort', () => stopped.resolve())
        for (;;) {
          yield encodeFrame({ data: 'x'.repeat(1024) })
          await new Promise(setImmediate)
        }
      }),
  })
  const leave = new AbortController()
  const response = await fetch(server.url, { signal: leave.signal })
  await response.body!.getReader().read()
  leave.abort()
  await stopped.promise
  await server.stop(true)
})

test('a slow client holds the source back', async () => {
  let made = 0
  const response = eventStream(async function* () {
    for (; made < 10_000; made++) yield encodeFrame({ data: made })
  })
  const reader = response.body!.getReader()
  await reader.read()
  await new Promise(setImmediate)
  expect(made).toBeLessThan(10)
  await reader.cancel()
})
