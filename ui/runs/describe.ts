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
  if (status === 'failed') return failure(error ?? 'The run failed without saying why.')
  if (status !== 'completed') return null
  if (error)
    return { kind: 'note', title: 'Completed without an answer', message: error, help: helpFor(error) }
  if (output === null || output === '') {
    return { kind: 'note', title: 'Completed without an answer', message: 'The output is empty.', help: null }
  }
  return null
}

function failure(message: string): Explanation {
  if (message === 'cancelled') {
    return {
      kind: 'note',
      title: 'Stopped',
      message: 'Somebody stopped this run before it was done.',
      help: null,
    }
  }
  if (message.startsWith('interrupted:')) {
    return { kind: 'error', title: 'Interrupted', message, help: helpFor(message) }
  }
  return { kind: 'error', title: 'The run failed', message, help: helpFor(message) }
}

const HELP: [RegExp, string][] = [
  [
    /client disconnected/,
    'The page that listened was closed, and nobody came back within ten seconds. Ask again to run it anew.',
  ],
  [/control-plane restarted/, 'Tycho was stopped or restarted while it ran. Ask again to run it anew.'],
  [/credential/i, 'Check the model’s credential on the Models screen.'],
  [
    /max_?tokens|token limit|finish_reason/i,
    'Raise maxTokens in the model’s parameters on the Models screen.',
  ],
  [
    /unreachable|ECONNREFUSED|fetch failed/i,
    'Check that the provider runs, and its base URL on the Models screen.',
  ],
]

const helpFor = (message: string) => HELP.find(([pattern]) => pattern.test(message))?.[1] ?? null

export const isUnfinished = ({ status }: { status: string }) => status !== 'completed' && status !== 'failed'

/** How long a run took, or takes so far. */
export const durationMs = (run: { created_at: string; completed_at: string | null }, nowMs: number) =>
  Math.max(0, (run.completed_at === null ? nowMs : Date.parse(run.completed_at)) - Date.parse(run.created_at))
