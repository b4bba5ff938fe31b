import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { inferenceClient } from '../../src/control/inference'

/** A server that answers with these bytes, cut where the test wants them cut. */
let pieces: Uint8Array[] = []
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  fetch: () =>
    new Response(
      (async function* () {
        for (const piece of pieces) {
          yield piece
          // Lets the piece go out on its own.
          await new Promise((resolve) => setImmediate(resolve))
        }
      })() as unknown as BodyInit,
      { headers: { 'content-type': 'text/event-stream; charset=utf-8' } },
    ),
})
const inference = inferenceClient({ url: `http://127.0.0.1:${server.port}/v1` })
beforeAll(() => server.unref())
afterAll(() => server.stop(true))

const delta = (content: string) => JSON.stringify({ choices: [{ index: 0, delta: { content } }] })

async function told(text: string, cuts: number[]): Promise<unknown[]> {
  const bytes = new TextEncoder().encode(text)
  const at = [0, ...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length]
  pieces = at.slice(1).map((end, index) => bytes.slice(at[index], end))
  const { signal } = new AbortController()
  const batches = await Array.fromAsync(
    await inference.chat({ model: 'm', messages: [] }, { runId: 'r', signal }),
  )
  return batches.flat().flatMap(({ choices }) => choices?.map((choice) => choice.delta?.content) ?? [])
}

const STREAM = [
  ': hello\n\n',
  `data: ${delta('Grüße')}\n\n`,
  `data: ${delta('🙂 “yes”')}\r\n\r\n`,
  `event: message\nid: 7\ndata: ${delta('\n\n')}\n\n`,
  'data: {"choices":[],"usage":{"prompt_tokens":1}}\n\n',
  'data: [DONE]\n\n',
].join('')
const WORDS = ['Grüße', '🙂 “yes”', '\n\n']

test('the chunks of a stream are the same wherever the network cuts it', async () => {
  const { length } = new TextEncoder().encode(STREAM)
  for (let cut = 1; cut < length; cut++) expect(await told(STREAM, [cut])).toEqual(WORDS)
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 1, max: length - 1 }), { maxLength: 20 }), async (cuts) => {
      expect(await told(STREAM, cuts)).toEqual(WORDS)
    }),
    { numRuns: 50 },
  )
})

test('a load that an answer waited for is told before its first words', async () => {
  const waited = ': loading m, 3 s\n\n: waited 3210 ms for a model to load\n\n'
  pieces = [new TextEncoder().encode(waited), new TextEncoder().encode(STREAM)]
  const { signal } = new AbortController()
  const batches = await Array.fromAsync(
    await inference.chat({ model: 'm', messages: [] }, { runId: 'r', signal }),
  )
  expect(batches.flat()[0]).toEqual({ load_ms: 3210 })
  expect(batches.flat().filter((chunk) => 'load_ms' in chunk)).toHaveLength(1)
})

test('what comes after the end is not looked at', async () => {
  expect(await told(`${STREAM}data: not JSON\n\n`, [])).toEqual(WORDS)
})

test('an event that never ends is given up, not held', async () => {
  pieces = [new TextEncoder().encode('data: '), ...Array(20).fill(new Uint8Array(1024 * 1024).fill(0x61))]
  const { signal } = new AbortController()
  const stream = await inference.chat({ model: 'm', messages: [] }, { runId: 'r', signal })
  await expect(Array.fromAsync(stream)).rejects.toMatchObject({
    code: 'upstream_error',
    message: expect.stringMatching('one event is larger'),
  })
})
