import { configOf } from '../node-types'
import { childInput, runChild } from './child'
import { asOutcome, type Outcome, type StepContext } from './step'

/** Another agent as one step. Its failure goes to the error port. */
export function subgraph(step: StepContext): Promise<Outcome> {
  const { run, node, index } = step
  const child = runChild(step, {
    config: configOf('subgraph', node),
    id: `sg-${node.id}`,
    input: childInput(step),
    turn: () => run.turns.of(index),
  })
  return asOutcome(
    step,
    child.then((end) => (end.ok ? { ok: true, value: end.output } : { ok: false, message: end.message })),
  )
}
