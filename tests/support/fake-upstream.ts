/**
 * A provider as the gateway meets one, over a socket: every answer is what the test says, bytes and all. What arrived
 * is kept as it arrived.
 */
interface Arrived {
  method: string
  /** Path and query. */
  path: string
  headers: Record<string, string>
  body: Uint8Array
  /** Resolves when the caller leaves before the answer ended. */
  aborted: Promise<void>
}

export type Answering = (arrived: Arrived, request: Request) => Response | Promise<Response>

export type FakeUpstream = ReturnType<typeof fakeUpstream>

export function fakeUpstream(first: Answering = () => anthropicMessage()) {
  let answer = first
  const seen: Arrived[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    maxRequestBodySize: 2 ** 30,
    async fetch(request) {
      const { pathname, search } = new URL(request.url)
      const aborted = Promise.withResolvers<void>()
      request.signal.addEventListener('abort', () => aborted.resolve())
      const arrived = {
        method: request.method,
        path: pathname + search,
        headers: Object.fromEntries(request.headers),
        body: await request.bytes(),
        aborted: aborted.promise,
      }
      seen.push(arrived)
      return answer(arrived, request)
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    seen,
    last: () => seen.at(-1)!,
    answers(next: Answering) {
      answer = next
    },
    stop: () => server.stop(true),
  }
}

const USAGE = {
  input_tokens: 10,
  cache_creation_input_tokens: 30,
  cache_read_input_tokens: 400,
  cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 10 },
  output_tokens: 25,
}

export const anthropicMessage = (more: object = {}) =>
  Response.json(
    {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-test-1',
      content: [{ type: 'text', text: 'Hello.' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: USAGE,
      ...more,
    },
    { headers: { 'request-id': 'req_upstream' } },
  )

export const sse = (name: string, data: object) =>
  `event: ${name}\ndata: ${JSON.stringify({ type: name, ...data })}\n\n`

/** A stream as the provider sends it: text, a tool call, a ping, an event nobody knows yet. */
export const ANTHROPIC_STREAM = [
  sse('message_start', {
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-test-1',
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...USAGE, output_tokens: 1 },
    },
  }),
  sse('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
  sse('ping', {}),
  sse('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Grüße, "Welt" 🌍' } }),
  sse('content_block_stop', { index: 0 }),
  sse('content_block_start', {
    index: 1,
    content_block: { type: 'tool_use', id: 'toolu_1', name: 'Bash', input: {} },
  }),
  sse('content_block_delta', { index: 1, delta: { type: 'input_json_delta', partial_json: '{"command":' } }),
  sse('content_block_delta', { index: 1, delta: { type: 'input_json_delta', partial_json: '"ls"}' } }),
  sse('content_block_stop', { index: 1 }),
  sse('something_new', { index: 1 }),
  sse('message_delta', {
    delta: { stop_reason: 'tool_use', stop_sequence: null },
    usage: { output_tokens: 25 },
  }),
  sse('message_stop', {}),
].join('')

export const RESPONSES_STREAM = [
  sse('response.created', {
    response: { id: 'resp_1', model: 'gpt-test-1', status: 'in_progress', output: [] },
  }),
  sse('response.output_text.delta', { item_id: 'i', output_index: 0, content_index: 0, delta: 'Hello' }),
  sse('response.output_item.done', {
    output_index: 1,
    item: { type: 'function_call', call_id: 'call_1', name: 'shell', arguments: '{"command":["ls"]}' },
  }),
  sse('response.completed', {
    response: {
      id: 'resp_1',
      model: 'gpt-test-1',
      status: 'completed',
      output: [],
      usage: {
        input_tokens: 100,
        input_tokens_details: { cached_tokens: 60 },
        output_tokens: 20,
        output_tokens_details: { reasoning_tokens: 5 },
        total_tokens: 120,
      },
    },
  }),
].join('')

export const CHAT_STREAM = [
  { role: 'assistant', content: '' },
  { content: 'Hel' },
  { content: 'lo' },
  {
    tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'look', arguments: '{"a"' } }],
  },
  { tool_calls: [{ index: 0, function: { arguments: ':1}' } }] },
]
  .map((delta) => chunk({ choices: [{ index: 0, delta, finish_reason: null }] }))
  .concat(
    chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] }),
    chunk({
      choices: [],
      usage: { prompt_tokens: 50, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 8 } },
    }),
    'data: [DONE]\n\n',
  )
  .join('')

function chunk(more: object): string {
  return `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'gpt-test-1', ...more })}\n\n`
}

/** A stream of these bytes, in pieces. */
export const streamOf = (pieces: (string | Uint8Array)[], headers: Record<string, string> = {}, paceMs = 0) =>
  new Response(
    new ReadableStream<Uint8Array>({
      async start(out) {
        for (const piece of pieces) {
          out.enqueue(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece)
          // Its own packet, as far as the system lets it be.
          await (paceMs > 0 ? Bun.sleep(paceMs) : new Promise((resolve) => setImmediate(resolve)))
        }
        out.close()
      },
    }),
    { headers: { 'content-type': 'text/event-stream', ...headers } },
  )
