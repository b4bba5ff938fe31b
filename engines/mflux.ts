import { declaredCapabilities } from './capabilities'
import type { Engine, Finding, Machine, Override, Render, RenderPlan } from './engine'
import { engineEnvironment } from './environment'
import { locate, type Wanted } from './locate'
import { isAppleSilicon, NOT_A_MAC } from './mlx'
import { mlxModel, unavailable } from './weights'

const RENDER_MS = 1_000_000
const DEFAULT_STEPS = 3

const WANTED: Wanted & { override: Override } = {
  names: ['mflux-generate'],
  override: 'SERVICE_MFLUX_BIN',
  folder: 'mlx',
  hint: 'Only on a Mac with Apple silicon: `pip install mflux`.',
}

/** mflux: pictures on Apple machines, one run of the program for each. */
export function mflux(machine: Machine): Engine {
  const find = async (): Promise<Finding> => {
    const overridden = machine.overrides[WANTED.override] !== undefined
    if (!overridden && !isAppleSilicon(machine)) return { ...NOT_A_MAC, hint: WANTED.hint }
    return locate(WANTED, machine)
  }
  return {
    engine: 'mlx',
    modality: 'images.generation',
    find,

    async plan(registration): Promise<RenderPlan> {
      const finding = await find()
      if (!finding.ready) throw unavailable(`${finding.reason} ${finding.hint}`)
      const model = await mlxModel(registration)
      return {
        kind: 'render',
        command: (render) => [...finding.program, ...mfluxArguments(model, render)],
        env: engineEnvironment(machine, { hub: registration.source !== 'local-path' }),
        timeoutMs: RENDER_MS,
        defaultSteps: DEFAULT_STEPS,
      }
    },

    capabilities: async () => declaredCapabilities('images.generation'),
  }
}

/** The command line of mflux-generate, after the program. */
export const mfluxArguments = (
  model: string,
  { prompt, width, height, steps, seed, output }: Render,
): string[] => [
  ...['--model', model, '-q', '4', '--steps', `${steps}`],
  ...['--width', `${width}`, '--height', `${height}`],
  ...(seed === null ? [] : ['--seed', `${seed}`]),
  // Python's argument parser takes a value that begins with a dash for an option.
  ...['--prompt', prompt.startsWith('-') ? ` ${prompt}` : prompt, '--output', output],
]
