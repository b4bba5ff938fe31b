import { declaredCapabilities } from './capabilities'
import type { Engine, Machine, ServerPlan } from './engine'
import { engineEnvironment } from './environment'
import { locate, onPath, type Wanted } from './locate'
import { unavailable, whisperFile } from './weights'

const TIMEOUT_MS = 120_000

const WANTED: Wanted = {
  names: ['whisper-server'],
  override: 'SERVICE_WHISPERCPP_BIN',
  folder: 'whispercpp',
  hint: 'Install whisper.cpp (`brew install whisper-cpp`, or a release from its site).',
}

/** whisper.cpp's own server: recordings to text, from native ggml weights. */
export const whispercpp = (machine: Machine): Engine => ({
  engine: 'llamacpp',
  modality: 'audio.transcription',
  find: async () => locate(WANTED, machine),

  async plan(registration): Promise<ServerPlan> {
    const finding = locate(WANTED, machine)
    if (!finding.ready) throw unavailable(`${finding.reason} ${finding.hint}`)
    const weights = await whisperFile(registration)
    // Without ffmpeg the server reads WAV only, and refuses to start when told to convert.
    const convertIn = onPath('ffmpeg', machine) ? machine.tmpDir : null
    return {
      kind: 'server',
      command: (port) => [...finding.program, ...whisperArguments({ weights, convertIn }, port)],
      env: engineEnvironment(machine),
      healthPath: '/health',
      timeoutMs: TIMEOUT_MS,
    }
  },

  capabilities: async () => declaredCapabilities('audio.transcription'),
})

/** The command line of whisper-server, after the program. `convertIn` is where ffmpeg's output goes. */
export const whisperArguments = (
  { weights, convertIn }: { weights: string; convertIn: string | null },
  port: number,
): string[] => [
  ...['--host', '127.0.0.1', '--port', `${port}`],
  ...['--inference-path', '/v1/audio/transcriptions', '-m', weights],
  ...(convertIn === null ? [] : ['--convert', '--tmp-dir', convertIn]),
]
