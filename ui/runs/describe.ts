import { texts as runs } from '../texts/runs'

const texts = runs.outcome

/** The run as the control plane answers it, as far as words are made of it. */
export interface Outcome {
  status: string
  error: string | null
  output: string | null
}

export interface Explanation {
  kind: 'error' | 'note'
  title: string
  /** The server's own words. */
  message: string
  /** What to do, where something can be done. */
  help: string | null
}

/** Why a run failed, or why a completed one has nothing to show; null where there is nothing to explain. */
export function explain({ status, error, output }: Outcome): Explanation | null {
  if (status === 'failed') return failure(error ?? texts.unexplained)
  if (status !== 'completed') return null
  if (error) return { kind: 'note', title: texts.unanswered, message: error, help: helpFor(error) }
  if (output === null || output === '') {
    return { kind: 'note', title: texts.unanswered, message: texts.emptyOutput, help: null }
  }
  return null
}

function failure(message: string): Explanation {
  if (message === 'cancelled') {
    return {
      kind: 'note',
      title: texts.stopped,
      message: texts.stoppedHint,
      help: null,
    }
  }
  if (message.startsWith('interrupted:')) {
    return { kind: 'error', title: texts.interrupted, message, help: helpFor(message) }
  }
  return { kind: 'error', title: texts.failed, message, help: helpFor(message) }
}

const HELP: [RegExp, string][] = [
  [/client disconnected/, texts.help.disconnected],
  [/control-plane restarted/, texts.help.restarted],
  [/credential/i, texts.help.credential],
  [/max_?tokens|token limit|finish_reason/i, texts.help.maxTokens],
  [/unreachable|ECONNREFUSED|fetch failed/i, texts.help.unreachable],
]

const helpFor = (message: string) => HELP.find(([pattern]) => pattern.test(message))?.[1] ?? null

export const isUnfinished = ({ status }: { status: string }) => status !== 'completed' && status !== 'failed'

/** How long a run took, or takes so far. */
export const durationMs = (run: { created_at: string; completed_at: string | null }, nowMs: number) =>
  Math.max(0, (run.completed_at === null ? nowMs : Date.parse(run.completed_at)) - Date.parse(run.created_at))
