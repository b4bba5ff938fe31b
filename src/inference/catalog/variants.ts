import type { EngineName, Modality } from '#engines/engine'
import { enginesOf, type Found, modalityOf, NATIVE_WHISPER, type SourceFile } from './found'

/** What one download of a repository is: all files that are needed, and which of them an engine is given. */
export interface Choice {
  /** Path of the weights; empty for the whole repository. */
  id: string
  label: string
  engine: EngineName
  modality: Modality
  /** The weights first, their further parts, then a projector. */
  files: readonly SourceFile[]
  /** False where the repository lacks a part of the weights. */
  complete: boolean
}

const PART = /-(\d{5})-of-(\d{5})(?=\.gguf$)/i
const PROJECTOR = /(^|\/)[^/]*mmproj[^/]*\.gguf$/i
/** What a quantization was made with; no weights. */
const MATRIX = /imatrix/i
const QUANT =
  /(?:^|[-_.])((?:UD-)?(?:I?Q\d(?:_[A-Z0-9]+)*|TQ\d_\d|MXFP4(?:_MOE)?|BF16|F16|FP16|F32))(?=$|[-_.])/i
/** A whole model of pictures holds these folders, whatever it calls the network itself. */
const IMAGE_PARTS = [/^vae\//, /^(transformer|unet)\//, /^text_encoder/]

/** Everything that can be installed of a repository, the smallest first. */
export function choicesOf(found: Found): Choice[] {
  const engines = enginesOf(found)
  const modality = modalityOf(found.task)
  const choices = engines.flatMap((engine) =>
    engine === 'mlx' ? [wholeOf(found, modality)] : filesOf(found, modality),
  )
  return distinct(choices.filter(({ files }) => files.length > 0)).sort(bySize)
}

/** Of all files; `null` where the source does not tell. */
export const sizeOf = ({ files }: Pick<Choice, 'files'>): number | null =>
  files.some(({ size }) => size === null) ? null : files.reduce((sum, { size }) => sum + size!, 0)

/** By the bits that a weight kept. */
const QUALITIES = ['low', 'low', 'low', 'fair', 'good', 'very good', 'near full', 'near full', 'near full']

/** How much of the model a quantization kept. */
export function qualityOf(label: string): string {
  if (/^(BF16|F16|FP16|F32)$/i.test(label)) return 'full'
  const bits = /^(?:UD-)?(?:I?Q|TQ|MXFP)(\d)/i.exec(label)?.[1] ?? /^(\d+)-bit$/.exec(label)?.[1]
  return QUALITIES[Number(bits ?? Number.NaN)] ?? 'unknown'
}

function filesOf(found: Found, modality: Modality): Choice[] {
  const files = found.files ?? []
  if (modality === 'audio.transcription')
    return files.filter(({ path }) => NATIVE_WHISPER.test(path)).map((file) => nativeOf(file))
  // No engine of ours speaks from GGUF files.
  if (modality === 'audio.speech') return []
  const weights = files.filter(
    ({ path }) => /\.gguf$/i.test(path) && !PROJECTOR.test(path) && !MATRIX.test(path),
  )
  const projector = modality === 'vision' ? projectorOf(files) : []
  const whole = Map.groupBy(weights, ({ path }) => path.replace(PART, ''))
  return [...whole.values()].map((parts): Choice => {
    const sorted = parts.toSorted((a, b) => (a.path < b.path ? -1 : 1))
    const { path } = sorted[0]!
    return {
      id: path,
      label: quantOf(path),
      engine: 'llamacpp',
      modality,
      files: [...sorted, ...projector],
      complete: isComplete(sorted.map((part) => part.path)),
    }
  })
}

const nativeOf = (file: SourceFile): Choice => ({
  id: file.path,
  label: stemOf(file.path).replace(/^ggml-/i, ''),
  engine: 'llamacpp',
  modality: 'audio.transcription',
  files: [file],
  complete: true,
})

/** The whole repository but for what its host keeps in it for itself. */
function wholeOf({ repo, files, tags }: Found, modality: Modality): Choice {
  const own = (files ?? []).filter(({ path }) => !path.split('/').some((part) => part.startsWith('.')))
  const bits = /(\d+)-?bit/i.exec(`${repo} ${tags.join(' ')}`)?.[1]
  return {
    id: '',
    label: bits === undefined ? (/bf16/i.test(repo) ? 'BF16' : 'MLX') : `${bits}-bit`,
    engine: 'mlx',
    modality,
    files: own,
    complete:
      modality !== 'images.generation' ||
      IMAGE_PARTS.every((part) => own.some(({ path }) => part.test(path))),
  }
}

/** Of several projectors the one of 16 bits, which every engine reads. */
function projectorOf(files: readonly SourceFile[]): SourceFile[] {
  const all = files.filter(({ path }) => PROJECTOR.test(path))
  const best = all.find(({ path }) => /(^|[^b])f16/i.test(path)) ?? all.find(({ path }) => /bf16/i.test(path))
  return [best ?? all[0]].filter((file) => file !== undefined)
}

/** Its first part is there, and as many as their names say. */
function isComplete(paths: readonly string[]): boolean {
  const part = PART.exec(paths[0]!)
  return part === null || (Number(part[1]) === 1 && paths.length === Number(part[2]))
}

/** The tag in the name, which some keep in the name of the folder. */
const quantOf = (path: string): string => {
  const stem = stemOf(path)
  const folder = path.split('/').at(-2) ?? ''
  return (QUANT.exec(stem)?.[1] ?? QUANT.exec(folder)?.[1])?.toUpperCase() ?? stem
}

const stemOf = (path: string) =>
  path
    .split('/')
    .at(-1)!
    .replace(PART, '')
    .replace(/\.\w+$/, '')

/** Two of the same tag are told apart by their files. */
function distinct(choices: Choice[]): Choice[] {
  const count = (label: string) => choices.filter((one) => one.label === label).length
  return choices.map((choice) =>
    count(choice.label) > 1 && choice.id !== '' ? { ...choice, label: stemOf(choice.id) } : choice,
  )
}

const bySize = (a: Choice, b: Choice) => (sizeOf(a) ?? 0) - (sizeOf(b) ?? 0)
