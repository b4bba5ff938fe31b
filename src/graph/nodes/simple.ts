import { AppError } from '#kernel/errors'
import { asText } from '#kernel/json'
import { select, transform } from '../expression'
import { configOf } from '../node-types'
import { list, quote } from '../problem'
import { type Outcome, onPort, onSuccess, type StepContext, soleValue } from './step'

/** Nodes that ask nothing of the world: what they give is worked out from what they get. */

export const input = (step: StepContext): Outcome => onSuccess(step, step.run.input ?? null)

export function output(step: StepContext): Outcome {
  const value = soleValue(step)
  return { outputs: new Map(), result: value === null ? '' : asText(value) }
}

export async function transformNode(step: StepContext): Promise<Outcome> {
  const { expr } = configOf('transform', step.node)
  return onSuccess(step, await coded('transform_error', () => transform(expr, step.inputs)))
}

export async function router(step: StepContext): Promise<Outcome> {
  const value = soleValue(step)
  const { select: text } = configOf('router', step.node)
  const chosen = await coded('router_error', () => select(text, step.inputs))
  const branches = step.node.ports.out.map(({ id }) => id)
  if (typeof chosen !== 'string' || !branches.includes(chosen)) {
    throw new AppError(
      'router_error',
      `Node ${quote(step.node.id)}: ${quote(text)} selects ${shown(chosen)}, which is none of its out-ports: ${list(branches)}.`,
    )
  }
  return onPort(step, chosen, value)
}

/** What an author wrote does not work on these values: the run ends with the code of the node's type. */
async function coded<T>(code: 'router_error' | 'transform_error', work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new AppError(code, (error as Error).message, { cause: error })
  }
}

const shown = (value: unknown): string => (value === null ? 'nothing' : quote(asText(value)))
