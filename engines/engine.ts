import type { ChatDialect } from './dialect'
import type { MemoryNeed } from './memory'

/** What the inference plane calls an engine; which program that is depends on the modality. */
export type EngineName = 'llamacpp' | 'mlx'
export type Modality =
  | 'chat'
  | 'vision'
  | 'embeddings'
  | 'audio.transcription'
  | 'audio.speech'
  | 'images.generation'

/** The part of a registration that an engine is started with. */
export interface ManagedRegistration {
  binding: EngineName
  source: 'hf' | 'local-path' | 'url'
  model: string
  modality: Modality
  params: Record<string, unknown>
  lifecycle: { keepWarm: boolean; idleTimeoutSec: number; priority: number }
}

export interface Capabilities {
  toolCalling: boolean
  structuredOutput: boolean
  vision: boolean
  reasoning: boolean
  maxContext: number | null
  modalities: Modality[]
  /** Not measured: `false` and `null` above may mean unknown. */
  approximate: boolean
}

/** Whether an engine's program is on this machine, and how a person gets it. */
export type Finding =
  | { ready: true; path: string; program: readonly string[]; version: string | null; builtIn?: boolean }
  | { ready: false; reason: string; hint: string }

/** `memory` is left out where nobody can tell, as with weights that an engine fetches itself. */
export type Plan = ServerPlan | RenderPlan

/** A server that holds the weights in memory for as long as it runs. */
export interface ServerPlan {
  kind: 'server'
  command(port: number): string[]
  env: Record<string, string>
  healthPath: string
  timeoutMs: number
  memory?: MemoryNeed
  /** It never closes a connection that is idle, so that the next request may come on the same one. */
  keepsConnections?: boolean
  /** Where its chats are not quite what clients expect. */
  dialect?: ChatDialect
}

/** A program that is run once for every picture, and loads the weights each time. */
export interface RenderPlan {
  kind: 'render'
  command(render: Render): string[]
  env: Record<string, string>
  timeoutMs: number
  /** While a picture is made; room for it is kept. */
  memory?: MemoryNeed
  defaultSteps: number
}

export interface Render {
  prompt: string
  width: number
  height: number
  steps: number
  /** The same one makes the same picture; `null` for another each time. */
  seed: number | null
  /** The file that it writes, a PNG. */
  output: string
}

/** One way to serve one modality. Exactly these pairs exist, and none stands in for another. */
export interface Engine {
  readonly engine: EngineName
  readonly modality: Modality
  find(): Promise<Finding>
  /** Its version in full, where that takes a moment to find out. */
  build?(): Promise<string | null>
  /** Checks program and weights and says how to start it. @throws {AppError} `engine_unavailable`, `incomplete_weights` */
  plan(registration: ManagedRegistration): Promise<Plan>
  /** What the model can do, asked of the running engine where there is one to ask. */
  capabilities(
    registration: ManagedRegistration,
    baseUrl: string | null,
    signal: AbortSignal,
  ): Promise<Capabilities>
}

/** Variables of the environment that name an engine's program. */
export type Override =
  | 'SERVICE_LLAMACPP_BIN'
  | 'SERVICE_WHISPERCPP_BIN'
  | 'SERVICE_SDCPP_BIN'
  | 'SERVICE_MLX_AUDIO_BIN'
  | 'SERVICE_MFLUX_BIN'

/** What engines need to know of the machine; the caller reads the environment. */
export interface Machine {
  /** The process environment. Little of it reaches an engine. */
  environment: Readonly<Record<string, string | undefined>>
  /** A path, or a name on the PATH. */
  overrides: Readonly<Partial<Record<Override, string>>>
  /** The data folder's `engines`: programs may be put in `<engines>/llamacpp` and so on. */
  enginesDir: string
  /** For files that engines write and forget. */
  tmpDir: string
  /** The hub's cache on this machine. */
  hfHome: string
  /** The hub's token, for weights that an engine fetches itself. */
  hubToken: () => string | undefined
  platform: NodeJS.Platform
  arch: string
  /** Threads of a llama.cpp server; the engine's own choice when unset. */
  threads?: number
  /** The engines that are part of Tycho; none where it is left out. */
  builtIn?: {
    /** Our own program as the host of an engine (`tycho engine-host`). */
    command: readonly string[]
    /** Where the executable puts their libraries, once. */
    nativesDir: string
  }
  /** Where Linux looks for libraries, where that is not the usual. */
  libraryFolders?: readonly string[]
}

/** `/readyz` and the diagnostics name it so. */
export const engineKey = ({ engine, modality }: Pick<Engine, 'engine' | 'modality'>): string =>
  modality === 'chat' ? engine : `${engine}:${modality}`
