import { createHash } from 'node:crypto'

/** How a file of the hub misbehaves when it is fetched; once for every entry, then it is served as it is. */
export type Trouble =
  /** The connection ends there when the test says `cut`. */
  | { kind: 'reset'; after: number }
  | { kind: 'stall'; after: number }
  | { kind: 'status'; status: number }
  /** As if the file had changed: what comes is whole and under another etag. */
  | { kind: 'changed' }

export interface HubRepo {
  files: Record<string, Uint8Array>
  task?: string
  tags?: string[]
  downloads?: number
  likes?: number
  gguf?: Record<string, unknown>
  /** Its terms were accepted by the holder of this token only. */
  gatedFor?: string
  /** The hub promises another SHA-256 than it sends. */
  wrongSum?: boolean
  /** The hub tells this size instead of the true one. */
  toldSize?: number
  license?: string
}

interface Seen {
  method: string
  /** With the query. */
  path: string
  origin: 'hub' | 'cdn'
  headers: Headers
}

/**
 * A model hub: the four routes of its API that matter, files by a redirect to a second origin as the real one sends
 * them, ranges, etags, and whatever goes wrong between here and there.
 */
export function fakeHub(repos: Record<string, HubRepo>) {
  const seen: Seen[] = []
  const troubles = new Map<string, Trouble[]>()
  const cuts: (() => void)[] = []
  let isDown: number | null = null
  let gate: Promise<void> | null = null
  let open = 0
  let mostOpen = 0
  /** Bytes sent before a held file waits. */
  let heldAfter = 0

  const cdn = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    development: false,
    fetch: serveFile,
  })
  const hub = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    development: false,
    fetch(request) {
      const url = new URL(request.url)
      seen.push({
        method: request.method,
        path: url.pathname + url.search,
        origin: 'hub',
        headers: request.headers,
      })
      if (isDown !== null) return new Response('down', { status: isDown, headers: { 'retry-after': '0' } })
      return answer(url, request)
    },
  })

  function answer(url: URL, request: Request): Response {
    if (url.pathname === '/api/models') return list(url)
    const api = /^\/api\/models\/(.+?)\/(revision|tree)\/([^/]+)$/.exec(url.pathname)
    const file = /^\/([^/]+\/[^/]+)\/resolve\/[^/]+\/(.+)$/.exec(url.pathname)
    const id = api?.[1] ?? file?.[1] ?? ''
    const repo = repos[id]
    if (!repo) return refusal(401, 'RepoNotFound')
    if (file) return redirect(id, decodeURIComponent(file[2]!), repo, request.headers)
    return api![2] === 'revision' ? Response.json(infoOf(id, repo)) : tree(repo, url)
  }

  /** Bytes come from another origin, under an address that opens for whoever has it. */
  function redirect(id: string, path: string, { files, gatedFor }: HubRepo, headers: Headers): Response {
    const bearer = headers.get('authorization')
    if (gatedFor !== undefined && bearer !== `Bearer ${gatedFor}`)
      return refusal(bearer ? 403 : 401, 'GatedRepo')
    if (!files[path]) return refusal(404, 'EntryNotFound')
    const location = new URL(`/${id}/${encodeURIComponent(path)}?signature=secret`, cdn.url).href
    return new Response(null, { status: 302, headers: { location } })
  }

  function list(url: URL): Response {
    const ask = url.searchParams
    const filters = ask.getAll('filter')
    const sort = ask.get('sort')
    const found = Object.entries(repos)
      .filter(([id]) => id.toLowerCase().includes(ask.get('search')?.toLowerCase() ?? ''))
      .filter(([, repo]) => filters.every((tag) => repo.tags?.includes(tag)))
      .filter(([, repo]) => !ask.has('pipeline_tag') || repo.task === ask.get('pipeline_tag'))
      .sort(([, a], [, b]) =>
        sort === 'likes' ? (b.likes ?? 0) - (a.likes ?? 0) : (b.downloads ?? 0) - (a.downloads ?? 0),
      )
    return Response.json(found.slice(0, Number(ask.get('limit'))).map(([id, repo]) => infoOf(id, repo)))
  }

  /** Two pages, where there are several files: the hub pages long trees with a link. */
  function tree(repo: HubRepo, url: URL): Response {
    const all = Object.entries(repo.files).map(([path, bytes]) => entryOf(path, bytes, repo))
    const folders = [...new Set(all.flatMap(({ path }) => (path.includes('/') ? [path.split('/')[0]] : [])))]
    const entries = [...folders.map((path) => ({ type: 'directory', path, size: 0, oid: 'x' })), ...all]
    const from = Number(url.searchParams.get('cursor') ?? 0)
    const half = Math.ceil(entries.length / 2)
    const next = new URL(url)
    next.searchParams.set('cursor', `${half}`)
    const headers = from === 0 && entries.length > 1 ? { link: `<${next.href}>; rel="next"` } : undefined
    return Response.json(from === 0 ? entries.slice(0, half) : entries.slice(half), { headers })
  }

  function serveFile(request: Request): Response {
    const url = new URL(request.url)
    seen.push({
      method: request.method,
      path: url.pathname + url.search,
      origin: 'cdn',
      headers: request.headers,
    })
    const [, owner, name, encoded = ''] = url.pathname.split('/')
    const path = decodeURIComponent(encoded)
    const bytes = repos[`${owner}/${name}`]!.files[path]!
    const isProbe = isProbing(request.headers)
    const trouble = isProbe ? undefined : troubles.get(path)?.shift()
    if (trouble?.kind === 'status') return new Response('no', { status: trouble.status })
    const etag = trouble?.kind === 'changed' ? '"another"' : `"${sum(bytes).slice(0, 8)}"`
    const { from, end, isPart } = partOf(request.headers, etag, bytes.length)
    if (from >= bytes.length && bytes.length > 0) return new Response(null, { status: 416 })
    const body = bytes.slice(from, end)
    return new Response(isProbe ? body : paced(body, trouble), {
      status: isPart ? 206 : 200,
      headers: {
        etag,
        'content-length': `${body.length}`,
        ...(isPart ? { 'content-range': `bytes ${from}-${end - 1}/${bytes.length}` } : {}),
      },
    })
  }

  const heldAt = (at: number) => (gate && at < heldAfter ? heldAfter : Number.POSITIVE_INFINITY)

  const ending = ({ kind }: Trouble): Promise<void> =>
    new Promise((cut) => {
      if (kind === 'reset') cuts.push(cut)
    })

  /** Sent in pieces, so that it can be held, stall, or be cut off in between. */
  function paced(bytes: Uint8Array, trouble: Trouble | undefined): ReadableStream<Uint8Array> {
    const stops =
      trouble?.kind === 'reset' || trouble?.kind === 'stall' ? trouble.after : Number.POSITIVE_INFINITY
    open++
    mostOpen = Math.max(mostOpen, open)
    let at = 0
    let close = () => {
      open--
      close = () => undefined
    }
    return new ReadableStream({
      async pull(controller) {
        if (at >= heldAfter) await gate
        if (at >= stops) {
          await ending(trouble!)
          close()
          return controller.close()
        }
        const end = Math.min(at + PIECE_BYTES, stops, heldAt(at), bytes.length)
        if (end > at) controller.enqueue(bytes.slice(at, end))
        at = end
        if (at < bytes.length) return
        close()
        controller.close()
      },
      cancel: () => close(),
    })
  }

  const url = `http://127.0.0.1:${hub.port}`
  return {
    url,
    repos,
    seen,
    /** Requests for bytes of files, in their order. */
    fetched: () => seen.filter(({ origin, headers }) => origin === 'cdn' && !isProbing(headers)),
    trouble(path: string, ...list: Trouble[]) {
      troubles.set(path, list)
    },
    /** Ends the connections that wait for it. @returns how many there were */
    cut: (): number => cuts.splice(0).map((end) => end()).length,
    /** Every request is answered with this status, until `up`. */
    down(status = 503) {
      isDown = status
    },
    up() {
      isDown = null
    },
    /** Files stop after so many bytes. @returns what lets them go on */
    hold(afterBytes = 0): () => void {
      const opened = Promise.withResolvers<void>()
      gate = opened.promise
      heldAfter = afterBytes
      return () => {
        gate = null
        opened.resolve()
      }
    },
    mostOpen: () => mostOpen,
    async [Symbol.asyncDispose]() {
      await hub.stop(true)
      await cdn.stop(true)
    },
  }
}

export type FakeHub = ReturnType<typeof fakeHub>

const PIECE_BYTES = 16 * 1024

/** Whoever looks at a header only says where it ends; a download asks for all that is left. */
const isProbing = (headers: Headers): boolean => /^bytes=\d+-\d+$/.test(headers.get('range') ?? '')

function partOf(headers: Headers, etag: string, length: number) {
  const range = /^bytes=(\d+)-(\d*)$/.exec(headers.get('range') ?? '')
  const ifRange = headers.get('if-range')
  if (!range || (ifRange !== null && ifRange !== etag)) return { from: 0, end: length, isPart: false }
  return {
    from: Number(range[1]),
    end: range[2] ? Math.min(Number(range[2]) + 1, length) : length,
    isPart: true,
  }
}

const refusal = (status: number, code: string) =>
  Response.json({ error: 'refused' }, { status, headers: { 'x-error-code': code } })

const infoOf = (id: string, repo: HubRepo) => ({
  _id: createHash('sha1').update(id).digest('hex').slice(0, 24),
  id,
  sha: sum(new TextEncoder().encode(id)).slice(0, 40),
  private: false,
  gated: repo.gatedFor === undefined ? false : 'manual',
  pipeline_tag: repo.task,
  library_name: repo.tags?.[0],
  tags: repo.tags ?? [],
  downloads: repo.downloads ?? 0,
  likes: repo.likes ?? 0,
  lastModified: '2026-10-01T00:00:00.000Z',
  cardData: { license: repo.license },
  gguf: repo.gguf,
  siblings: Object.keys(repo.files).map((rfilename) => ({ rfilename })),
})

/** Large files are in LFS and named by SHA-256; small ones in git, by its own SHA-1. */
function entryOf(path: string, bytes: Uint8Array, { wrongSum, toldSize }: HubRepo) {
  const size = toldSize ?? bytes.length
  if (/\.(json|txt|md|jinja)$|^\./.test(path)) {
    const oid = createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
    return { type: 'file', path, size: bytes.length, oid }
  }
  const oid = wrongSum ? sum(new Uint8Array(1)) : sum(bytes)
  return { type: 'file', path, size, oid: 'pointer', lfs: { oid, size, pointerSize: 130 } }
}

export const sum = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
