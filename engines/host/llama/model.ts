import { readFile } from 'node:fs/promises'
import {
  getLlama,
  type Llama,
  type LlamaContext,
  type LlamaEmbeddingContext,
  LlamaLogLevel,
  type LlamaModel,
} from 'node-llama-cpp'
import { readGgufFile } from '../../gguf'
import { nativesFolder, nativesVersion } from '../natives'
import type { HostOptions } from '../options'
import { bins } from './bins'

/** Tokens of a prompt that are evaluated in one go: between two of them a caller may leave. */
export const BATCH = 512
/** As llama.cpp counts them. */
const POOLING: Record<string, number> = { none: 0, mean: 1, cls: 2, last: 3, rank: 4 }

export async function openLlama({ nativesDir, threads }: Pick<HostOptions, 'nativesDir' | 'threads'>) {
  bins.folder = await nativesFolder('llamacpp', nativesDir)
  bins.version = nativesVersion('llamacpp') ?? ''
  return await getLlama({
    gpu: process.platform === 'darwin' ? 'auto' : false,
    // What was installed, and nothing compiled or downloaded.
    build: 'never',
    progressLogs: false,
    maxThreads: threads,
    logLevel: LlamaLogLevel.error,
    logger: (_level, message) => void process.stderr.write(`${message.trimEnd()}\n`),
  })
}

/**
 * The model, and with `pooling` one that joins the vectors of a text's tokens in that way. Its header is read here
 * first: node-llama-cpp tries a file that is none for half a minute.
 */
export async function loadModel(llama: Llama, { model, pooling }: HostOptions): Promise<LlamaModel> {
  const { architecture } = await readGgufFile(model)
  if (pooling === undefined) return await llama.loadModel({ modelPath: model })
  const type = POOLING[pooling]
  if (type === undefined) throw new Error(`There is no pooling ${pooling}.`)
  const overrides = { [`${architecture}`]: { pooling_type: type } }
  return await llama.loadModel({
    modelPath: model,
    // The key is the architecture's name, which the types list one by one.
    metadataOverrides: overrides as NonNullable<Parameters<Llama['loadModel']>[0]['metadataOverrides']>,
  })
}

/** Each of the parallel sequences gets its part of the context, as in llama-server. */
export async function chatContext(
  model: LlamaModel,
  { context, fit, parallel, threads, batch = BATCH }: HostOptions,
): Promise<LlamaContext> {
  const each = Math.floor(context / parallel)
  return await model.createContext({
    contextSize: fit ? { max: each } : each,
    sequences: parallel,
    threads,
    batchSize: Math.max(parallel, Math.min(batch, context)),
  })
}

export const embeddingContext = (
  model: LlamaModel,
  { context, batch = context, threads }: HostOptions,
): Promise<LlamaEmbeddingContext> =>
  // A text to embed must fit into one batch.
  model.createEmbeddingContext({ contextSize: context, batchSize: batch, threads })

/** For people: what was built, and for which processor of those that the package knows. */
export async function describe(llama: Llama): Promise<string> {
  const { release } = llama.llamaCppRelease
  return `${bins.version} (llama.cpp ${release}, cpu ${await cpuVariant()}, gpu ${llama.gpu || 'none'})`
}

/** The build that the library picked for this processor. */
async function cpuVariant(): Promise<string> {
  const maps = await readFile('/proc/self/maps', 'utf8').catch(() => '')
  return /libggml-cpu-(\w+)\.so/.exec(maps)?.[1] ?? 'as built'
}
