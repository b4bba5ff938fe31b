import { builtInBuild, locateOrBuiltIn } from './built-in'
import { declaredCapabilities } from './capabilities'
import type { Engine, Machine, ServerPlan } from './engine'
import { engineEnvironment } from './environment'
import { onPath, type Wanted } from './locate'
import type { Ask } from './version'
import { unavailable, weightBytes, whisperFile } from './weights'

const TIMEOUT_MS = 120_000

const WANTED: Wanted = {
  names: ['whisper-server'],
  override: 'SERVICE_WHISPERCPP_BIN',
  folder: 'whispercpp',
  hint: 'Install whisper.cpp (`brew install whisper-cpp`, or a release from its site).',
}

/** whisper.cpp's own server: recordings to text, from native ggml weights. */
export const whispercpp = (machine: Machine, ask: Ask): Engine => ({
  engine: 'llamacpp',
  modality: 'audio.transcription',
  find: async () => locateOrBuiltIn(WANTED, 'whispercpp', machine),

  async build() {
    const finding = locateOrBuiltIn(WANTED, 'whispercpp', machine)
    return finding.ready && finding.builtIn ? await builtInBuild(finding, machine, ask) : null
  },

  async plan(registration): Promise<ServerPlan> {
    const finding = locateOrBuiltIn(WANTED, 'whispercpp', machine)
    if (!finding.ready) throw unavailable(`${finding.reason} ${finding.hint}`)
    const weights = await whisperFile(registration)
    const ffmpeg = onPath('ffmpeg', machine)
    // Without ffmpeg the server reads WAV only, and refuses to start when told to convert.
    const convertIn = ffmpeg ? machine.tmpDir : null
    return {
      kind: 'server',
      command: (port) => [
        ...finding.program,
        ...(finding.builtIn
          ? builtInArguments({ weights, ffmpeg, machine }, port)
          : whisperArguments({ weights, convertIn }, port)),
      ],
      env: engineEnvironment(machine),
      healthPath: '/health',
      timeoutMs: TIMEOUT_MS,
      memory: { weightsBytes: await weightBytes(weights), contextBytes: 0 },
      keepsConnections: finding.builtIn,
    }
  },

  capabilities: async () => declaredCapabilities('audio.transcription'),
})

interface BuiltInOptions {
  weights: string
  ffmpeg: string | null
  machine: Pick<Machine, 'threads' | 'builtIn'>
}

/** The command line of `tycho engine-host whispercpp`, after that. */
const builtInArguments = ({ weights, ffmpeg, machine }: BuiltInOptions, port: number): string[] => [
  ...['--model', weights, '--port', `${port}`, '--threads', `${machine.threads ?? 1}`],
  ...['--natives', machine.builtIn?.nativesDir ?? ''],
  ...(ffmpeg === null ? [] : ['--ffmpeg', ffmpeg]),
]

/** The command line of whisper-server, after the program. `convertIn` is where ffmpeg's output goes. */
export const whisperArguments = (
  { weights, convertIn }: { weights: string; convertIn: string | null },
  port: number,
): string[] => [
  ...['--host', '127.0.0.1', '--port', `${port}`],
  ...['--inference-path', '/v1/audio/transcriptions', '-m', weights],
  ...(convertIn === null ? [] : ['--convert', '--tmp-dir', convertIn]),
]
