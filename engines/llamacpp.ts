import { boundedJson } from './bounded'
import { builtInBuild, locateOrBuiltIn } from './built-in'
import { declaredCapabilities, showsThinking } from './capabilities'
import type {
  Capabilities,
  Engine,
  Finding,
  Machine,
  ManagedRegistration,
  Modality,
  ServerPlan,
} from './engine'
import { engineEnvironment } from './environment'
import { contextBytes, type GgufHeader } from './gguf'
import { locate, type Wanted } from './locate'
import type { MemoryNeed } from './memory'
import { type Ask, versionIn } from './version'
import { ggufFile, headerOf, mmprojFile, unavailable, weightBytes } from './weights'

const TIMEOUT_MS = 120_000
/** A longer context is asked for with `params.ctxSize`: its memory is taken at the start. */
const MAX_CONTEXT = 32_768
const MAX_EMBEDDING_CONTEXT = 8_192
/** Of embedding models that do not say what they were trained with. */
const EMBEDDING_CONTEXT = 2_048

const PROBE_MS = 3_000
const MAX_PROPS_BYTES = 4 * 1024 * 1024

const WANTED: Wanted = {
  names: ['llama-server'],
  override: 'SERVICE_LLAMACPP_BIN',
  folder: 'llamacpp',
  hint: 'Install llama.cpp (`brew install llama.cpp`, or a release from its site).',
}

export type LlamaModality = Extract<Modality, 'chat' | 'vision' | 'embeddings'>

/** llama.cpp's own server: chat, pictures and embeddings from GGUF files. */
export function llamacpp(modality: LlamaModality, machine: Machine, ask: Ask): Engine {
  return {
    engine: 'llamacpp',
    modality,

    async find(): Promise<Finding> {
      const finding = look(modality, machine)
      if (!finding.ready || finding.builtIn) return finding
      return { ...finding, version: versionIn(await ask(finding.path, ['--version'])) }
    },

    async build() {
      const finding = look(modality, machine)
      return finding.ready && finding.builtIn ? await builtInBuild(finding, machine, ask) : null
    },

    async plan(registration): Promise<ServerPlan> {
      const finding = look(modality, machine)
      if (!finding.ready) throw unavailable(`${finding.reason} ${finding.hint}`)
      if (finding.builtIn) return await builtInPlan(registration, modality, finding.program, machine)
      const weights = await weightsOf(registration)
      const settings = launchSettings(registration, modality)
      const header = weights.file ? await headerOf(weights.file) : null
      const trained = header?.contextLength ?? null
      const mmproj = await mmprojOf(registration, modality, weights.file)
      const { context } = sizesOf({ modality, trained, settings })
      return {
        kind: 'server',
        command: (port) => [
          ...finding.program,
          ...serverArguments({ modality, weights: weights.flags, trained, mmproj, settings }, port),
        ],
        env: engineEnvironment(machine, { hub: weights.file === null, extra: serverVariables(machine) }),
        healthPath: '/health',
        timeoutMs: TIMEOUT_MS,
        memory: weights.file === null ? undefined : await ggufNeed(weights.file, header, context),
      }
    },

    capabilities: async (_registration, baseUrl, signal) =>
      modality === 'embeddings' || baseUrl === null
        ? declared(modality)
        : { ...declared(modality), ...(await probed(baseUrl, modality, signal)) },
  }
}

/** The built-in llama.cpp knows no projectors: a model that sees needs llama-server. */
function look(modality: LlamaModality, machine: Machine): Finding {
  if (modality !== 'vision') return locateOrBuiltIn(WANTED, 'llamacpp', machine)
  const finding = locate(WANTED, machine)
  if (finding.ready || !machine.builtIn) return finding
  return { ...finding, reason: `${finding.reason} The built-in llama.cpp does not look at pictures.` }
}

async function builtInPlan(
  registration: ManagedRegistration,
  modality: LlamaModality,
  program: readonly string[],
  machine: Machine,
): Promise<ServerPlan> {
  if (registration.source !== 'local-path') {
    throw unavailable(
      `The built-in llama.cpp loads files of this machine only. Install ${registration.model} from the catalog, or llama-server, which fetches weights itself. ${WANTED.hint}`,
    )
  }
  const file = await ggufFile(registration)
  const settings = launchSettings(registration, modality)
  const header = await headerOf(file)
  const trained = header?.contextLength ?? null
  const { context } = sizesOf({ modality, trained, settings })
  return {
    kind: 'server',
    command: (port) => [
      ...program,
      ...builtInArguments({ modality, file, trained, settings, machine }, port),
    ],
    env: engineEnvironment(machine),
    healthPath: '/health',
    timeoutMs: TIMEOUT_MS,
    memory: await ggufNeed(file, header, context),
    keepsConnections: true,
  }
}

/** A context that the header does not tell the size of counts as none: what is known is what is said. */
const ggufNeed = async (file: string, header: GgufHeader | null, context: number): Promise<MemoryNeed> => ({
  weightsBytes: await weightBytes(file),
  contextBytes: (header && contextBytes(header, context)) ?? 0,
})

interface BuiltInOptions extends Pick<ServerOptions, 'modality' | 'trained' | 'settings'> {
  file: string
  machine: Pick<Machine, 'threads' | 'builtIn'>
}

/** The command line of `tycho engine-host llamacpp`, after that. */
function builtInArguments(options: BuiltInOptions, port: number): string[] {
  const { modality, file, settings, machine } = options
  const { context, batch } = sizesOf(options)
  return [
    ...['--model', file, '--port', `${port}`, '--threads', `${machine.threads ?? 1}`],
    ...['--natives', machine.builtIn?.nativesDir ?? '', '--context', `${context}`],
    // Who asks for a context gets that or an error; ours is a wish.
    ...(settings.ctxSize === undefined && modality !== 'embeddings' ? ['--fit'] : []),
    ...['--parallel', `${settings.parallel ?? 1}`],
    ...(batch === undefined ? [] : ['--batch', `${batch}`]),
    ...(modality === 'embeddings' ? ['--pooling', settings.pooling ?? 'mean'] : []),
  ]
}

export interface LaunchSettings {
  ctxSize?: number
  parallel?: number
  batchSize?: number
  ubatchSize?: number
  pooling?: string
}

interface ServerOptions {
  modality: LlamaModality
  weights: readonly string[]
  /** Context that the model was trained with, where its file says so. */
  trained: number | null
  /** Flags that name the projector. */
  mmproj: readonly string[]
  settings: LaunchSettings
}

/** The command line of llama-server, after the program. */
export function serverArguments(options: ServerOptions, port: number): string[] {
  const { modality, weights, mmproj, settings } = options
  const embeds = modality === 'embeddings'
  const { context, batch } = sizesOf(options)
  const microBatch = settings.ubatchSize ?? (embeds ? context : undefined)
  return [
    ...['--host', '127.0.0.1', '--port', `${port}`],
    ...weights,
    ...['-c', `${context}`, '-np', `${settings.parallel ?? 1}`],
    ...(embeds ? ['--embeddings', '--pooling', settings.pooling ?? 'mean'] : []),
    ...(batch === undefined ? [] : ['-b', `${batch}`]),
    ...(microBatch === undefined ? [] : ['-ub', `${microBatch}`]),
    ...mmproj,
  ]
}

/** The context that a model gets unless its registration asks for another, in tokens. */
export const defaultContext = (modality: LlamaModality, trained: number | null): number =>
  modality === 'embeddings'
    ? Math.min(trained ?? EMBEDDING_CONTEXT, MAX_EMBEDDING_CONTEXT)
    : Math.min(trained ?? MAX_CONTEXT, MAX_CONTEXT)

/** Tokens of the context, and of what is evaluated at once where that is not the engine's own choice. */
function sizesOf({ modality, trained, settings }: Pick<ServerOptions, 'modality' | 'trained' | 'settings'>) {
  const context = settings.ctxSize ?? defaultContext(modality, trained)
  // A text to embed must fit into one batch.
  return { context, batch: settings.batchSize ?? (modality === 'embeddings' ? context : undefined) }
}

/**
 * Further settings go by environment: a server that does not know one of them passes it over, where an unknown flag
 * would end it. Tools need the Jinja templates, which older servers leave off.
 */
function serverVariables({ threads }: Machine): Record<string, string> {
  return {
    LLAMA_ARG_JINJA: '1',
    LLAMA_ARG_NO_WEBUI: '1',
    ...(threads === undefined ? {} : { LLAMA_ARG_THREADS: `${threads}` }),
  }
}

/** Launch settings are checked when a model is registered; what is left in the file by other hands is not passed on. */
function launchSettings({ params }: ManagedRegistration, modality: LlamaModality): LaunchSettings {
  const count = (name: string) => {
    const value = params[name]
    return Number.isInteger(value) && (value as number) >= 1 ? (value as number) : undefined
  }
  const { pooling } = params
  return {
    ctxSize: count('ctxSize'),
    parallel: count('parallel'),
    batchSize: count('batchSize'),
    ubatchSize: count('ubatchSize'),
    pooling: modality === 'embeddings' && typeof pooling === 'string' ? pooling : undefined,
  }
}

/** `file` is null where the engine fetches the weights itself. */
async function weightsOf(
  registration: ManagedRegistration,
): Promise<{ flags: string[]; file: string | null }> {
  switch (registration.source) {
    case 'local-path': {
      const file = await ggufFile(registration)
      return { flags: ['-m', file], file }
    }
    case 'hf':
      return { flags: ['-hf', registration.model], file: null }
    case 'url':
      return { flags: ['-mu', registration.model], file: null }
  }
}

async function mmprojOf(
  { params }: ManagedRegistration,
  modality: LlamaModality,
  weights: string | null,
): Promise<string[]> {
  if (modality === 'embeddings') return []
  if (modality === 'chat' && params.mmproj === undefined) return []
  if (weights === null)
    return typeof params.mmproj === 'string' ? ['--mmproj', params.mmproj] : ['--mmproj-auto']
  const file = await mmprojFile(weights, params)
  return file === null ? ['--mmproj-auto'] : ['--mmproj', file]
}

function declared(modality: LlamaModality): Capabilities {
  const chats = modality !== 'embeddings'
  return { ...declaredCapabilities(modality), toolCalling: chats, structuredOutput: chats }
}

/** What the running server says of its model; nothing where it cannot be asked. */
async function probed(
  baseUrl: string,
  modality: LlamaModality,
  signal: AbortSignal,
): Promise<Partial<Capabilities>> {
  const response = await fetch(new URL('/props', baseUrl), {
    keepalive: false,
    redirect: 'manual',
    signal: AbortSignal.any([signal, AbortSignal.timeout(PROBE_MS)]),
  }).catch(() => null)
  if (!response?.ok) return {}
  const props = (await boundedJson(response, MAX_PROPS_BYTES)) as Props | null
  const context = props?.default_generation_settings?.n_ctx
  if (typeof context !== 'number') return {}
  const vision = modality === 'vision' || props?.modalities?.vision === true
  return {
    vision,
    reasoning: showsThinking(`${props?.chat_template ?? ''}`),
    maxContext: Math.trunc(context),
    modalities: vision ? ['chat', 'vision'] : ['chat'],
    approximate: false,
  }
}

/** The part of `/props` that matters here. It is an engine's answer, so every field is looked at before it is used. */
interface Props {
  default_generation_settings?: { n_ctx?: unknown }
  chat_template?: unknown
  modalities?: { vision?: unknown }
}
