import { type Engine, type EngineName, engineKey, type Machine, type Modality } from './engine'
import { llamacpp } from './llamacpp'
import { mflux } from './mflux'
import { mlx } from './mlx'
import { sdcpp } from './sdcpp'
import { programAsker } from './version'
import { unavailable } from './weights'
import { whispercpp } from './whispercpp'

export type EngineTable = ReturnType<typeof engineTable>

/** All engines, in the order in which they are shown. */
export function engineTable(machine: Machine) {
  const ask = programAsker(machine)
  const all: readonly Engine[] = [
    llamacpp('chat', machine, ask),
    llamacpp('embeddings', machine, ask),
    llamacpp('vision', machine, ask),
    whispercpp(machine, ask),
    sdcpp(machine),
    mlx('chat', machine, ask),
    mlx('vision', machine, ask),
    mlx('audio.speech', machine, ask),
    mflux(machine),
  ]
  const byKey = new Map(all.map((engine) => [engineKey(engine), engine]))

  return {
    all,
    /** Exactly this pair; no other engine stands in. @throws {AppError} `engine_unavailable` */
    get(engine: EngineName, modality: Modality): Engine {
      const found = byKey.get(engineKey({ engine, modality }))
      if (!found) throw unavailable(`No engine serves ${modality} with the binding ${engine}.`)
      return found
    },
  }
}
