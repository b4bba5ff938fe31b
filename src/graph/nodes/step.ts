import { AppError } from '#kernel/errors'
import { attempt, type Patience, patienceOf } from '../attempts'
import { isTooDeep, MAX_VALUE_DEPTH } from '../depth'
import type { Attributes, Emit, NoteCode, RunOutput, SpanRef } from '../events'
import type { AgentDocument, GraphNode } from '../ir'
import type { Call, Ports } from '../ports'
import { list, quote } from '../problem'
import type { Inputs } from '../template'
import type { Turns } from '../turns'

/** What all steps of a run share. */
export interface RunContext {
  document: AgentDocument
  runId: string
  input: unknown
  history: readonly { role: string; content: string }[]
  /** Nodes offered to a model, by the id of its node. */
  offered: ReadonlyMap<string, readonly GraphNode[]>
  ports: Ports
  emit: Emit
  /** Goes before the places of its nodes: empty, or the place of the child run that this is. */
  prefix: string
  /** How many runs are around this one. */
  depth: number
  /** Shared with the runs around it. */
  children: { count: number }
  turns: Turns
  /** Runs another graph within this one, to its end. */
  child(child: Child): Promise<RunOutput>
}

/** A graph that is run as a part of another run. */
export interface Child {
  document: AgentDocument
  /** Its own id, made of that of the run around it. */
  runId: string
  /** Its place in the execution. */
  place: string
  input: unknown
  /** The span that its own are parts of. */
  within: SpanRef
  order: number
  /** Whose turn it is, seen from where the child stands. */
  turn: () => Promise<void>
  signal: AbortSignal
}

/** One node, about to run. */
export interface StepContext {
  run: RunContext
  node: GraphNode
  inputs: Inputs
  /** Its place in the execution, under which its effects are journaled. */
  place: string
  /** What its span is of: the node's id, behind the place of the child run where it is in one. */
  name: string
  /** Its place in the topological order. */
  index: number
  /** Its span's place among those of the run. */
  order: number
  signal: AbortSignal
  phases: Phases
  /** For people to look into, beside the node's outputs: `reasoning`, `tool_calls`. Kept when the node fails, too. */
  inspection: Record<string, unknown>
  /** Shown on the node's span. */
  attributes: Attributes
  /** Waits for something that is no work of this step, which takes no room meanwhile. */
  idly<T>(wait: () => Promise<T>): Promise<T>
}

/** Numbers what happens within a node. */
export interface Phases {
  /** Phase of the next generation: `model.generate`, then `model.generate#1`, … */
  nextGeneration(): string
  /** The next place under the node's span, among all spans of the run. */
  nextOrder(): number
  /** How many generations there were so far. */
  readonly generations: number
}

export interface Outcome {
  /** Values by the out-ports that the node activates. */
  outputs: ReadonlyMap<string, unknown>
  /** The node failed, and the run goes on. */
  error?: string
  /** Of an output node: the output of the run. */
  result?: string
  /** Why there is nothing in the node's answer. */
  blank?: Extract<NoteCode, 'token_limit' | 'tool_limit'>
}

export type Execute = (step: StepContext) => Outcome | Promise<Outcome>

const isError = (port: { type: string }) => port.type === 'error'

export const onSuccess = ({ node }: StepContext, value: unknown): Outcome => ({
  outputs: new Map(node.ports.out.filter((port) => !isError(port)).map(({ id }) => [id, value])),
})

/** The failure as a value: its message on every error port. */
const onFailure = ({ node }: StepContext, message: string): Outcome => ({
  outputs: new Map(node.ports.out.filter(isError).map(({ id }) => [id, message])),
  error: message,
})

/** Down one out-port; nothing goes on where the node does not declare it. */
export const onPort = ({ node }: StepContext, handle: string, value: unknown): Outcome => ({
  outputs: new Map(node.ports.out.some(({ id }) => id === handle) ? [[handle, value]] : []),
})

/** The value of a node that takes one: it has one in-port, and null is what an unfed one holds. */
export function soleValue({ node, inputs }: StepContext): unknown {
  const ports = node.ports.in.filter(({ role }) => role === 'data')
  if (ports.length > 1) {
    throw new AppError(
      'template_error',
      `Node ${quote(node.id)}: a node of the type ${node.type} takes one value, but declares ${ports.length} in-ports: ${list(ports.map(({ id }) => id))}. Join them with a transform before it.`,
    )
  }
  return ports[0] === undefined ? null : (inputs.values.get(ports[0].id) ?? null)
}

/** What goes along with an effect at this place. */
export const callAt = ({ runId, ports }: RunContext, place: string, signal: AbortSignal): Call => ({
  runId,
  place,
  signal,
  ...(ports.durable && { idempotencyKey: `${ports.durable.runId}:${place}` }),
})

type Tried<T> = { ok: true; value: T } | { ok: false; message: string }

/** An effect whose failure is data: on record under `place`, tried as often as the node's author wants. */
export function tryEffect<T>(
  { run, node, signal }: Pick<StepContext, 'run' | 'node' | 'signal'>,
  place: string,
  patience: Patience,
  work: (call: Call) => Promise<T>,
): Promise<Tried<T>> {
  return run.ports.journal.step(place, async (): Promise<Tried<T>> => {
    try {
      const patient = patienceOf(patience, run.ports.patience)
      const value = await attempt(patient, node.id, run.ports.clock, signal, (within) =>
        work(callAt(run, place, within)),
      )
      if (isTooDeep(value)) throw new Error(`The result is nested more than ${MAX_VALUE_DEPTH} levels deep.`)
      return { ok: true, value }
    } catch (error) {
      signal.throwIfAborted()
      return { ok: false, message: messageOf(error) }
    }
  })
}

/** A failure's words; there are always some. */
export const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).trim() || 'It failed without saying why.'

/** The outcome of a node that is nothing but one effect. */
export async function asOutcome(step: StepContext, tried: Promise<Tried<unknown>>): Promise<Outcome> {
  const outcome = await tried
  return outcome.ok ? onSuccess(step, outcome.value ?? null) : onFailure(step, outcome.message)
}
