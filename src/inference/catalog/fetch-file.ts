import { setTimeout as after } from 'node:timers/promises'
import { AppError } from '#kernel/errors'
import { Part } from './part'
import type { PlannedFile } from './plan'
import { type FileAt, type Opened, type Source, Unreachable } from './source'

export interface Patience {
  /** A connection that brings nothing for so long is given up. */
  stallMs: number
  /** Before the second try; twice as long before each further one. */
  backOffMs: number
  /** Tries in a row that bring nothing. */
  tries: number
}

export const PATIENCE: Patience = { stallMs: 30_000, backOffMs: 1_000, tries: 8 }
const MAX_BACK_OFF_MS = 60_000

interface Fetching {
  source: Source
  at: FileAt
  file: PlannedFile
  patience: Patience
  signal: AbortSignal
  /** Told how many bytes are here now. */
  onLength: (length: number) => void
  /** Told what the source calls these bytes. */
  onEtag: (etag: string | null) => void
}

/**
 * Brings all bytes of a file to `path` and checks them: from where it stopped, over as many connections as it takes. What
 * turns out wrong after a resumption is fetched once more from the start.
 * @throws {AppError} what cannot be mended by another try, or not within `patience`; file system errors as they are
 */
export async function fetchFile(path: string, fetching: Fetching): Promise<void> {
  const { file, signal, onLength } = fetching
  await using part = await Part.open(path, file, signal)
  let isResumed = part.length > 0
  onLength(part.length)
  for (;;) {
    if (part.length === 0 || part.length !== file.size) {
      const restarted = await pour(part, fetching)
      isResumed &&= !restarted
    }
    if (part.isRight()) return part.sync()
    await part.restart()
    onLength(0)
    if (!isResumed) throw corrupt(file)
    isResumed = false
  }
}

/** Until the last byte is here. @returns whether what was there before had to be given up */
async function pour(part: Part, fetching: Fetching): Promise<boolean> {
  const { patience, signal } = fetching
  let hasRestarted = false
  let reached = part.length
  const hasProgress = () => {
    const isMore = part.length > reached
    reached = part.length
    return isMore
  }
  const once = async () => {
    if (await pourOnce(part, fetching)) hasRestarted = true
  }
  await patiently(once, patience, signal, hasProgress)
  return hasRestarted
}

/** Tries again what may do better later; tries that brought something do not count. */
export async function patiently<T>(
  work: () => Promise<T>,
  { tries, backOffMs }: Patience,
  signal: AbortSignal,
  hasProgress: () => boolean = () => false,
): Promise<T> {
  for (let failures = 0; ; ) {
    try {
      return await work()
    } catch (error) {
      signal.throwIfAborted()
      if (!(error instanceof Unreachable)) throw error
      failures = hasProgress() ? 1 : failures + 1
      if (failures >= tries) throw error
      const ms = error.retryAfterMs ?? backOffMs * 2 ** (failures - 1)
      await after(Math.min(ms, MAX_BACK_OFF_MS), undefined, { signal })
    }
  }
}

/** One connection. @throws {Unreachable} where it broke, stalled, or ended before the file did */
async function pourOnce(part: Part, fetching: Fetching): Promise<boolean> {
  const { patience, signal } = fetching
  const stalled = new AbortController()
  const timer = setTimeout(() => stalled.abort(), patience.stallMs)
  try {
    return await pourFrom(part, fetching, AbortSignal.any([signal, stalled.signal]), () => timer.refresh())
  } catch (error) {
    if (stalled.signal.aborted && !signal.aborted)
      throw new Unreachable(`Nothing came for ${patience.stallMs / 1000} s.`)
    throw isOfDisk(error) || error instanceof AppError
      ? error
      : new Unreachable('The connection broke.', null, error)
  } finally {
    clearTimeout(timer)
  }
}

async function pourFrom(
  part: Part,
  { source, at, file, onLength, onEtag }: Fetching,
  connection: AbortSignal,
  isAlive: () => void,
): Promise<boolean> {
  // More than there can be is from another file.
  if (file.size !== null && part.length >= file.size) await part.restart()
  const opened = await source.open(at, { start: part.length, etag: file.etag }, connection)
  const mustRestart = opened.start !== part.length
  if (mustRestart) await part.restart()
  if (mustRestart && opened.start !== 0) throw new Unreachable('The source sent another part of the file.')
  onEtag(opened.etag)
  for await (const bytes of untilAborted(opened.body, connection)) {
    isAlive()
    if (file.size !== null && part.length + bytes.length > file.size) {
      await part.restart()
      throw corrupt(file)
    }
    await part.append(bytes)
    onLength(part.length)
  }
  checkEnd(part, file, opened)
  return mustRestart
}

function checkEnd(part: Part, file: PlannedFile, { size }: Opened) {
  const whole = file.size ?? size
  if (whole !== null && part.length < whole)
    throw new Unreachable('The connection ended before the file did.')
}

/** A body that hangs is left, whether or not it hears the signal. */
async function* untilAborted(body: AsyncIterable<Uint8Array>, signal: AbortSignal) {
  const aborted = Promise.withResolvers<never>()
  const leave = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', leave, { once: true })
  const iterator = body[Symbol.asyncIterator]()
  aborted.promise.catch(ignore)
  if (signal.aborted) leave()
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), aborted.promise])
      if (next.done) return
      yield next.value
    }
  } finally {
    signal.removeEventListener('abort', leave)
    void iterator.return?.().catch(ignore)
  }
}

/** Of this machine's disk, not of the connection. */
const isOfDisk = (error: unknown): boolean =>
  /^(ENOSPC|EDQUOT|EFBIG|EIO|EACCES|EPERM|EROFS|ENOENT|EMFILE|ENFILE|EISDIR|ENOTDIR)$/.test(
    (error as { code?: string }).code ?? '',
  )

const corrupt = ({ path }: PlannedFile) =>
  new AppError(
    'catalog_error',
    `What came as ${path} is not what the source promised (its size or SHA-256 differs). It was thrown away; nothing was registered. Install it again, or from another repository.`,
  )

/** What is given up is not waited for. */
const ignore = () => undefined
