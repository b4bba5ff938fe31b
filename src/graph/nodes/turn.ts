import { attempt, type Patience, patienceOf } from '../attempts'
import type { Attributes, Emit, RunEvent } from '../events'
import { type Generation, generate, lowered } from '../generate'
import type { ModelBinding } from '../ir'
import { callAt, type StepContext } from './step'

interface Turn {
  /** Under which it is journaled. */
  place: string
  patience: Patience
  binding: ModelBinding
  /** In camelCase, the node's own over those of the binding. */
  params: Record<string, unknown>
  rest: { messages: unknown[]; [param: string]: unknown }
  /** Whether what the model says is part of the run's stream. */
  isHeard: boolean
  /** Goes before the thinking of this turn in the run's stream. */
  lead: string
}

type Said = Generation & { text: string; reasoning: string; tries: number }

/** One model call of a node: on record under its place, each try with a span of its own. */
export async function generation(step: StepContext, turn: Turn): Promise<Said> {
  const { run, node, signal, phases } = step
  const { binding, place } = turn
  const emit = turn.isHeard ? withLead(run.emit, turn.lead) : spansOnly(run.emit)
  const before = phases.generations
  const said = await run.ports.journal.step(place, () =>
    attempt(
      patienceOf(turn.patience, run.ports.patience),
      node.id,
      run.ports.clock,
      signal,
      async (within) => {
        const answer = { text: '', reasoning: '' }
        const made = await generate({
          chat: run.ports.models.chat,
          clock: run.ports.clock,
          request: { ...lowered(turn.params), ...turn.rest, model: binding.model },
          call: callAt(run, place, within),
          span: { node: step.name, phase: phases.nextGeneration() },
          nodeType: node.type,
          order: phases.nextOrder(),
          usageOnSpan: true,
          answer,
          emit,
        })
        return { ...made, ...answer, tries: phases.generations - before }
      },
    ),
  )
  // Taken from the record, its tries have their spans already; what comes now is numbered on from there.
  while (phases.generations < before + said.tries) {
    phases.nextGeneration()
    phases.nextOrder()
  }
  return said
}

/** What a node shows of its generations on its own span; tokens stay where they were counted. */
export function mirrored(first: Attributes, last: Attributes): Attributes {
  const { 'gen_ai.response.finish_reason': finishReason } = last
  const { 'gen_ai.response.finish_reason': _, ...rest } = first
  return finishReason === undefined ? rest : { ...rest, 'gen_ai.response.finish_reason': finishReason }
}

function withLead(emit: Emit, lead: string): Emit {
  let pending = lead
  return (event: RunEvent) => {
    if (event.type !== 'reasoning' || pending === '') return emit(event)
    emit({ type: 'reasoning', text: pending + event.text })
    pending = ''
  }
}

const spansOnly =
  (emit: Emit): Emit =>
  (event) => {
    if (event.type === 'span.open' || event.type === 'span.close') emit(event)
  }
