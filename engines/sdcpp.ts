import { AppError } from '#kernel/errors'
import { declaredCapabilities } from './capabilities'
import type { Engine, Machine, Render, RenderPlan } from './engine'
import { engineEnvironment } from './environment'
import type { GgufHeader } from './gguf'
import { locate, type Wanted } from './locate'
import { headerOf, imageFile, unavailable, weightBytes } from './weights'

const RENDER_MS = 1_000_000
const DEFAULT_STEPS = 20

const WANTED: Wanted = {
  // Not `sd`, its name of old: on many machines that is a tool that edits text.
  names: ['sd-cli'],
  override: 'SERVICE_SDCPP_BIN',
  folder: 'sdcpp',
  hint: 'Install stable-diffusion.cpp (a release from its site).',
}

/** stable-diffusion.cpp: pictures, one run of the program for each. */
export const sdcpp = (machine: Machine): Engine => ({
  engine: 'llamacpp',
  modality: 'images.generation',
  find: async () => locate(WANTED, machine),

  async plan(registration): Promise<RenderPlan> {
    const finding = locate(WANTED, machine)
    if (!finding.ready) throw unavailable(`${finding.reason} ${finding.hint}`)
    const weights = await imageFile(registration)
    const header = await headerOf(weights)
    const problem = header && imageWeightsProblem(header)
    if (problem) throw new AppError('incomplete_weights', `${weights}: ${problem}`, { status: 503 })
    return {
      kind: 'render',
      command: (render) => [...finding.program, ...sdArguments(weights, render)],
      env: engineEnvironment(machine),
      timeoutMs: RENDER_MS,
      memory: { weightsBytes: await weightBytes(weights), contextBytes: 0 },
      defaultSteps: DEFAULT_STEPS,
    }
  },

  capabilities: async () => declaredCapabilities('images.generation'),
})

/** The command line of sd-cli, after the program. */
export const sdArguments = (
  weights: string,
  { prompt, width, height, steps, seed, output }: Render,
): string[] => [
  ...['-m', weights, '-p', prompt, '-o', output],
  // Left out, it would be the same number each time, and so would the picture.
  ...['--seed', `${seed ?? -1}`],
  ...['--steps', `${steps}`, '-W', `${width}`, '-H', `${height}`],
  ...['--cfg-scale', '7', '--sampling-method', 'euler_a'],
]

/** Why this file cannot render pictures by itself; `null` when nothing speaks against it. */
export function imageWeightsProblem({ tensorNames, files }: GgufHeader): string | null {
  // Its tensors are in the other files too, which were not read.
  if (files > 1) return null
  if (tensorNames.some((name) => name.startsWith('token_embd.'))) {
    return 'this is a language model and cannot render pictures. Register it with the modality chat.'
  }
  if (!tensorNames.some((name) => name.startsWith('first_stage_model.'))) {
    return 'the file holds a part of an image model only (no VAE is in it). Use one that holds all parts.'
  }
  return null
}
