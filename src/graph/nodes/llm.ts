import { type ConfigOf, configOf } from '../node-types'
import { type Inputs, renderInline } from '../template'
import { argumentsOf, type ToolCall } from '../tool-calls'
import { type Offer, offersOf } from './offers'
import { type Outcome, onSuccess, type StepContext } from './step'
import { callTool } from './tool-turn'
import { generation, mirrored } from './turn'

type Config = ConfigOf<'llm'>
type Said = Awaited<ReturnType<typeof generation>>

/** Asks a model, and does what it asks for until it answers or its rounds of tool calls are used up. */
export async function llm(step: StepContext): Promise<Outcome> {
  const config = configOf('llm', step.node)
  const offers = await offersOf(step)
  const messages: unknown[] = [
    ...step.run.history,
    ...config.messages.map((message) => rendered(message, step.inputs)),
  ]
  const thoughts: string[] = []
  let first: Said | undefined
  let calls = 0
  for (let round = 0; ; round++) {
    const said = await turn(step, config, { messages, offers, round, hasThought: thoughts.length > 0 })
    first ??= said
    if (said.reasoning !== '') thoughts.push(said.reasoning)
    if (thoughts.length > 0) step.inspection.reasoning = thoughts.join('\n\n')
    Object.assign(step.attributes, mirrored(first.attributes, said.attributes))
    const wantsTools = offers.size > 0 && said.toolCalls.length > 0
    if (!wantsTools || round >= config.maxToolIterations) return answered(step, said, wantsTools)
    const asked = said.toolCalls.map((call, index) => identified(call, round, index))
    messages.push(assistant(asked))
    for (const [index, call] of asked.entries()) {
      const content = await callTool(step, { offers, call, iteration: round, index, count: calls++ })
      messages.push({ role: 'tool', tool_call_id: call.id, content })
    }
  }
}

interface TurnState {
  messages: unknown[]
  offers: ReadonlyMap<string, Offer>
  round: number
  hasThought: boolean
}

function turn(step: StepContext, config: Config, { messages, offers, round, hasThought }: TurnState) {
  const binding = step.run.document.models[config.model]!
  // Only the first turn is forced: a model that must always call a tool would never answer.
  const toolChoice = round === 0 && isOffered(config.toolChoice, offers) ? config.toolChoice : 'auto'
  return generation(step, {
    place: `${step.place}/gen@${round}`,
    patience: config,
    binding,
    params: { ...binding.params, ...config.params },
    rest: {
      messages: [...messages],
      ...(offers.size > 0 ? { tools: [...offers.values()].map(described), tool_choice: toolChoice } : {}),
    },
    isHeard: true,
    lead: hasThought ? '\n\n' : '',
  })
}

/** A tool whose server does not answer now cannot be forced. */
const isOffered = (choice: Config['toolChoice'], offers: TurnState['offers']) =>
  typeof choice === 'string' || offers.has(choice.function.name)

function answered(step: StepContext, { text, finishReason }: Said, wantsTools: boolean): Outcome {
  const outcome = onSuccess(step, text)
  if (text.trim() !== '') return outcome
  if (finishReason === 'length') return { ...outcome, blank: 'token_limit' }
  return wantsTools ? { ...outcome, blank: 'tool_limit' } : outcome
}

const described = ({ name, description, parameters }: Offer) => ({
  type: 'function',
  function: { name, description, parameters },
})

/** Some providers give a call no id, but every answer must name one. */
const identified = (call: ToolCall, round: number, index: number): ToolCall => ({
  ...call,
  id: call.id || `call_${round}_${index}`,
})

/** Arguments that were no JSON go back as what they were taken for: many servers parse them again. */
const assistant = (calls: ToolCall[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: calls.map((call) => ({
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: JSON.stringify(argumentsOf(call)) },
  })),
})

type Message = Config['messages'][number]

/** A message as the providers take it, its references replaced. */
function rendered({ role, content }: Message, inputs: Inputs) {
  if (typeof content === 'string') return { role, content: renderInline(content, inputs) }
  return {
    role,
    content: content.map((part) =>
      part.type === 'text'
        ? { type: 'text', text: renderInline(part.text, inputs) }
        : {
            type: 'image_url',
            image_url: { ...part.imageUrl, url: renderInline(part.imageUrl.url, inputs) },
          },
    ),
  }
}
