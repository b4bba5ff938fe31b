import { AppError } from '#kernel/errors'

/** Pictures of one request (specification, part 8). */
const MAX_COUNT = 4
/** Engines render in blocks of so many pixels. */
const BLOCK = 64
const DEFAULT_SIDE = 512
/** Beyond this a render needs more memory than machines have. */
const MAX_SIDE = 4_096

/** The last that leaves room for the seeds of further pictures. */
const MAX_SEED = 2 ** 31 - 1 - MAX_COUNT

export interface RenderRequest {
  prompt: string
  width: number
  height: number
  count: number
  /** The engine's own number where none is asked for. */
  steps: number | null
  /** Of the first picture, each later one has the next; another each time where none is asked for. */
  seed: number | null
}

/** What an engine of this machine is to render. @throws {AppError} `prompt_required`, `invalid_steps`, `invalid_request` */
export function renderRequest({ prompt, size, n, steps, seed }: Record<string, unknown>): RenderRequest {
  if (typeof prompt !== 'string' || prompt.trim() === '') {
    throw new AppError('prompt_required', 'prompt: is required, a text that says what the picture shows.')
  }
  return { prompt, ...sizeOf(size), count: countOf(n), steps: stepsOf(steps), seed: seedOf(seed) }
}

function sizeOf(size: unknown): { width: number; height: number } {
  const [, width, height] =
    /^\s*(\d{1,9})\s*x\s*(\d{1,9})\s*$/i.exec(typeof size === 'string' ? size : '') ?? []
  if (width === undefined || height === undefined) return { width: DEFAULT_SIDE, height: DEFAULT_SIDE }
  return { width: side(Number(width)), height: side(Number(height)) }
}

const side = (pixels: number) => Math.min(MAX_SIDE, Math.max(BLOCK, Math.floor(pixels / BLOCK) * BLOCK))

const countOf = (n: unknown): number =>
  typeof n === 'number' && Number.isFinite(n) ? Math.min(MAX_COUNT, Math.max(1, Math.trunc(n))) : 1

function stepsOf(steps: unknown): number | null {
  if (steps === undefined || steps === null) return null
  if (Number.isInteger(steps) && (steps as number) >= 1) return steps as number
  throw new AppError('invalid_steps', 'steps: must be a whole number from 1.')
}

/** -1 asks for any, as it does of the engines. */
function seedOf(seed: unknown): number | null {
  if (seed === undefined || seed === null || seed === -1) return null
  if (Number.isInteger(seed) && (seed as number) >= 0 && (seed as number) <= MAX_SEED) return seed as number
  throw new AppError('invalid_request', `seed: must be a whole number from 0 to ${MAX_SEED}.`)
}
