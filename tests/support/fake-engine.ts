import { appendFileSync, chmodSync, existsSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { type MlxRequest, mlxAnswer } from './fake-mlx'

/**
 * Stands in for `llama-server`, `whisper-server`, `sd-cli` and the MLX programs: a real program with their command
 * lines (an unknown flag ends it, as it would end them) and their protocol, that misbehaves when it is told to.
 */
export type FakeName =
  | 'llama-server'
  | 'whisper-server'
  | 'sd-cli'
  | 'mlx_lm.server'
  | 'mlx_audio.server'
  | 'mflux-generate'

export interface Misbehaviour {
  /** Listens only after so long. */
  startMs?: number
  /** Answers health checks with 503 for so long. */
  loadingMs?: number
  /** Answers health checks with 503 until this file is there. */
  loadUntil?: string
  /** Writes this and ends before it listens. */
  crashOnLoad?: string
  /** Ends in the middle of a streamed answer. */
  crashAfterChunks?: number
  /** Milliseconds between two pieces of a streamed answer, or before a transcript. */
  paceMs?: number
  ignoreSigterm?: boolean
  /** Takes connections and never answers. */
  hang?: boolean
  /** Answers with bytes that are no HTTP. */
  garbage?: boolean
  /** Starts a process of its own, which does not care about SIGTERM. */
  child?: boolean
  /** Writes so many lines before it listens. */
  chatter?: number
  /** Waits with the rest of a streamed answer until this file is there. */
  holdUntil?: string
  /** Takes requests and never answers, but is healthy. */
  hangOnRequest?: boolean
  /** Ends in the middle of a request. */
  crashOnRequest?: string
  /** What its model writes, special tokens and all (`mlx_lm.server`). */
  writes?: string
  /** Ends as the context does, in the middle of what the model writes (`mlx_lm.server`). */
  cut?: boolean
  /** File that gets a line for every start, request and end. */
  journal?: string
  /** File that gets the command line, the environment and the process ids. */
  record?: string
}

/** A line of the journal. */
export interface FakeEvent {
  event: 'start' | 'request' | 'left' | 'end'
  pid: number
  args?: string[]
  path?: string
  headers?: Record<string, string>
  body?: unknown
}

export interface Recorded {
  args: string[]
  env: Record<string, string>
  pid: number
  childPid: number | null
}

/** Puts the program under its real name into a folder and returns its path. */
export function fakeEngine(folder: string, name: FakeName, misbehaviour: Misbehaviour = {}): string {
  const path = join(folder, name)
  const settings = JSON.stringify(misbehaviour).replaceAll("'", "'\\''")
  // An engine's environment is made for it, so what the fake is told travels in the script.
  const command = `FAKE_ENGINE='${settings}' exec "${process.execPath}" "${import.meta.path}" ${name} "$@"`
  writeFileSync(path, `#!/bin/sh\n${command}\n`)
  chmodSync(path, 0o755)
  return path
}

export const journalOf = async (path: string): Promise<FakeEvent[]> =>
  (await Bun.file(path).exists())
    ? (await Bun.file(path).text())
        .split('\n')
        // After the last line's end there is nothing, or a line that is being written.
        .slice(0, -1)
        .map((line) => JSON.parse(line) as FakeEvent)
    : []

export const recorded = async (path: string): Promise<Recorded> => (await Bun.file(path).json()) as Recorded

/** How many values each flag takes. */
const FLAGS: Record<FakeName, Record<string, 0 | 1>> = {
  'llama-server': {
    ...{ '--host': 1, '--port': 1, '-m': 1, '-hf': 1, '-mu': 1, '-c': 1, '-np': 1, '-b': 1, '-ub': 1 },
    ...{ '--embeddings': 0, '--pooling': 1, '--mmproj': 1, '--mmproj-auto': 0, '--version': 0 },
  },
  'whisper-server': {
    ...{ '--host': 1, '--port': 1, '--inference-path': 1, '-m': 1, '--convert': 0, '--tmp-dir': 1 },
  },
  'sd-cli': {
    ...{ '-m': 1, '-p': 1, '-o': 1, '--steps': 1, '-W': 1, '-H': 1, '--seed': 1 },
    ...{ '--cfg-scale': 1, '--sampling-method': 1 },
  },
  'mlx_lm.server': { '--model': 1, '--host': 1, '--port': 1 },
  'mlx_audio.server': { '--host': 1, '--port': 1 },
  'mflux-generate': {
    ...{
      '--model': 1,
      '-q': 1,
      '--steps': 1,
      '--width': 1,
      '--height': 1,
      '--prompt': 1,
      '--output': 1,
      '--seed': 1,
    },
  },
}

async function main(name: FakeName, args: string[]) {
  const told: Misbehaviour = JSON.parse(process.env.FAKE_ENGINE ?? '{}')
  const flags = parse(name, args)
  if (flags.has('--version')) {
    say('version: 6122 (50aa938)')
    process.exit(0)
  }
  if (told.ignoreSigterm) process.on('SIGTERM', () => say('not now'))
  const sleeper = ['sh', '-c', "trap '' TERM; while :; do sleep 1; done"]
  const child = told.child ? Bun.spawn(sleeper, { stdin: 'ignore', stdout: 'inherit' }) : null
  if (told.record) {
    const facts = { args, env: process.env, pid: process.pid, childPid: child?.pid ?? null }
    writeFileSync(told.record, JSON.stringify(facts))
  }
  note(told, { event: 'start', args })
  for (let line = 0; line < (told.chatter ?? 0); line++) say(`line ${line} ${'.'.repeat(60)}`)
  if (told.crashOnLoad) fail(told.crashOnLoad)
  const weights = flags.get('-m')
  if (weights !== undefined && !existsSync(weights)) fail(`error loading model: failed to open ${weights}`)
  if (told.startMs) await Bun.sleep(told.startMs)
  const output = flags.get('-o') ?? flags.get('--output')
  if (output !== undefined) {
    writeFileSync(output, PNG)
    return note(told, { event: 'end' })
  }
  serve(name, flags, told)
}

function parse(name: FakeName, args: string[]): Map<string, string> {
  const flags = new Map<string, string>()
  for (let at = 0; at < args.length; at++) {
    const flag = args[at]!
    const values = FLAGS[name][flag]
    if (values === undefined) fail(`error: invalid argument: ${flag}`)
    flags.set(flag, values === 1 ? (args[++at] ?? fail(`error: ${flag} needs a value`)) : '')
  }
  return flags
}

function serve(name: FakeName, flags: Map<string, string>, told: Misbehaviour) {
  const hostname = flags.get('--host')!
  const port = Number(flags.get('--port'))
  if (told.garbage) {
    const socket = { open: (socket: Bun.Socket) => void socket.end('\x00\xffnot http at all\n'), data() {} }
    return void Bun.listen({ hostname, port, socket })
  }
  const readyAt = Date.now() + (told.loadingMs ?? 0)
  try {
    Bun.serve({
      hostname,
      port,
      idleTimeout: 0,
      development: false,
      fetch: (request) => {
        if (told.hang) return new Promise<Response>(() => {})
        if (Date.now() < readyAt || (told.loadUntil && !existsSync(told.loadUntil)))
          return failure(503, 'Loading model')
        return answer(request, name, flags, told)
      },
    })
  } catch {
    fail(`couldn't bind HTTP server socket, hostname: ${hostname}, port: ${port}`)
  }
}

async function answer(
  request: Request,
  name: FakeName,
  flags: Map<string, string>,
  told: Misbehaviour,
): Promise<Response> {
  const { pathname } = new URL(request.url)
  if (pathname.startsWith('/v1/') && request.method === 'POST') {
    const isForm = request.headers.get('content-type')?.startsWith('multipart/') === true
    const body = isForm
      ? [...(await request.clone().formData()).keys()]
      : JSON.parse((await request.clone().text()) || 'null')
    note(told, { event: 'request', path: pathname, headers: Object.fromEntries(request.headers), body })
    request.signal.addEventListener('abort', () => note(told, { event: 'left' }))
    if (told.hangOnRequest) return new Promise<Response>(() => {})
    if (told.crashOnRequest) fail(told.crashOnRequest)
  }
  if (pathname === flags.get('--inference-path')) return transcript(told)
  switch (pathname) {
    case '/health':
      // mlx-audio has none, so nobody must wait for it.
      return name === 'mlx_audio.server' ? failure(404, 'no such path') : Response.json({ status: 'ok' })
    case '/v1/models':
      return Response.json({ object: 'list', data: [] })
    case '/props':
      return Response.json({
        default_generation_settings: { n_ctx: Number(flags.get('-c')) },
        chat_template: '{{ messages }}<think>',
        modalities: { vision: flags.has('--mmproj') },
      })
    case '/v1/chat/completions':
      return chatOf(name)((await request.json()) as MlxRequest, told)
    case '/v1/embeddings':
      return flags.has('--embeddings')
        ? embeddings(await request.json())
        : failure(501, 'not with --embeddings')
    case '/v1/audio/speech':
      return new Response(new Uint8Array([0x52, 0x49, 0x46, 0x46]), {
        headers: { 'content-type': 'audio/wav' },
      })
    default:
      return failure(404, 'no such path')
  }
}

async function transcript({ paceMs = 0 }: Misbehaviour): Promise<Response> {
  await Bun.sleep(paceMs)
  return Response.json({ text: 'Hello from a fake.\n' })
}

function embeddings({ input }: { input: string | string[] }): Response {
  // Base64 of little-endian floats is what official clients ask for; plain numbers are read just as well.
  const data = [input].flat().map((text, index) => ({
    object: 'embedding',
    index,
    embedding: [text.length, 1],
  }))
  return Response.json({ object: 'list', model: 'fake', data, usage: { prompt_tokens: 1, total_tokens: 1 } })
}

const chatOf = (name: FakeName) => (name === 'mlx_lm.server' ? mlxAnswer : chat)

const WORDS = ['Hello', ' from', ' a', ' fake', '.']

function chat({ stream }: { stream?: boolean }, told: Misbehaviour): Response {
  const { crashAfterChunks, paceMs = 0, holdUntil } = told
  if (!stream) {
    const message = { role: 'assistant', content: WORDS.join('') }
    return Response.json({
      object: 'chat.completion',
      model: 'the-name-of-the-engine',
      choices: [{ index: 0, message, finish_reason: 'stop' }],
    })
  }
  const frame = (delta: object, finish_reason: string | null) =>
    `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`
  async function* frames() {
    for (const [index, content] of WORDS.entries()) {
      if (index === crashAfterChunks) fail('ggml_abort: out of memory')
      yield frame({ content }, null)
      await Bun.sleep(paceMs)
      while (holdUntil && !existsSync(holdUntil)) await Bun.sleep(5)
    }
    yield `${frame({}, 'stop')}data: [DONE]\n\n`
  }
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      for await (const text of frames()) controller.enqueue(encoder.encode(text))
      controller.close()
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

const failure = (code: number, message: string) =>
  Response.json({ error: { code, message, type: 'unavailable_error' } }, { status: code })

function note({ journal }: Misbehaviour, event: Omit<FakeEvent, 'pid'>) {
  if (journal) appendFileSync(journal, `${JSON.stringify({ ...event, pid: process.pid })}\n`)
}

/** At once: what is written just before the end must arrive. */
const say = (line: string) => void writeSync(2, `${line}\n`)

function fail(message: string): never {
  say(message)
  process.exit(1)
}

/** One pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

if (import.meta.main) await main(Bun.argv[2] as FakeName, Bun.argv.slice(3))
