import { AppError } from '#kernel/errors'
import type { OutboundFetch } from '#kernel/http/outbound'
import { newId } from '#kernel/ids'
import { contentTypeOf } from './content-type'
import type { Artifact } from './schema'
import type { ArtifactStore } from './store'

/** Largest artifact: some minutes of video, hours of speech. */
const MAX_ARTIFACT_BYTES = 512 * 1024 * 1024
const DOWNLOAD_MS = 30_000
/** `art_` and a ULID. Whatever else lies in the folder, such as the files that hold the types, has no such name. */
const REF = /^art_[0-9A-HJKMNP-TV-Z]{26}$/

export type StoredArtifact = Artifact & { file: Blob }

interface Deps {
  store: ArtifactStore
  outbound: OutboundFetch
  now: () => number
  /** Tests lower it. */
  maxBytes?: number
}

export type ArtifactService = ReturnType<typeof artifactService>

/** Files that runs take and make: kept as they came, never changed, known by a ref. */
export function artifactService({ store, outbound, now, maxBytes = MAX_ARTIFACT_BYTES }: Deps) {
  async function keep(ref: string, body: AsyncIterable<Uint8Array>, type: string | null) {
    const contentType = contentTypeOf(type)
    const upload = await store.receive(bounded(body, maxBytes))
    return upload.commit(ref, contentType)
  }

  /** @throws {AppError} `empty_artifact`, `payload_too_large`, `incomplete_upload`, `storage_full` */
  async function receive(ref: string, request: Request) {
    const stated = request.headers.get('content-length')
    if (Number(stated ?? 0) > maxBytes) throw tooLarge(maxBytes)
    if (!request.body) throw empty()
    return keep(ref, wholeBody(request, stated), request.headers.get('content-type'))
  }

  return {
    async upload(request: Request): Promise<Artifact> {
      const { created, ...made } = await receive(newId('artifact', now()), request)
      return made
    },

    /** Under the caller's own ref, as an import does; what is there already stays. */
    async place(ref: string, request: Request): Promise<Artifact & { created: boolean }> {
      checkRef(ref)
      const stored = await store.find(ref)
      if (!stored) return receive(ref, request)
      const { file, ...found } = stored
      return { ...found, created: false }
    },

    /** @throws {AppError} `invalid_artifact_ref`, `artifact_not_found` */
    async read(ref: string): Promise<StoredArtifact> {
      checkRef(ref)
      const stored = await store.find(ref)
      if (!stored) throw new AppError('artifact_not_found', `There is no artifact ${ref}.`)
      return stored
    },

    /** Stores what a node made, under a ref of its own or one that its maker has noted before. */
    async put(bytes: Uint8Array, contentType: string, ref = newId('artifact', now())): Promise<Artifact> {
      const { created, ...made } = await keep(ref, single(bytes), contentType)
      return made
    },

    /** For what was kept for a while only; nothing happens where there is none. */
    remove: (ref: string): Promise<void> => store.remove(ref),

    /**
     * Downloads an http or https address, so that a node can take it like any artifact.
     * @throws {OutboundError} refused address, too slow, too large, or not answered with 2xx
     * @throws {AppError} `empty_artifact`, `storage_full`
     */
    async fetchToArtifact(url: string, signal?: AbortSignal): Promise<Artifact> {
      const answer = await outbound(url, { signal, timeoutMs: DOWNLOAD_MS, maxBytes, okOnly: true })
      const type = answer.headers.get('content-type')
      const { created, ...made } = await keep(newId('artifact', now()), answer.body, type)
      return made
    },
  }
}

export const isArtifactRef = (text: string): boolean => REF.test(text)

function checkRef(ref: string) {
  if (!isArtifactRef(ref))
    throw new AppError(
      'invalid_artifact_ref',
      'The ref of an artifact is art_ and 26 characters, such as art_01JD….',
    )
}

async function* single(bytes: Uint8Array) {
  yield bytes
}

async function* bounded(body: AsyncIterable<Uint8Array>, maxBytes: number) {
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > maxBytes) throw tooLarge(maxBytes)
    yield chunk
  }
  if (bytes === 0) throw empty()
}

/** A caller that goes away in the middle ends the stream like one that has sent everything. */
async function* wholeBody(request: Request, stated: string | null) {
  let bytes = 0
  try {
    for await (const chunk of request.body!) {
      bytes += chunk.byteLength
      yield chunk
    }
  } catch (error) {
    throw incomplete(error)
  }
  if (request.signal.aborted || (stated !== null && bytes !== Number(stated))) throw incomplete()
}

const incomplete = (cause?: unknown) =>
  new AppError('incomplete_upload', 'The upload broke off before its end. Send it again.', { cause })

const empty = () => new AppError('empty_artifact', 'The body is empty. Send the bytes of the artifact.')

const tooLarge = (maxBytes: number) =>
  new AppError('payload_too_large', `An artifact may have at most ${Math.floor(maxBytes / 1024)} KiB.`)
