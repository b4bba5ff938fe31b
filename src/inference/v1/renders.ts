import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { RenderPlan } from '#engines/engine'
import type { Lease } from '#engines/lease'
import { runOneShot } from '#engines/one-shot'
import { orAbort } from '#engines/or-abort'
import type { ProcessDeps } from '#engines/process'
import { AppError } from '#kernel/errors'
import type { RenderRequest } from './render-request'

/** Who comes later is told at once: a render takes minutes. */
const MAX_WAITING = 16
/** A picture of the largest size, uncompressed. */
const MAX_PICTURE_BYTES = 64 * 1024 * 1024

interface Deps {
  processes: Pick<ProcessDeps, 'guard' | 'cwd' | 'graceMs'>
  /** A private folder; pictures go through it. */
  tmpDir: string
  now: () => number
}

export type Renders = ReturnType<typeof renderQueue>

/** Pictures of this machine's engines: one run of the program for each, and one run at a time. */
export function renderQueue({ processes, tmpDir, now }: Deps) {
  let last: Promise<void> = Promise.resolve()
  let present = 0

  async function inTurn<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (present > MAX_WAITING) {
      throw new AppError(
        'no_capacity',
        `${MAX_WAITING} renders wait already. Try again when some have ended.`,
      )
    }
    present++
    const before = last
    const done = Promise.withResolvers<void>()
    last = before.then(() => done.promise)
    try {
      await orAbort(before, signal)
      return await work()
    } finally {
      present--
      done.resolve()
    }
  }

  async function picture(
    plan: RenderPlan,
    wanted: RenderRequest,
    index: number,
    signal: AbortSignal,
  ): Promise<string> {
    const folder = await mkdtemp(join(tmpDir, 'render-'))
    try {
      const { prompt, width, height } = wanted
      const output = join(folder, 'out.png')
      const steps = wanted.steps ?? plan.defaultSteps
      const seed = wanted.seed === null ? null : wanted.seed + index
      const command = plan.command({ prompt, width, height, steps, seed, output })
      const { env, timeoutMs } = plan
      const { kind, code, tail } = await runOneShot({ command, env, timeoutMs, signal }, processes)
      if (kind === 'aborted') throw failed('The render was stopped', tail)
      if (kind === 'timeout') throw failed(`The render took longer than ${timeoutMs / 1000} s`, tail)
      if (code !== 0) throw failed(`The engine ended with code ${code}`, tail)
      const file = Bun.file(output)
      if (!(await file.exists()) || file.size === 0) throw failed('The engine wrote no picture', tail)
      if (file.size > MAX_PICTURE_BYTES) throw failed('The picture is larger than 64 MiB', '')
      return Buffer.from(await file.bytes()).toString('base64')
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  return {
    /** Renders what is wanted, under a lease of the engine. @throws {AppError} `image_generation_failed`, `no_capacity` */
    render(wanted: RenderRequest, { plan, signal: dead }: Lease, left: AbortSignal): Promise<Response> {
      if (plan.kind !== 'render') throw new Error('a lease of a server cannot render')
      const signal = AbortSignal.any([left, dead])
      return inTurn(signal, async () => {
        const data: { b64_json: string }[] = []
        while (data.length < wanted.count) {
          data.push({ b64_json: await picture(plan, wanted, data.length, signal) })
        }
        return Response.json({ created: Math.floor(now() / 1000), data })
      }).catch((error: unknown) => {
        if (error instanceof AppError) throw error
        throw signal.aborted ? failed('The render was stopped', '') : error
      })
    },
    /** Resolves when no render runs any more. */
    idle: (): Promise<void> => last,
  }
}

const failed = (what: string, tail: string) =>
  new AppError('image_generation_failed', tail ? `${what}. Its last output:\n${tail}` : `${what}.`)
