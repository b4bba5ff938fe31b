import { AppError } from '#kernel/errors'
import { isTooDeep, MAX_VALUE_DEPTH } from './depth'
import { whyEmpty } from './empty-output'
import type { Emit, RunEvent, RunOutput } from './events'
import type { AgentDocument, GraphNode } from './ir'
import { isNodeType } from './node-types'
import { NODES } from './nodes'
import type { Outcome, Phases, RunContext, StepContext } from './nodes/step'
import { type Plan, planOf, type Step } from './plan'
import type { Ports } from './ports'
import { list, quote } from './problem'
import { schedule } from './schedule'
import { TemplateError } from './template'

export interface RunInput {
  runId: string
  /** Any JSON value. */
  input: unknown
  /** The session's messages so far, oldest first; every llm node sends them before its own. */
  history: readonly { role: string; content: string }[]
  /** By node, what an earlier run put out on each port: these nodes are not done again. */
  recorded?: ReadonlyMap<string, Readonly<Record<string, unknown>>>
}

/** What became of a step: it ran and activated out-ports, or no live branch led to it. */
export type StepEnd = Outcome | 'skipped'

/**
 * Runs a parsed document that needs no durable run. What happens is told to `emit`; when `signal` fires, it rejects as
 * soon as what is in flight has ended.
 * @throws {AppError} why the run failed
 */
export async function runGraph(
  document: AgentDocument,
  { runId, input, history, recorded }: RunInput,
  ports: Ports,
  emit: Emit,
  signal: AbortSignal,
): Promise<RunOutput> {
  if (isTooDeep(input)) {
    throw new AppError('validation_error', `The input is nested more than ${MAX_VALUE_DEPTH} levels deep.`)
  }
  const plan = planOf(document)
  const run: RunContext = {
    document,
    runId,
    input,
    history,
    offered: plan.offered,
    ports,
    emit: beginsOnce(emit),
  }
  const ends: (StepEnd | undefined)[] = plan.steps.map(() => undefined)
  await schedule(
    plan.steps,
    async (index, stop) => {
      const step = plan.steps[index]!
      ends[index] = await runStep(run, step, ends, stop, recorded?.get(step.node.id))
    },
    signal,
  )
  return outputOf(plan, ends as StepEnd[])
}

/** Each model that answers says that the stream begins; it begins with the first. */
function beginsOnce(emit: Emit): Emit {
  let hasBegun = false
  return (event: RunEvent) => {
    if (event.type !== 'streaming') return emit(event)
    if (!hasBegun) emit(event)
    hasBegun = true
  }
}

/** Room for the phases of a node before the span of the next one; a 32-bit number is enough for 200,000 nodes. */
const ORDERS_PER_NODE = 10_000

async function runStep(
  run: RunContext,
  step: Step,
  ends: readonly (StepEnd | undefined)[],
  signal: AbortSignal,
  recorded: Readonly<Record<string, unknown>> | undefined,
): Promise<StepEnd> {
  const { node } = step
  const order = (step.index + 1) * ORDERS_PER_NODE
  const span = { node: node.id }
  const { emit } = run
  emit({ type: 'span.open', span, nodeType: node.type, kind: node.kind, order })
  const values = valuesFor(step, ends)
  if (!values) {
    emit({ type: 'span.close', span, status: 'skipped' })
    return 'skipped'
  }
  const context = contextOf(run, step, order, values, signal)
  const { attributes, inspection } = context
  /** The record comes before the span closes, which carries its sizes. */
  const record = (outputs: ReadonlyMap<string, unknown>) =>
    emit({
      type: 'node.io',
      node: node.id,
      inputs: Object.fromEntries(values),
      outputs: { ...Object.fromEntries(outputs), ...inspection },
    })
  try {
    const outcome = recorded ? reused(context, recorded) : await executed(context)
    const { error } = outcome
    record(outcome.outputs)
    emit({
      type: 'span.close',
      span,
      attributes,
      ...(error === undefined ? { status: 'ok' } : { status: 'err', error }),
    })
    return outcome
  } catch (thrown) {
    record(new Map())
    const error = signal.aborted ? 'The run ended before this step did.' : (thrown as Error).message
    emit({ type: 'span.close', span, status: 'err', error, attributes })
    throw thrown
  }
}

/** The values that live branches bring; nothing where branches lead here and none of them is live. */
function valuesFor(
  { node, feeds }: Step,
  ends: readonly (StepEnd | undefined)[],
): Map<string, unknown> | undefined {
  const values = new Map<string, unknown>()
  for (const { port, source, handle } of feeds) {
    const end = ends[source]!
    if (end !== 'skipped' && end.outputs.has(handle)) values.set(port, end.outputs.get(handle))
  }
  const isDead = feeds.length > 0 && values.size === 0 && node.type !== 'input'
  return isDead ? undefined : values
}

function contextOf(
  run: RunContext,
  { node, ports }: Step,
  order: number,
  values: ReadonlyMap<string, unknown>,
  signal: AbortSignal,
): StepContext {
  return {
    run,
    node,
    inputs: { node: node.id, ports, values },
    place: node.id,
    signal,
    phases: phasesAfter(order),
    inspection: {},
    attributes: {},
  }
}

function phasesAfter(order: number): Phases {
  let phases = 0
  let generations = 0
  return {
    nextGeneration: () => (generations++ === 0 ? 'model.generate' : `model.generate#${generations - 1}`),
    nextOrder: () => order + Math.min(++phases, ORDERS_PER_NODE - 1),
    get generations() {
      return generations
    },
  }
}

/** As the earlier run left it; what it put out on an error port was its failure. */
function reused({ node, attributes }: StepContext, recorded: Readonly<Record<string, unknown>>): Outcome {
  attributes['service.reused'] = true
  const live = node.ports.out.filter(({ id }) => Object.hasOwn(recorded, id))
  const failed = live.find(({ type }) => type === 'error')
  return {
    outputs: new Map(live.map(({ id }) => [id, recorded[id]])),
    ...(failed && { error: String(recorded[failed.id]) }),
  }
}

async function executed(context: StepContext): Promise<Outcome> {
  const { node, signal } = context
  const execute = isNodeType(node.type) ? NODES[node.type] : undefined
  if (!execute) {
    throw new AppError('durable_required', `Node ${quote(node.id)}: a ${node.type} node only runs durably.`)
  }
  try {
    const outcome = await execute(context)
    // What fetches something sees to that itself; a template may still build something out of depth.
    for (const value of outcome.outputs.values()) if (isTooDeep(value)) throw tooDeep(node)
    return outcome
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof TemplateError) throw new AppError('template_error', error.message, { cause: error })
    // What serializes or walks a value has no other way to say that it is too deep or too large.
    if (error instanceof RangeError) throw tooDeep(node, error)
    throw error
  }
}

const tooDeep = ({ id, type }: GraphNode, cause?: RangeError) =>
  new AppError(
    type === 'transform' ? 'transform_error' : 'template_error',
    `Node ${quote(id)}: a value is nested too deep, or too large.`,
    { cause },
  )

function outputOf({ steps }: Plan, ends: readonly StepEnd[]): RunOutput {
  const results = steps.flatMap(({ index, node }) => {
    const end = ends[index]!
    return end !== 'skipped' && end.result !== undefined ? [{ id: node.id, result: end.result }] : []
  })
  if (results.length > 1) {
    throw new AppError(
      'template_error',
      `The output is ambiguous: ${results.length} output nodes were reached in one run: ${list(results.map(({ id }) => id))}. Put them on branches that exclude each other.`,
    )
  }
  const output = results[0]?.result ?? ''
  return output.trim() === '' ? { output, ...whyEmpty(steps, ends, results.length > 0) } : { output }
}
