import type { EngineName, Modality } from '#engines/engine'
import { AppError } from '#kernel/errors'
import type { Found } from './found'
import type { Sort } from './schema'

export interface SourceQuery {
  search?: string
  sort: Sort
  engines: readonly EngineName[]
  modality?: Modality
  /** How many to bring, at most. */
  most: number
}

export interface FileAt {
  repo: string
  revision: string
  path: string
}

/** Bytes of a file, from `start` on: not what was asked for where the file changed, or the other side cannot do it. */
export interface Opened {
  start: number
  /** Of the whole file, where the answer tells it. */
  size: number | null
  etag: string | null
  body: AsyncIterable<Uint8Array>
}

/** Where models come from: a hub, or a folder with the same files. */
export interface Source {
  readonly provider: string
  /** @throws {AppError} `catalog_error`; {@link Unreachable} where it may answer later */
  search(query: SourceQuery, signal: AbortSignal): Promise<Found[]>
  /** With its files. @throws {AppError} `repository_not_found`, `repository_gated`, `catalog_error` */
  look(repo: string, signal: AbortSignal): Promise<Found & { files: NonNullable<Found['files']> }>
  /** @throws as `look` */
  open(
    file: FileAt,
    from: { start: number; end?: number; etag?: string | null },
    signal: AbortSignal,
  ): Promise<Opened>
}

/** It does not answer, or not now: worth another try. */
export class Unreachable extends AppError {
  constructor(
    message: string,
    /** What the other side asked for; null when it said nothing. */
    readonly retryAfterMs: number | null = null,
    cause?: unknown,
  ) {
    super('catalog_error', message, { cause })
  }
}

/** `owner/name`, or the one name of the hub's oldest repositories. */
export const isRepoName = (repo: string): boolean =>
  /^[\w][\w.-]*(\/[\w][\w.-]*)?$/.test(repo) && !repo.includes('..') && repo.length <= 200

export const noSuchRepo = (repo: string) =>
  new AppError('repository_not_found', `There is no repository ${repo.slice(0, 200)}, or it is private.`)

/** Nobody is there to read it. */
export const callerLeft = () => new AppError('catalog_error', 'The caller left.')
