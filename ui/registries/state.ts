import type { Tone } from '../kit/badge'
import { texts as registries } from '../texts/registries'
import type { LiveEngine, LocalModel } from './data'

const texts = registries.states

export interface Live {
  tone: Tone
  label: string
  /** It will be another one soon. */
  passing: boolean
}

const COLD: Live = { tone: 'neutral', label: texts.cold, passing: false }
const PHASES: Record<'waiting' | 'loading' | 'stopping', Live> = {
  waiting: { tone: 'warn', label: texts.waiting, passing: true },
  loading: { tone: 'accent', label: texts.loading, passing: true },
  stopping: { tone: 'warn', label: texts.stopping, passing: true },
}

/** How a model of this machine stands, in words. */
export function liveOf({ resident, draining, inflight, phase }: LocalModel['state']): Live {
  if (phase) return PHASES[phase]
  return resident ? atWork(inflight, draining) : COLD
}

/** The same for what holds a slot. */
export const liveInSlot = ({ phase, inflight, draining }: LiveEngine): Live =>
  phase === 'ready' ? atWork(inflight, draining) : PHASES[phase]

function atWork(inflight: number, draining: boolean): Live {
  if (draining) return { tone: 'warn', label: texts.draining(inflight), passing: true }
  if (inflight > 0) return { tone: 'good', label: texts.atWork(inflight), passing: true }
  return { tone: 'good', label: texts.ready, passing: false }
}
