import { contextBytes, GgufError, type GgufHeader, type ReadAt, readGguf } from '#engines/gguf'
import { defaultContext, type LlamaModality } from '#engines/llamacpp'
import { imageWeightsProblem } from '#engines/sdcpp'
import { AppError } from '#kernel/errors'
import type { ContextCost } from './fit'
import type { Found } from './found'
import { callerLeft, type FileAt, type Source, Unreachable } from './source'
import type { Choice } from './variants'

const HEADER_MS = 20_000
const SPEAKS: readonly string[] = ['chat', 'vision', 'embeddings'] satisfies LlamaModality[]

/** Memory that the usual context of a GGUF model takes; `null` where its header does not tell or cannot be read. */
export async function contextCost(
  source: Source,
  found: Found,
  { engine, modality, files }: Choice,
  signal: AbortSignal,
): Promise<ContextCost | null> {
  if (engine !== 'llamacpp' || !SPEAKS.includes(modality)) return null
  const readAt = readerOf(source, found, files[0]!.path, signal)
  // It refines a badge: a source that refuses it, or a file that is not what its name says, is told at the installation.
  const header = await readGguf(readAt, { until: 'vocabulary' }).catch(() => null)
  if (!header) return null
  const tokens = defaultContext(modality as LlamaModality, header.contextLength)
  const bytes = contextBytes(header, tokens)
  return bytes === null ? null : { tokens, bytes: Math.round(bytes) }
}

/**
 * Refuses weights that can never serve, before anything is downloaded.
 * @throws {AppError} `incomplete_weights`, and what the source refuses
 */
export async function checkChoice(
  source: Source,
  found: Found,
  choice: Choice,
  signal: AbortSignal,
): Promise<void> {
  const { id, engine, modality, files, complete } = choice
  if (!complete) {
    const lacks = engine === 'mlx' ? 'only a part of an image model' : `not all parts of ${id}`
    throw new AppError(
      'incomplete_weights',
      `${found.repo} holds ${lacks}. Take a repository that holds all.`,
    )
  }
  const readAt = readerOf(source, found, files[0]!.path, signal)
  if (engine !== 'llamacpp' || !/\.gguf$/i.test(id)) {
    // What may not be fetched at all is told now, not by a job that fails.
    await readAt(0, 1)
    return
  }
  const header = await headerOf(readAt)
  const problem = header && modality === 'images.generation' ? imageWeightsProblem(header) : null
  if (problem) throw new AppError('incomplete_weights', `${found.repo}/${id}: ${problem}`)
}

/** A file whose header makes no sense passes: the engine itself is its judge. */
async function headerOf(readAt: ReadAt): Promise<GgufHeader | null> {
  try {
    return await readGguf(readAt)
  } catch (error) {
    if (error instanceof GgufError) return null
    throw error
  }
}

function readerOf(source: Source, { repo, revision }: Found, path: string, caller: AbortSignal): ReadAt {
  const timeout = AbortSignal.timeout(HEADER_MS)
  const file = { repo, revision: revision ?? 'main', path }
  return async (start, length) => {
    try {
      return await readPart(source, file, { start, length }, AbortSignal.any([caller, timeout]))
    } catch (error) {
      if (caller.aborted) throw callerLeft()
      throw error instanceof AppError
        ? error
        : new Unreachable(`The header of ${path} could not be read.`, null, error)
    }
  }
}

async function readPart(
  source: Source,
  file: FileAt,
  { start, length }: { start: number; length: number },
  signal: AbortSignal,
): Promise<Uint8Array> {
  const opened = await source.open(file, { start, end: start + length }, signal)
  if (opened.start !== start)
    throw new AppError(
      'catalog_error',
      'The source does not send parts of a file, so it cannot be looked at.',
    )
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of opened.body) {
    pieces.push(piece)
    bytes += piece.length
    // Leaving ends the request: more may come than was asked for.
    if (bytes >= length) break
  }
  return Buffer.concat(pieces).subarray(0, length)
}
