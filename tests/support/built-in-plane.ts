import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import OpenAI from 'openai'
import { openInferencePlane } from './inference-plane'
import { makeParrot } from './make-tiny-gguf'
import { makeTinyWhisper } from './make-tiny-whisper'
import { FROM_SOURCE } from './process'

interface Options {
  maxResident?: number
}

/** Our own program as the host of its engines. */
export const ENGINE_HOST = [...FROM_SOURCE, 'engine-host']

/** An inference plane on a machine that has no engine but those of Tycho itself, and models small enough to be made. */
export async function openBuiltInPlane({ maxResident }: Options = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'tycho-built-in-'))
  const weights = { parrot: join(folder, 'parrot.gguf'), whisper: join(folder, 'ggml-tiny.bin') }
  makeParrot(weights.parrot)
  makeTinyWhisper(weights.whisper)
  const plane = await openInferencePlane({
    dir: join(folder, 'state'),
    env: { SERVICE_MAX_RESIDENT: maxResident, HF_HOME: undefined },
    environment: { PATH: '/nowhere', HOME: folder },
    engineHost: ENGINE_HOST,
    // More of them wait for one another on a busy machine.
    threads: 1,
  })
  const world = {
    ...plane,
    folder,
    weights,
    openai: new OpenAI({ baseURL: `${plane.url}/v1`, apiKey: 'unused', maxRetries: 0 }),
    async local(id: string, more: Record<string, unknown> = {}) {
      const { status, body } = await plane.call('PUT', `/admin/models/${id}`, {
        binding: 'llamacpp',
        source: 'local-path',
        model: weights.parrot,
        ...more,
      })
      if (status !== 200) throw new Error(`the model was not registered: ${JSON.stringify(body)}`)
    },
    /** How a model stands. */
    state: async (id: string) => (await plane.call('GET', `/admin/models/${id}`)).body.state,
    /** The process that serves a model. */
    async engine(id: string): Promise<number> {
      const { port } = new URL((await world.state(id)).baseUrl)
      const { stdout } = Bun.spawnSync(['pgrep', '-f', `engine-host \\S+ .*--port ${port}`])
      // The guard comes first, and has the engine's command line in its own.
      return Number(stdout.toString().trim().split('\n').at(-1))
    },
    /** The engine's own view of the requests in it. */
    async load(id: string): Promise<{ busy: number; waiting: number }> {
      const { origin } = new URL((await world.state(id)).baseUrl)
      return ((await (await fetch(`${origin}/props`)).json()) as { slots: { busy: number; waiting: number } })
        .slots
    },
    async [Symbol.asyncDispose]() {
      await plane[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return world
}

/** A recording: a tone of so many seconds, as a WAV file of 16-bit samples. */
export function toneWav({ seconds = 1, rate = 16_000, channels = 1 } = {}): Uint8Array<ArrayBuffer> {
  const samples = seconds * rate * channels
  const file = Buffer.alloc(44 + samples * 2)
  file.write('RIFF', 0)
  file.writeUInt32LE(36 + samples * 2, 4)
  file.write('WAVEfmt ', 8)
  file.writeUInt32LE(16, 16)
  file.writeUInt16LE(1, 20)
  file.writeUInt16LE(channels, 22)
  file.writeUInt32LE(rate, 24)
  file.writeUInt32LE(rate * channels * 2, 28)
  file.writeUInt16LE(channels * 2, 32)
  file.writeUInt16LE(16, 34)
  file.write('data', 36)
  file.writeUInt32LE(samples * 2, 40)
  for (let at = 0; at < samples; at++) {
    file.writeInt16LE(Math.round(Math.sin((at / channels / rate) * 440 * 2 * Math.PI) * 8_000), 44 + at * 2)
  }
  return new Uint8Array(file)
}
