import type { Tone } from '../kit/badge'
import type { LiveEngine, LocalModel } from './data'

export interface Live {
  tone: Tone
  label: string
  /** It will be another one soon. */
  passing: boolean
}

const COLD: Live = { tone: 'neutral', label: 'Not loaded', passing: false }
const PHASES: Record<'waiting' | 'loading' | 'stopping', Live> = {
  waiting: { tone: 'warn', label: 'Waiting for a place', passing: true },
  loading: { tone: 'accent', label: 'Loading', passing: true },
  stopping: { tone: 'warn', label: 'Being freed', passing: true },
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
  if (draining) return { tone: 'warn', label: `Freed after ${answers(inflight)}`, passing: true }
  if (inflight > 0) return { tone: 'good', label: `At work on ${answers(inflight)}`, passing: true }
  return { tone: 'good', label: 'In memory', passing: false }
}

const answers = (count: number) => (count === 1 ? '1 answer' : `${count} answers`)
