import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import OpenAI from 'openai'
import { until } from '../engines/machine'
import { type FakeEvent, type FakeName, fakeEngine, journalOf, type Misbehaviour } from './fake-engine'
import { type InferencePlane, openInferencePlane } from './inference-plane'

interface Options {
  /** Which programs the machine has, and how they misbehave. */
  engines?: Partial<Record<FakeName, Misbehaviour>>
  /** Streams stop after their first piece, until `letGoOn`. */
  held?: boolean
  now?: () => number
  keepaliveMs?: number
  progressMs?: number
  memoryBytes?: number
  reapMs?: number
  answerWithinMs?: number
  maxResident?: number
  /** A Mac with Apple silicon: MLX runs there only. */
  apple?: boolean
  /** A state folder to start over with. */
  folder?: string
}

const VARIABLES: Partial<Record<FakeName, string>> = {
  'llama-server': 'SERVICE_LLAMACPP_BIN',
  'whisper-server': 'SERVICE_WHISPERCPP_BIN',
  'sd-cli': 'SERVICE_SDCPP_BIN',
  'mlx_audio.server': 'SERVICE_MLX_AUDIO_BIN',
  'mflux-generate': 'SERVICE_MFLUX_BIN',
}

/** An inference plane on a machine with engines: programs of the tests, started and served as real ones are. */
export async function openEnginePlane({
  engines = { 'llama-server': {} },
  held = false,
  apple = false,
  folder: home,
  maxResident,
  ...options
}: Options = {}) {
  const folder = home ?? mkdtempSync(join(tmpdir(), 'tycho-engine-plane-'))
  const journal = join(folder, 'journal')
  const hold = join(folder, 'go-on')
  const weights = join(folder, 'weights.gguf')
  writeFileSync(weights, '')
  const bin = join(folder, 'bin')
  mkdirSync(bin, { recursive: true })
  const programs = Object.entries(engines).map(([name, misbehaviour]) => [
    // A program without a variable is found on the PATH.
    VARIABLES[name as FakeName] ?? name,
    fakeEngine(bin, name as FakeName, { journal, ...(held ? { holdUntil: hold } : {}), ...misbehaviour }),
  ])
  const plane: InferencePlane = await openInferencePlane({
    dir: join(folder, 'state'),
    env: {
      SERVICE_MAX_RESIDENT: maxResident,
      HF_HOME: undefined,
      ...(Object.fromEntries(programs) as Record<string, string>),
    },
    environment: { PATH: apple ? `${bin}:/usr/bin:/bin` : '/usr/bin:/bin', HOME: folder },
    ...(apple ? { platform: 'darwin', arch: 'arm64' } : {}),
    ...options,
  })
  const world = {
    ...plane,
    folder,
    weights,
    openai: new OpenAI({ baseURL: `${plane.url}/v1`, apiKey: 'unused', maxRetries: 0 }),
    letGoOn: () => writeFileSync(hold, ''),
    events: (): Promise<FakeEvent[]> => journalOf(journal),
    count: async (event: FakeEvent['event']): Promise<number> =>
      (await journalOf(journal)).filter((one) => one.event === event).length,
    /** How a model stands. */
    state: async (id: string) => (await plane.call('GET', `/admin/models/${id}`)).body.state,
    /** Registers a model of this machine. */
    async local(id: string, more: Record<string, unknown> = {}) {
      const { status, body } = await plane.call('PUT', `/admin/models/${id}`, {
        binding: 'llamacpp',
        source: 'local-path',
        model: weights,
        ...more,
      })
      if (status !== 200) throw new Error(`the model was not registered: ${JSON.stringify(body)}`)
    },
    chat: (id: string, more: Record<string, unknown> = {}, signal?: AbortSignal) =>
      plane.call(
        'POST',
        '/v1/chat/completions',
        { model: id, messages: [{ role: 'user', content: 'Hi' }], ...more },
        { signal },
      ),
    /** A streamed chat, open after its first piece. */
    async openStream(id: string, signal?: AbortSignal) {
      const response = await fetch(`${plane.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: id, messages: [], stream: true }),
        signal,
      })
      const reader = response.body!.getReader()
      const decoder = new TextDecoder()
      let first = ''
      // A comment may come before it.
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        first += decoder.decode(next.value, { stream: true })
        if (first.includes('data: ')) break
      }
      return {
        response,
        async rest(): Promise<string> {
          let text = first
          for (let next = await reader.read(); !next.done; next = await reader.read()) {
            text += decoder.decode(next.value, { stream: true })
          }
          return text
        },
      }
    },
    inflight: (id: string, count: number) => until(async () => (await world.state(id)).inflight === count),
    async [Symbol.asyncDispose]() {
      if (held) writeFileSync(hold, '')
      await plane[Symbol.asyncDispose]()
      if (!home) rmSync(folder, { recursive: true, force: true })
    },
  }
  return world
}
