import { AppError } from '#kernel/errors'
import { unlessAborted } from '../abort'
import { configOf } from '../node-types'
import { quote } from '../problem'
import { durableOf } from './child'
import { type Outcome, onSuccess, type StepContext } from './step'

/** Asks a person, when it is this node's turn, and waits for the answer. */
export async function human(step: StepContext): Promise<Outcome> {
  const { run, node, place, index, signal } = step
  const { prompt, inputSchema, timeout, onTimeout, default: fallback } = configOf('human', node)
  const durable = durableOf(step)
  const end = await step.idly(async () => {
    await unlessAborted(run.turns.of(index), signal)
    const input = Object.fromEntries(step.inputs.values)
    const gate = { key: place, prompt, inputSchema, timeoutSeconds: timeout, input }
    return unlessAborted(durable.gate(gate, signal), signal)
  })
  if (end.kind === 'answer') return onSuccess(step, end.value)
  if (onTimeout === 'default') return onSuccess(step, fallback ?? null)
  throw new AppError('gate_timeout', `Node ${quote(node.id)}: nobody answered within ${timeout} s (timeout).`)
}
