import { AppError } from '#kernel/errors'
import type { AgentPin, DurablePort } from '../durable'
import type { SpanRef } from '../events'
import { quote } from '../problem'
import { callAt, type StepContext } from './step'

/** A node that runs another agent, and how deep that may lie. */
interface Config extends AgentPin {
  maxDepth: number
}

interface ChildRun {
  config: Config
  /** What its id adds to that of the run around it: `sg-<node>`, `loop-<node>-<i>`, `map-<node>-<i>`. */
  id: string
  /** Of a loop or a map: which one it is. It has a span of its own then. */
  branch?: number
  input: unknown
  turn: () => Promise<void>
}

/** How a child ended; this is what is on record of it, so that what follows is the same after a crash. */
export type ChildEnd = { ok: true; output: string } | { ok: false; code: string; message: string }

export function durableOf({ run, node }: StepContext): DurablePort {
  const { durable } = run.ports
  if (durable) return durable
  throw new AppError('durable_required', `Node ${quote(node.id)}: a ${node.type} node only runs durably.`)
}

/** Runs an agent as a part of this node. Its failure is a value. */
export async function runChild(step: StepContext, child: ChildRun): Promise<ChildEnd> {
  const { branch } = child
  if (branch === undefined) return recorded(step, child, step.place, { node: step.name })
  const { emit } = step.run
  const span = { node: step.name, branch }
  const { type, kind } = step.node
  emit({ type: 'span.open', span, nodeType: type, kind, order: step.order })
  try {
    const end = await recorded(step, child, `${step.place}#${branch}`, span)
    emit({ type: 'span.close', span, ...(end.ok ? { status: 'ok' } : { status: 'err', error: end.message }) })
    return end
  } catch (error) {
    emit({ type: 'span.close', span, status: 'err', error: (error as Error).message })
    throw error
  }
}

function recorded(step: StepContext, child: ChildRun, place: string, within: SpanRef): Promise<ChildEnd> {
  return step.run.ports.journal.step(place, async (): Promise<ChildEnd> => {
    try {
      return { ok: true, output: await outputOf(step, child, place, within) }
    } catch (error) {
      step.signal.throwIfAborted()
      // Anything else is a bug, and ends the whole run as one.
      if (!(error instanceof AppError)) throw error
      return { ok: false, code: error.code, message: error.message }
    }
  })
}

async function outputOf(
  step: StepContext,
  { config, id, input, turn }: ChildRun,
  place: string,
  within: SpanRef,
) {
  const { run, node, signal, order } = step
  const durable = durableOf(step)
  if (run.depth + 1 > config.maxDepth) throw tooDeep(node.id, config.maxDepth)
  if (++run.children.count > durable.maxChildren) throw tooMany(node.id, durable.maxChildren)
  const at = `${step.place}/agent`
  const hash = await run.ports.journal.step(at, () => durable.agents.resolve(config, callAt(run, at, signal)))
  const document = await durable.agents.load(hash)
  const child = { document, runId: `${run.runId}-${id}`, place, input, within, order, turn, signal }
  const { output } = await step.idly(() => run.child(child))
  return output
}

/** What a child begins with: the value of the only in-port, or all values by their ports. */
export function childInput({ node, inputs }: StepContext): unknown {
  const ports = node.ports.in.filter(({ role }) => role === 'data')
  if (ports.length === 1) return inputs.values.get(ports[0]!.id) ?? null
  return ports.length === 0 ? null : Object.fromEntries(inputs.values)
}

const tooDeep = (node: string, maxDepth: number) =>
  new AppError(
    'child_too_deep',
    `Node ${quote(node)}: the agent would run more than ${maxDepth} levels deep (maxDepth).`,
  )

const tooMany = (node: string, most: number) =>
  new AppError('too_many_children', `Node ${quote(node)}: one run may run other agents ${most} times in all.`)
