import type { ListFileEntry, listModels } from '@huggingface/hub'
import type { EngineName, Modality } from '#engines/engine'
import { AppError } from '#kernel/errors'
import { readAnswer } from '../read-answer'
import { type Found, foundOf, NATIVE_WHISPER, type SourceFile } from './found'
import { type HubFetch, hubFetch } from './hub-fetch'
import {
  callerLeft,
  isRepoName,
  noSuchRepo,
  type Opened,
  type Source,
  type SourceQuery,
  Unreachable,
} from './source'

/** For one answer of the API, to its last byte. */
const API_MS = 20_000
/** A list of models brings their chat templates along. */
const MAX_API_BYTES = 64 * 1024 * 1024
const MAX_FILES = 10_000

const SORT_KEYS = { trending: 'trendingScore', downloads: 'downloads', likes: 'likes' } as const
const LIBRARIES: Record<EngineName, string> = { llamacpp: 'gguf', mlx: 'mlx' }
const TASKS: Partial<Record<Modality, readonly Task[]>> = {
  vision: ['image-text-to-text'],
  embeddings: ['feature-extraction', 'sentence-similarity'],
  'audio.transcription': ['automatic-speech-recognition'],
  'audio.speech': ['text-to-speech'],
  'images.generation': ['text-to-image'],
}
type Search = NonNullable<NonNullable<Parameters<typeof listModels>[0]>['search']>
type Task = NonNullable<Search['task']>
type Field = 'cardData' | 'config' | 'library_name' | 'safetensors' | 'tags'

// The hub knows `gguf` (size, context, chat template of such a file) too; the client's types do not list it.
const FIELDS = ['tags', 'library_name', 'cardData', 'safetensors', 'config', 'gguf'] as unknown as Field[]

/** Loaded by the first question: it takes 50 ms and 15 MB, and many never ask. */
const client = () => import('@huggingface/hub')

interface Deps {
  base: string
  token: () => Promise<string | undefined>
  version: string
}

/** A hub, or a mirror that speaks the same API. */
export function hubSource(deps: Deps): Source {
  const { base } = deps
  const request = hubFetch(deps)

  async function searchOne(
    query: SourceQuery,
    engine: EngineName,
    task: Task | undefined,
    signal: AbortSignal,
  ) {
    const native = engine === 'llamacpp' && query.modality === 'audio.transcription'
    const hub = await client()
    const listed = hub.listModels({
      search: {
        query: query.search,
        task,
        // Weights for whisper.cpp are no GGUF files, and no tag tells them: the names of the files do.
        tags: native ? [] : [LIBRARIES[engine]],
      },
      sort: SORT_KEYS[query.sort],
      limit: query.most,
      additionalFields: native ? [...FIELDS, 'filePaths'] : FIELDS,
      hubUrl: base,
      fetch: apiFetch(request, signal),
    })
    const found: Found[] = []
    for await (const model of listed) {
      const { filePaths } = model as { filePaths?: string[] }
      if (native && !filePaths?.some((path) => NATIVE_WHISPER.test(path))) continue
      const one = foundOf(hubModel(model))
      if (isRepoName(one.repo)) found.push(one)
    }
    return found
  }

  return {
    provider: 'huggingface',

    async search(query, signal) {
      const tasks = query.modality === undefined ? [undefined] : (TASKS[query.modality] ?? [undefined])
      const searches = query.engines.flatMap((engine) =>
        tasks.map((task) => searchOne(query, engine, task, signal)),
      )
      return interleaved(await translated(Promise.all(searches)))
    },

    async look(repo, signal) {
      if (!isRepoName(repo)) throw noSuchRepo(repo)
      const fetch = apiFetch(request, signal, repo)
      const { modelInfo } = await client()
      const model = await translated(
        modelInfo({
          name: repo,
          hubUrl: base,
          fetch,
          additionalFields: [...FIELDS, 'sha' as Field, 'filePaths' as never],
        }),
      )
      const { sha, filePaths } = model as { sha?: unknown; filePaths?: string[] }
      const revision = typeof sha === 'string' && /^[\w.-]{1,100}$/.test(sha) ? sha : 'main'
      const files = await translated(filesOf({ repo, revision, base, fetch })).catch((error: unknown) => {
        // Of a gated repository the names may be seen, and no more, until its terms are accepted.
        if ((error as AppError).code !== 'repository_gated' || !filePaths) throw error
        return filePaths.map((path) => ({ path, size: null, sha256: null, gitOid: null }))
      })
      return { ...foundOf({ ...hubModel(model), repo }), revision, files }
    },

    async open({ repo, revision, path }, { start, end, etag }, signal): Promise<Opened> {
      const address = `${base}/${repo}/resolve/${encodeURIComponent(revision)}/${encodedPath(path)}`
      const headers: Record<string, string> = { 'accept-encoding': 'identity' }
      if (start > 0 || end !== undefined) headers.range = `bytes=${start}-${end === undefined ? '' : end - 1}`
      // A weak etag names what means the same, not the same bytes.
      if (etag && start > 0 && !etag.startsWith('W/')) headers['if-range'] = etag
      return opened(await request(address, { headers, signal, repo }))
    },
  }
}

/** What a `fetch` of the client library does here: bounded in time and bytes. */
const apiFetch = (request: HubFetch, caller: AbortSignal, repo?: string) =>
  (async (address: string, init?: RequestInit) => {
    const timeout = AbortSignal.timeout(API_MS)
    const response = await request(address, { ...init, repo, signal: AbortSignal.any([caller, timeout]) })
    const bytes = await readAnswer(response, MAX_API_BYTES)
    if (bytes === null)
      throw new AppError('catalog_error', `An answer is larger than ${MAX_API_BYTES} bytes.`)
    return new Response(bytes, { status: response.status, headers: response.headers })
  }) as typeof fetch

async function filesOf(from: { repo: string; revision: string; base: string; fetch: typeof fetch }) {
  const files: SourceFile[] = []
  const { repo, revision, base, fetch } = from
  const { listFiles } = await client()
  const model = { type: 'model' as const, name: repo }
  for await (const entry of listFiles({ repo: model, revision, recursive: true, hubUrl: base, fetch })) {
    if (entry.type === 'file') files.push(fileOf(entry))
    if (files.length > MAX_FILES)
      throw new AppError('catalog_error', `${repo} has more than ${MAX_FILES} files.`)
  }
  return files
}

const fileOf = ({ path, size, oid, lfs }: ListFileEntry): SourceFile => ({
  path,
  size: lfs?.size ?? size,
  sha256: lfs?.oid.replace(/^sha256:/, '') ?? null,
  gitOid: lfs ? null : (oid ?? null),
})

/** The client's own names, back to the hub's. */
const hubModel = (model: object) => {
  const { name, library_name, ...rest } = model as { name: string; library_name?: unknown }
  return { ...rest, repo: name, library: library_name }
}

/** Failures of the client, and of what it read, in our words. */
async function translated<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof AppError) throw error
    const { name } = error as Error
    if (name === 'TimeoutError') throw new Unreachable(`The hub gave no answer in ${API_MS / 1000} s.`)
    if (name === 'AbortError') throw callerLeft()
    throw new Unreachable('The hub gave an answer that makes no sense.', null, error)
  }
}

function opened(response: Response): Opened {
  const { status, headers, body } = response
  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get('content-range') ?? '')
  const length = Number(headers.get('content-length') ?? Number.NaN)
  const partial = status === 206 && range
  const size = partial ? Number(range[2]) : length
  return {
    start: partial ? Number(range[1]) : 0,
    size: Number.isFinite(size) ? size : null,
    etag: headers.get('etag'),
    body: body ?? new ReadableStream(),
  }
}

/** The best of each list first; a repository that is in several once. */
function interleaved(lists: Found[][]): Found[] {
  const longest = Math.max(0, ...lists.map((list) => list.length))
  const all = Array.from({ length: longest }, (_, at) => lists.flatMap((list) => list[at] ?? [])).flat()
  return [...new Map(all.map((one) => [one.repo, one])).values()]
}

const encodedPath = (path: string) => path.split('/').map(encodeURIComponent).join('/')
