import type { RunOutput } from './events'
import type { Outcome } from './nodes/step'
import type { Step } from './plan'
import { quote } from './problem'
import type { StepEnd } from './run'

const MAX_CAUSE_CHARS = 300

/** Why a run that ended well has nothing to show, where that can be told. */
export function whyEmpty(
  steps: readonly Step[],
  ends: readonly StepEnd[],
  isOutputReached: boolean,
): Omit<RunOutput, 'output'> {
  const ran = steps.flatMap(({ index, node }) => {
    const end = ends[index]!
    return end === 'skipped' ? [] : [{ id: node.id, end }]
  })
  const failed = failureOf(ran)
  if (isOutputReached) return blankAnswer(ran) ?? failed ?? {}
  if (failed) return failed
  return steps.some(({ node }) => node.type === 'output')
    ? { note: 'The taken branch reaches no output node.', note_code: 'output_not_reached' }
    : { note: 'The graph declares no output node.', note_code: 'no_output_node' }
}

type Ran = { id: string; end: Outcome }[]

/** The failure that nothing took up, else the first one. */
function failureOf(ran: Ran): Omit<RunOutput, 'output'> | undefined {
  const failures = ran.filter(({ end }) => end.error !== undefined)
  const first = failures.find(({ end }) => end.outputs.size === 0) ?? failures[0]
  if (!first) return undefined
  const cause = first.end.error!.slice(0, MAX_CAUSE_CHARS)
  return { note: `Upstream error on node ${quote(first.id)}: ${cause}`, note_code: 'upstream_error' }
}

/** The last model that said nothing, for a reason that it gave. */
function blankAnswer(ran: Ran): Omit<RunOutput, 'output'> | undefined {
  const last = ran.findLast(({ end }) => end.blank !== undefined)
  if (!last) return undefined
  return last.end.blank === 'token_limit'
    ? {
        note: `Node ${quote(last.id)} hit its token limit (finish_reason length) before it answered: raise maxTokens.`,
        note_code: 'token_limit',
      }
    : {
        note: `Node ${quote(last.id)} still asked for tools after its last round (maxToolIterations), and did not answer.`,
        note_code: 'tool_limit',
      }
}
