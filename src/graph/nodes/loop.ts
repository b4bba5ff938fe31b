import { AppError } from '#kernel/errors'
import { ExpressionError, select } from '../expression'
import { configOf } from '../node-types'
import { quote } from '../problem'
import { childInput, runChild } from './child'
import { type Outcome, onSuccess, type StepContext } from './step'

/** Runs an agent on its own output until a condition holds, or as often as it may. */
export async function loop(step: StepContext): Promise<Outcome> {
  const { run, node, index } = step
  const config = configOf('loop', node)
  let value = childInput(step)
  for (let branch = 0; branch < config.maxIterations; branch++) {
    const end = await runChild(step, {
      config,
      id: `loop-${node.id}-${branch}`,
      branch,
      input: value,
      turn: () => run.turns.of(index),
    })
    if (!end.ok) throw new AppError(end.code, `Node ${quote(node.id)}, turn ${branch}: ${end.message}`)
    value = end.output
    if (await holds(config.condition, end.output, node.id)) break
  }
  return onSuccess(step, value)
}

/** A text that is not empty holds, whatever it says. */
async function holds(condition: string | null, output: string, node: string): Promise<boolean> {
  if (condition === null) return false
  try {
    return Boolean(await select(condition, { node, ports: ['in'], values: new Map([['in', output]]) }))
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error
    throw new AppError('template_error', error.message, { cause: error })
  }
}
