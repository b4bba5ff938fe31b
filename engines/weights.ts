import { readdir, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join, resolve } from 'node:path'
import { AppError } from '#kernel/errors'
import type { ManagedRegistration } from './engine'
import { type GgufHeader, readGgufFile } from './gguf'

/** Shards of one model are named so; an engine is given the first and finds the others. */
const LATER_SHARD = /-(?!0*1-of-)\d{5}-of-\d{5}\.gguf$/i
const FIRST_SHARD = /-0*1-of-(\d{5})\.gguf$/i
/** The names count to 99,999; nobody cuts a model into so many. */
const MAX_SHARDS = 1_000
const MMPROJ = /mmproj.*\.gguf$/i

/** The GGUF file that a registration names: the file itself, or the only one in the folder. */
export const ggufFile = (registration: ManagedRegistration): Promise<string> =>
  onlyFile(localPath(registration), 'GGUF file', (name) => {
    return /\.gguf$/i.test(name) && !LATER_SHARD.test(name) && !MMPROJ.test(name)
  })

/** The file of native weights for whisper.cpp: the file itself, or the only `ggml*.bin` in the folder. */
export const whisperFile = (registration: ManagedRegistration): Promise<string> =>
  onlyFile(localPath(registration), 'ggml*.bin', (name) => /^ggml.*\.bin$/i.test(name))

/** The one file of an image model: the file itself, or the only one in the folder. */
export const imageFile = (registration: ManagedRegistration): Promise<string> =>
  onlyFile(localPath(registration), 'image model', (name) => /\.(gguf|safetensors|ckpt)$/i.test(name))

/** The path on this machine. @throws {AppError} where the weights are elsewhere, or not there */
export function localPath({ source, model }: ManagedRegistration): string {
  if (source === 'local-path')
    return model.startsWith('~/') ? join(homedir(), model.slice(2)) : resolve(model)
  throw unavailable(
    `This engine loads files of this machine, and ${model} is registered with the source ${source}.`,
  )
}

/** What an MLX program is told to load: a folder of this machine, or a repository of the hub that it fetches. */
export async function mlxModel(registration: ManagedRegistration): Promise<string> {
  const { source, model } = registration
  if (source === 'hf') return model
  const folder = localPath(registration)
  if (await stat(folder).catch(() => null)) return folder
  throw unavailable(`No weights are at ${folder}. Register the model with the path where they are.`)
}

/**
 * The projector of a model that sees: the one named, else one beside the weights. Of several the one whose name has
 * most in common with the model's; llama-server refuses one of another model. `null` where there is none.
 */
export async function mmprojFile(weights: string, params: Record<string, unknown>): Promise<string | null> {
  if (typeof params.mmproj === 'string') {
    const path = isAbsolute(params.mmproj) ? params.mmproj : join(dirname(weights), params.mmproj)
    if (!(await isFile(path))) throw unavailable(`params.mmproj names ${path}, and no file is there.`)
    return path
  }
  const names = (await readdir(dirname(weights))).filter((name) => MMPROJ.test(name)).sort()
  const model = basename(weights)
  const best = names.toSorted((a, b) => inCommon(b, model) - inCommon(a, model))[0]
  return best === undefined ? null : join(dirname(weights), best)
}

/** The header, or `null` where it cannot be read: the engine itself is the judge of such a file. */
export const headerOf = (path: string): Promise<GgufHeader | null> => readGgufFile(path).catch(() => null)

/** Of the weights in an MLX model's folder. */
export async function mlxBytes(folder: string): Promise<number> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => /\.(safetensors|npz)$/.test(name))
  return await bytesOf(names.map((name) => join(folder, name)))
}

/** Of the file and its further shards, in bytes. */
export async function weightBytes(path: string): Promise<number> {
  const shard = FIRST_SHARD.exec(path)
  return await bytesOf(shard ? shardsOf(path, shard[1]!) : [path])
}

/** A file that is missing is none: the engine itself says so. */
async function bytesOf(paths: string[]): Promise<number> {
  const sizes = await Promise.all(paths.map(async (one) => (await stat(one).catch(() => null))?.size ?? 0))
  return sizes.reduce((sum, size) => sum + size, 0)
}

const shardsOf = (first: string, count: string): string[] =>
  Array.from({ length: Math.min(Number(count), MAX_SHARDS) }, (_, index) =>
    first.replace(FIRST_SHARD, `-${`${index + 1}`.padStart(5, '0')}-of-${count}.gguf`),
  )

export const unavailable = (message: string) => new AppError('engine_unavailable', message)

async function onlyFile(path: string, what: string, fits: (name: string) => boolean): Promise<string> {
  const found = await stat(path).catch(() => null)
  if (!found) throw unavailable(`No weights are at ${path}. Register the model with the path where they are.`)
  if (found.isFile()) return path
  const names = (await readdir(path)).filter(fits).sort()
  if (names.length === 1) return join(path, names[0]!)
  if (names.length === 0) throw unavailable(`No ${what} is in the folder ${path}.`)
  throw unavailable(
    `Several could be meant in ${path} (${names.slice(0, 5).join(', ')}). Register one of them.`,
  )
}

/** Letters of the model's name that stand in the projector's, from the front and without its own prefix. */
function inCommon(projector: string, model: string): number {
  const name = projector.replace(/^mmproj[-_.]?/i, '').toLowerCase()
  let length = 0
  while (length < name.length && name[length] === model[length]?.toLowerCase()) length++
  return length
}

const isFile = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => null))?.isFile() ?? false
