import { t } from 'elysia'
import { showsThinking } from '#engines/capabilities'
import type { EngineName, Modality } from '#engines/engine'
import { Nullable } from '#kernel/http/shapes'

const Count = t.Integer({ minimum: 0 })

export const SourceFile = t.Object({
  path: t.String(),
  /** Null where the source does not tell before it is asked for the file itself. */
  size: Nullable(Count),
  sha256: Nullable(t.String()),
  /** Of a small file that is kept in git itself: SHA-1 of its length and content. */
  gitOid: Nullable(t.String()),
})
export type SourceFile = typeof SourceFile.static

/** A repository as its source tells of it. Nothing here depends on this machine. */
export const Found = t.Object({
  repo: t.String(),
  task: Nullable(t.String()),
  tags: t.Array(t.String()),
  downloads: Count,
  likes: Count,
  license: Nullable(t.String()),
  gated: t.Boolean(),
  updatedAt: Nullable(t.String()),
  /** The number of weights. */
  params: Nullable(t.Number()),
  reasoning: t.Boolean(),
  toolCalling: t.Boolean(),
  maxContext: Nullable(t.Integer()),
  basedOn: Nullable(t.String()),
  /** The commit that `files` are of. */
  revision: Nullable(t.String()),
  /** Null where only the list was read. */
  files: Nullable(t.Array(SourceFile)),
  /** Memory that a context takes, from a file's header. */
  context: Nullable(t.Object({ tokens: t.Integer(), bytes: t.Number() })),
})
export type Found = typeof Found.static

/** What a hub says of a repository. It is an answer from outside: every field is looked at before it is used. */
export interface HubModel {
  repo: string
  task?: unknown
  tags?: unknown
  library?: unknown
  downloads?: unknown
  likes?: unknown
  gated?: unknown
  updatedAt?: unknown
  cardData?: unknown
  gguf?: unknown
  safetensors?: unknown
  config?: unknown
}

const TOOL_MARKS = /\btools\b|tool_call/
const MAX_TAGS = 100

export function foundOf(model: HubModel): Found {
  const { repo } = model
  const [gguf, config, card] = [fields(model.gguf), fields(model.config), fields(model.cardData)]
  const template = text(gguf.chat_template) ?? templateIn(config) ?? ''
  const library = text(model.library)
  const tags = texts(model.tags).slice(0, MAX_TAGS)
  return {
    repo,
    task: text(model.task),
    tags: library === null || tags.includes(library) ? tags : [...tags, library],
    downloads: count(model.downloads) ?? 0,
    likes: count(model.likes) ?? 0,
    license: text(card.license) ?? tags.find((tag) => tag.startsWith('license:'))?.slice(8) ?? null,
    gated: model.gated === true || text(model.gated) !== null,
    updatedAt: timeOf(model.updatedAt),
    // The weights of a quantized safetensors file are packed: its name says more.
    params: count(gguf.total) ?? paramsIn(repo) ?? count(fields(model.safetensors).total),
    reasoning: showsThinking(template),
    toolCalling: TOOL_MARKS.test(template),
    maxContext: count(gguf.context_length),
    basedOn: texts(card.base_model)[0] ?? text(card.base_model),
    revision: null,
    files: null,
    context: null,
  }
}

/** The modality that a hub's task means (interface, 10.7). */
export function modalityOf(task: string | null): Modality {
  switch (task) {
    case 'image-text-to-text':
      return 'vision'
    case 'feature-extraction':
    case 'sentence-similarity':
      return 'embeddings'
    case 'automatic-speech-recognition':
      return 'audio.transcription'
    case 'text-to-speech':
      return 'audio.speech'
    case 'text-to-image':
      return 'images.generation'
    default:
      return 'chat'
  }
}

/** Which engines can serve it, by what it says of itself and by its files. */
export function enginesOf({ tags, task, files }: Found): EngineName[] {
  const has = (tag: string, ending: RegExp) =>
    tags.includes(tag) || (files?.some(({ path }) => ending.test(path)) ?? false)
  const native = modalityOf(task) === 'audio.transcription'
  const engines: EngineName[] = []
  if (native ? (files?.some(({ path }) => NATIVE_WHISPER.test(path)) ?? true) : has('gguf', /\.gguf$/i)) {
    engines.push('llamacpp')
  }
  if (tags.includes('mlx')) engines.push('mlx')
  return engines
}

/** Weights in the format of whisper.cpp. */
export const NATIVE_WHISPER = /(^|\/)ggml[^/]*\.bin$/i

/** The number in `Qwen3-30B-A3B`, `SmolLM2-360M`; null where there is none. */
export function paramsIn(repo: string): number | null {
  const match = /(?:^|[-_./ ])(\d+(?:\.\d+)?)\s?([BM])(?=$|[-_. ])/i.exec(repo)
  if (!match) return null
  return Math.round(Number(match[1]) * (match[2]!.toUpperCase() === 'B' ? 1e9 : 1e6))
}

/** A template, or the first of several. */
function templateIn(config: Record<string, unknown>): string | null {
  const template = fields(config.tokenizer_config).chat_template
  return text(template) ?? (template === undefined ? null : JSON.stringify(template))
}

const fields = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []

const count = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.trunc(value) : null

function timeOf(value: unknown): string | null {
  const time = new Date(value as string)
  return Number.isNaN(time.getTime()) ? null : time.toISOString()
}
