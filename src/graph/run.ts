import { AppError } from '#kernel/errors'
import { busily, idler } from './activity'
import { isTooDeep, MAX_VALUE_DEPTH } from './depth'
import { whyEmpty } from './empty-output'
import type { Emit, RunEvent, RunOutput } from './events'
import type { AgentDocument, GraphNode } from './ir'
import { isNodeType, NODE_TYPES } from './node-types'
import { NODES } from './nodes'
import type { Child, Outcome, Phases, RunContext, StepContext } from './nodes/step'
import { placeOf } from './place'
import { type Plan, planOf, type Step } from './plan'
import type { Ports } from './ports'
import { list, quote } from './problem'
import { type Slot, schedule } from './schedule'
import { TemplateError } from './template'
import { turns } from './turns'

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
 * Runs a parsed document. What happens is told to `emit`; when `signal` fires, it rejects as soon as what is in flight
 * has ended. Nodes that outlive the process need `ports.durable`.
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
  const run = { document, runId, input, history, ports, emit: beginsOnce(emit), prefix: '', depth: 0 }
  return interpret({ ...run, children: { count: 0 } }, async () => {}, signal, recorded)
}

type RunStart = Omit<RunContext, 'offered' | 'turns' | 'child'>

/** `turn` resolves when nothing before this run may ask a person any more. */
async function interpret(
  start: RunStart,
  turn: () => Promise<void>,
  signal: AbortSignal,
  recorded?: RunInput['recorded'],
): Promise<RunOutput> {
  const plan = planOf(start.document)
  const run: RunContext = {
    ...start,
    offered: plan.offered,
    turns: turns(askers(plan), turn),
    child: (child) => runChild(run, child),
  }
  const ends: (StepEnd | undefined)[] = plan.steps.map(() => undefined)
  await schedule(
    plan.steps,
    async (index, stop, slot) => {
      const step = plan.steps[index]!
      ends[index] = await busily(run.ports.durable?.activity, () =>
        runStep(run, step, ends, stop, slot, recorded?.get(step.node.id)),
      )
      run.turns.ended(index)
    },
    signal,
  )
  return outputOf(plan, ends as StepEnd[])
}

/** Steps that may ask a person, by themselves or in a child. */
const askers = ({ steps }: Plan): number[] =>
  steps.flatMap(({ index, node }) =>
    isNodeType(node.type) && NODE_TYPES[node.type].durableOnly ? [index] : [],
  )

/** A child begins with no history, and what its models say is no part of the run's stream. */
function runChild(run: RunContext, { within, order, place, turn, signal, ...child }: Child) {
  const { ports, depth, children } = run
  const emit: Emit = (event) => {
    switch (event.type) {
      case 'span.open': {
        const isPhase = event.span.phase !== undefined
        const agentId = event.agentId ?? child.document.id
        return run.emit({ ...event, order, agentId, ...(isPhase ? {} : { within: event.within ?? within }) })
      }
      case 'span.close':
      case 'node.io':
        return run.emit(event)
      case 'streaming':
      case 'delta':
      case 'reasoning':
      case 'tool_call':
        return
    }
  }
  const start = { ...child, history: [], ports, emit, prefix: `${place}/`, depth: depth + 1, children }
  return interpret(start, turn, signal)
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
  slot: Slot,
  recorded: Readonly<Record<string, unknown>> | undefined,
): Promise<StepEnd> {
  const { node } = step
  const order = (step.index + 1) * ORDERS_PER_NODE
  const name = run.prefix + node.id
  const span = { node: name }
  const { emit } = run
  emit({ type: 'span.open', span, nodeType: node.type, kind: node.kind, order })
  const values = valuesFor(step, ends)
  if (!values) {
    emit({ type: 'span.close', span, status: 'skipped' })
    return 'skipped'
  }
  const context = contextOf(run, step, { order, name, values, signal, slot })
  const { attributes, inspection } = context
  /** The record comes before the span closes, which carries its sizes. */
  const record = (outputs: ReadonlyMap<string, unknown>) =>
    emit({
      type: 'node.io',
      node: name,
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
  { index, node, ports }: Step,
  {
    values,
    slot,
    ...rest
  }: { values: ReadonlyMap<string, unknown>; slot: Slot } & Pick<StepContext, 'order' | 'name' | 'signal'>,
): StepContext {
  return {
    ...rest,
    run,
    node,
    index,
    inputs: { node: node.id, ports, values },
    place: run.prefix + placeOf(node.id),
    phases: phasesAfter(rest.order),
    inspection: {},
    attributes: {},
    idly: idler(run.ports.durable?.activity, slot),
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
  if (!execute)
    throw new AppError('node_type_unavailable', `Node ${quote(node.id)}: a ${node.type} node cannot be run.`)
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
