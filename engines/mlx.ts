import type { Engine, Finding, Machine, ManagedRegistration, Modality, ServerPlan } from './engine'
import { engineEnvironment } from './environment'
import { locate, onPath, type Wanted } from './locate'
import type { MemoryNeed } from './memory'
import { mlxChat } from './mlx-chat'
import { declaredByConfig } from './mlx-config'
import type { Ask } from './version'
import { mlxBytes, mlxModel, unavailable } from './weights'

export const NOT_A_MAC = {
  ready: false as const,
  reason: 'MLX runs on Macs with Apple silicon only.',
  hint: 'Use llamacpp on this machine.',
}

interface Server extends Wanted {
  /** For `python -m`, where the package is installed and its program is not on the PATH. */
  module: string
  /** Whether the model is named when it starts, or with every request. */
  takesModel: boolean
  healthPath: string
  timeoutMs: number
}

const MAC = 'Only on a Mac with Apple silicon:'
const SERVERS: Record<'chat' | 'vision' | 'audio.speech', Server> = {
  chat: {
    names: ['mlx_lm.server'],
    module: 'mlx_lm.server',
    override: null,
    folder: 'mlx',
    hint: `${MAC} \`pip install mlx-lm\`.`,
    takesModel: true,
    healthPath: '/health',
    timeoutMs: 180_000,
  },
  vision: {
    names: ['mlx_vlm.server'],
    module: 'mlx_vlm.server',
    override: null,
    folder: 'mlx',
    hint: `${MAC} \`pip install mlx-vlm\`.`,
    takesModel: true,
    healthPath: '/health',
    timeoutMs: 180_000,
  },
  'audio.speech': {
    names: ['mlx_audio.server'],
    module: 'mlx_audio.server',
    override: 'SERVICE_MLX_AUDIO_BIN',
    folder: 'mlx',
    hint: `${MAC} \`pip install mlx-audio\`.`,
    takesModel: false,
    healthPath: '/v1/models',
    timeoutMs: 120_000,
  },
}

/** The servers of the MLX packages: chat, pictures and speech on Apple machines. */
export function mlx(modality: keyof typeof SERVERS, machine: Machine, ask: Ask): Engine {
  const server = SERVERS[modality]
  const find = () => findServer(server, machine, ask)
  return {
    engine: 'mlx',
    modality,
    find,

    async plan(registration): Promise<ServerPlan> {
      const finding = await find()
      if (!finding.ready) throw unavailable(`${finding.reason} ${finding.hint}`)
      const model = await mlxModel(registration)
      return {
        kind: 'server',
        command: (port) => [...finding.program, ...mlxArguments(server.takesModel ? model : null, port)],
        env: engineEnvironment(machine, { hub: registration.source !== 'local-path' }),
        healthPath: server.healthPath,
        timeoutMs: server.timeoutMs,
        memory: await mlxNeed(registration, model),
        ...(modality === 'audio.speech' ? {} : { dialect: mlxChat }),
      }
    },

    capabilities: (registration) => declaredByConfig(registration, modality as Modality, machine),
  }
}

/** Weights that the hub sends are as large as they are. */
const mlxNeed = async ({ source }: ManagedRegistration, folder: string): Promise<MemoryNeed | undefined> =>
  source === 'local-path' ? { weightsBytes: await mlxBytes(folder), contextBytes: 0 } : undefined

/** The command line of an MLX server, after the program. */
export const mlxArguments = (model: string | null, port: number): string[] => [
  ...(model === null ? [] : ['--model', model]),
  ...['--host', '127.0.0.1', '--port', `${port}`],
]

async function findServer(server: Server, machine: Machine, ask: Ask): Promise<Finding> {
  // An override names a program that its user answers for, whatever the machine.
  const overridden = server.override !== null && machine.overrides[server.override] !== undefined
  if (!overridden && !isAppleSilicon(machine)) return { ...NOT_A_MAC, hint: server.hint }
  const finding = locate(server, machine)
  if (finding.ready || overridden) return finding
  const python = onPath('python3', machine)
  const [module = ''] = server.module.split('.')
  if (python === null || (await ask(python, ['-c', `import ${module}`])) === null) return finding
  return { ready: true, path: python, program: [python, '-m', server.module], version: null }
}

export const isAppleSilicon = ({ platform, arch }: Machine): boolean =>
  platform === 'darwin' && arch === 'arm64'
