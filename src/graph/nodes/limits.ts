import { asText } from '#kernel/json'
import { configOf } from '../node-types'
import { resolveValue } from '../template'
import { type Outcome, onPort, type StepContext, soleValue } from './step'

const MS_PER_SECOND = 1_000

/** Fixed windows: a value is counted even when it is denied. */
export async function ratelimit(step: StepContext): Promise<Outcome> {
  const value = soleValue(step)
  const { keyExpr, limit, windowSeconds } = configOf('ratelimit', step.node)
  const { document, ports } = step.run
  const key = `${document.id}:${step.node.id}:${keyOf(keyExpr, step)}`
  const hits = await ports.journal.step(step.place, () => {
    const window = Math.floor(ports.clock.now() / (windowSeconds * MS_PER_SECOND))
    return ports.counters.hit({ key, window, windowSeconds })
  })
  return hits <= limit
    ? onPort(step, 'allow', value)
    : denied(step, `rate limit exceeded (${limit}/${windowSeconds}s)`)
}

/** Tokens are counted over all runs of the agent, whatever the key. */
export async function quota(step: StepContext): Promise<Outcome> {
  const value = soleValue(step)
  const { budgetTokens, windowSeconds } = configOf('quota', step.node)
  const { document, ports } = step.run
  const used = await ports.journal.step(step.place, () =>
    ports.counters.usedTokens({
      agentId: document.id,
      since: ports.clock.now() - windowSeconds * MS_PER_SECOND,
    }),
  )
  return used < budgetTokens
    ? onPort(step, 'allow', value)
    : denied(step, `token budget exceeded (${budgetTokens}/${windowSeconds}s)`)
}

const denied = (step: StepContext, reason: string) => onPort(step, 'deny', { denied: true, reason })

/** A reference that cannot be followed is a key like any other text. */
function keyOf(keyExpr: string, { inputs }: StepContext): string {
  try {
    return asText(resolveValue(keyExpr, inputs))
  } catch {
    return keyExpr
  }
}
