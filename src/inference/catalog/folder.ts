import { open, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { tryParse } from '#kernel/json'
import { type Found, foundOf, type HubModel, paramsIn, type SourceFile } from './found'
import { isRepoName, noSuchRepo, type Opened, type Source, type SourceQuery, Unreachable } from './source'

const MAX_REPOS = 5_000
const MAX_FILES = 10_000
const MAX_INFO_BYTES = 16 * 1024 * 1024
const CHUNK_BYTES = 1024 * 1024

/** What the hub's API says of a repository (`/api/models/{repo}`), kept beside its files. */
const INFO = '.hub.json'
/** Made by `sha256sum`. */
const SUMS = 'SHA256SUMS'

/**
 * A folder as the hub: `<folder>/<owner>/<name>/` holds the files of a repository. Nothing else is needed; `.hub.json` and
 * `SHA256SUMS` tell more of them.
 */
export function folderSource(root: string): Source {
  const place = (repo: string) => join(root, ...repo.split('/'))

  async function look(repo: string) {
    const found = isRepoName(repo) ? await stat(place(repo)).catch(() => null) : null
    if (!found?.isDirectory()) throw noSuchRepo(repo)
    const files = await filesIn(place(repo))
    const info = tryParse((await smallText(join(place(repo), INFO))) ?? '') as Record<string, unknown> | null
    const model = foundOf(modelOf(repo, info ?? {}, files))
    return { ...model, updatedAt: model.updatedAt ?? found.mtime.toISOString(), revision: 'folder', files }
  }

  return {
    provider: 'folder',

    async search(query, signal) {
      const all: Found[] = []
      for (const repo of await reposIn(root)) {
        signal.throwIfAborted()
        if (repo.toLowerCase().includes(query.search?.toLowerCase() ?? '')) all.push(await look(repo))
      }
      return all.sort(bestFirst(query)).slice(0, query.most)
    },

    look,

    async open({ repo, path }, { start, end, etag }): Promise<Opened> {
      const file = join(place(repo), path)
      const found = isRepoName(repo) ? await stat(file).catch(() => null) : null
      if (!found?.isFile()) throw noSuchRepo(`${repo}/${path}`)
      const current = `"${found.size}-${Math.trunc(found.mtimeMs)}"`
      const from = etag && etag !== current ? 0 : start
      return { start: from, size: found.size, etag: current, body: bytesOf(file, from, end ?? found.size) }
    },
  }
}

async function* bytesOf(path: string, start: number, end: number) {
  await using file = await open(path)
  for (let at = start; at < end; ) {
    const piece = new Uint8Array(Math.min(CHUNK_BYTES, end - at))
    const { bytesRead } = await file.read(piece, 0, piece.length, at)
    if (bytesRead === 0) return
    at += bytesRead
    yield piece.subarray(0, bytesRead)
  }
}

async function reposIn(root: string): Promise<string[]> {
  const owners = await folders(root)
  if (owners === null) throw new Unreachable(`The folder ${root} of SERVICE_CATALOG_URL cannot be read.`)
  const repos: string[] = []
  for (const owner of owners) {
    for (const name of (await folders(join(root, owner))) ?? []) repos.push(`${owner}/${name}`)
    if (repos.length > MAX_REPOS) break
  }
  return repos.filter(isRepoName).slice(0, MAX_REPOS)
}

async function folders(path: string): Promise<string[] | null> {
  const entries = await readdir(path, { withFileTypes: true }).catch(() => null)
  if (entries === null) return null
  return entries
    .filter((entry) => !entry.isFile() && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .sort()
}

/** Files and their sums; what begins with a dot is not part of a model. */
async function filesIn(folder: string): Promise<SourceFile[]> {
  const sums = sumsIn((await smallText(join(folder, SUMS))) ?? '')
  const names = await readdir(folder, { recursive: true })
  const files: SourceFile[] = []
  for (const name of names.sort().slice(0, MAX_FILES)) {
    const path = name.replaceAll('\\', '/')
    if (path === SUMS || path.split('/').some((part) => part.startsWith('.'))) continue
    const found = await stat(join(folder, name)).catch(() => null)
    if (found?.isFile()) files.push({ path, size: found.size, sha256: sums.get(path) ?? null, gitOid: null })
  }
  return files
}

function sumsIn(text: string): Map<string, string> {
  const lines = [...text.matchAll(/^([0-9a-f]{64}) [ *](?:\.\/)?(.+?)\r?$/gim)]
  return new Map(lines.map(([, sum, path]) => [path!, sum!.toLowerCase()]))
}

/** What the hub would say; without its word, what the files let guess. */
function modelOf(repo: string, info: Record<string, unknown>, files: SourceFile[]): HubModel {
  const has = (ending: RegExp) => files.some(({ path }) => ending.test(path))
  const guessed = [...(has(/\.gguf$/i) ? ['gguf'] : []), ...(/mlx/i.test(repo) ? ['mlx'] : [])]
  return {
    ...info,
    repo,
    task: info.pipeline_tag ?? (has(/(^|\/)ggml[^/]*\.bin$/i) ? 'automatic-speech-recognition' : undefined),
    tags: info.tags ?? guessed,
    library: info.library_name,
    updatedAt: info.lastModified,
    gguf: info.gguf ?? { total: paramsIn(repo) ?? undefined },
  }
}

const bestFirst =
  ({ sort }: SourceQuery) =>
  (a: Found, b: Found) =>
    sort === 'likes' ? b.likes - a.likes : b.downloads - a.downloads

async function smallText(path: string): Promise<string | null> {
  const found = await stat(path).catch(() => null)
  return found?.isFile() && found.size <= MAX_INFO_BYTES ? await readFile(path, 'utf8') : null
}
