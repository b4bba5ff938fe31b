/**
 * A model provider that speaks the real protocol over a socket, for want of a real one: chat (streaming and not),
 * embeddings, transcription, speech and images. What it answers is decided per request by the test.
 */
export interface ChatScript {
  /** Pieces of the answer, one chunk each. */
  deltas?: string[]
  /** Pieces of `reasoning_content`, sent before the answer. */
  reasoning?: string[]
  toolCalls?: { id: string; name: string; arguments: string }[]
  finishReason?: string
  usage?: { prompt_tokens: number; completion_tokens: number; total_tokens: number }
  /** Waited for before chunk `index` is sent: tests hold a stream open with it. */
  before?: (index: number) => Promise<void> | void
  /** Answer this status and body instead. */
  failure?: { status: number; body: unknown }
  /** Cut the connection after this many chunks. */
  breakAfter?: number
  /** Sent as it is instead of chunks that follow the protocol. */
  rawChunks?: string[]
}

export interface SeenRequest {
  path: string
  headers: Record<string, string>
  body: unknown
  /** Fires when the caller leaves before the answer ended. */
  aborted: Promise<void>
}

export type FakeProvider = ReturnType<typeof fakeProvider>

export function fakeProvider() {
  const seen: SeenRequest[] = []
  let script: (body: Record<string, unknown>) => ChatScript = (body) => ({
    deltas: ['You said: ', lastText(body), '.'],
  })

  /** Answers of single paths that a test decides itself. */
  const overrides = new Map<string, (request: SeenRequest) => Response | Promise<Response>>()

  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      const aborted = Promise.withResolvers<void>()
      request.signal.addEventListener('abort', () => aborted.resolve())
      const multipart = request.headers.get('content-type')?.startsWith('multipart/')
      const body = multipart
        ? await request.formData()
        : request.method === 'POST'
          ? await request.json()
          : null
      const arrived = {
        path: pathname,
        headers: Object.fromEntries(request.headers),
        body,
        aborted: aborted.promise,
      }
      seen.push(arrived)
      const override = overrides.get(pathname)
      if (override) return override(arrived)
      switch (pathname) {
        case '/v1/models':
          return Response.json({
            object: 'list',
            data: [{ id: 'fake-model', object: 'model', owned_by: 'fake' }],
          })
        case '/v1/chat/completions':
          return chat(
            body as Record<string, unknown>,
            script(body as Record<string, unknown>),
            aborted.resolve,
          )
        case '/v1/embeddings':
          return embeddings(body as { input: string | string[]; model: string })
        case '/v1/audio/transcriptions':
          return Response.json({ text: 'hello from a recording' })
        case '/v1/audio/speech':
          return new Response(new Uint8Array([0x49, 0x44, 0x33, 1, 2, 3]), {
            headers: { 'content-type': 'audio/mpeg' },
          })
        case '/v1/images/generations':
          return Response.json({ created: 1, data: [{ b64_json: ONE_PIXEL_PNG }] })
        default:
          return Response.json({ error: { message: `no such path ${pathname}` } }, { status: 404 })
      }
    },
  })

  return {
    url: `http://127.0.0.1:${server.port}/v1`,
    seen,
    /** Decides what chats answer from now on. */
    answers(next: ChatScript | ((body: Record<string, unknown>) => ChatScript)) {
      script = typeof next === 'function' ? next : () => next
    },
    /** Answers a path, `/v1/audio/speech`, in the test's own way from now on. */
    on(path: string, answer: (request: SeenRequest) => Response | Promise<Response>) {
      overrides.set(path, answer)
    },
    stop: () => server.stop(true),
    [Symbol.asyncDispose]: async () => server.stop(true),
  }
}

const ONE_PIXEL_PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

function chat(body: Record<string, unknown>, script: ChatScript, gone: () => void): Response {
  if (script.failure) return Response.json(script.failure.body, { status: script.failure.status })
  const id = 'chatcmpl-fake'
  const { deltas = [], reasoning = [], toolCalls, rawChunks } = script
  const finish = script.finishReason ?? (toolCalls ? 'tool_calls' : 'stop')
  const usage = script.usage ?? {
    prompt_tokens: 7,
    completion_tokens: deltas.length,
    total_tokens: 7 + deltas.length,
  }
  const base = { id, created: 1, model: String(body.model) }
  const tool_calls = toolCalls?.map(({ id, name, arguments: args }, index) => ({
    index,
    id,
    type: 'function',
    function: { name, arguments: args },
  }))
  if (!body.stream) {
    const message = {
      role: 'assistant',
      content: toolCalls ? null : deltas.join(''),
      ...(reasoning.length > 0 ? { reasoning_content: reasoning.join('') } : {}),
      ...(tool_calls ? { tool_calls } : {}),
    }
    return Response.json({
      ...base,
      object: 'chat.completion',
      choices: [{ index: 0, message, finish_reason: finish }],
      usage,
    })
  }
  const chunk = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`
  const chunks = rawChunks ?? [
    chunk({ role: 'assistant', content: '' }),
    ...reasoning.map((text) => chunk({ reasoning_content: text })),
    ...deltas.map((text) => chunk({ content: text })),
    ...(tool_calls ? [chunk({ tool_calls })] : []),
    chunk({}, finish),
    `data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', choices: [], usage })}\n\n`,
    'data: [DONE]\n\n',
  ]
  let index = 0
  const encoder = new TextEncoder()
  return new Response(
    new ReadableStream<Uint8Array>({
      async pull(out) {
        await script.before?.(index)
        if (script.breakAfter === index) return out.error(new Error('the provider broke the connection'))
        if (index === chunks.length) return out.close()
        out.enqueue(encoder.encode(chunks[index++]))
      },
      cancel: gone,
    }),
    { headers: { 'content-type': 'text/event-stream' } },
  )
}

function embeddings({ input, model }: { input: string | string[]; model: string }): Response {
  const texts = Array.isArray(input) ? input : [input]
  const data = texts.map((text, index) => ({ object: 'embedding', index, embedding: [text.length, 1, 0.5] }))
  return Response.json({ object: 'list', model, data, usage: { prompt_tokens: 3, total_tokens: 3 } })
}

function lastText(body: Record<string, unknown>): string {
  const messages = body.messages as { content: unknown }[]
  const content = messages.at(-1)?.content
  return typeof content === 'string' ? content : JSON.stringify(content)
}
