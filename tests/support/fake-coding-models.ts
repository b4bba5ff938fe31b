import { type Answering, sse, streamOf } from './fake-upstream'

/**
 * The models of two providers as coding tools meet them: each works through a few steps with the tool's own tools, the
 * next one after the results of the step before, and says something in the end.
 */
interface Call {
  tool: string
  input: object
}
export interface Step {
  text: string
  calls?: Call[]
}
interface Script {
  steps: Step[]
  /** What a sub-agent does. */
  agent?: Step[]
  /** The answer to these requests of the script (0 is the first) is 529, once. */
  overloadedAt?: number[]
  /** Between the events of a stream. */
  paceMs?: number
}

// biome-ignore lint/suspicious/noExplicitAny: bodies of two protocols, read field by field
type Body = any

export function codingModels({ steps, agent = [], overloadedAt = [], paceMs = 0 }: Script): Answering {
  const overloaded = new Set(overloadedAt)
  return ({ path, headers, body: bytes }) => {
    if (path.includes('count_tokens')) return Response.json({ input_tokens: 100 })
    const body: Body = JSON.parse(new TextDecoder().decode(bytes))
    // A title, a summary: what a tool asks for beside the work has no tools.
    if (!body.tools?.length) return answer(body, 0, { text: 'A look at the shop' }, paceMs)
    const script = headers['x-claude-code-agent-id'] ? agent : steps
    const at = Math.min(stepsDone(body), script.length - 1)
    if (script === steps && overloaded.delete(at)) return OVERLOADED()
    return answer(body, at, script[at]!, paceMs)
  }
}

const OVERLOADED = () =>
  Response.json(
    { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    { status: 529, headers: { 'retry-after': '1' } },
  )

/** A step ends when the model spoke last and has heard back. */
function stepsDone({ messages, input }: Body): number {
  if (messages) return messages.filter(({ role }: Body) => role === 'assistant').length
  return input.filter(({ type }: Body) => type === 'function_call').length
}

const answer = (body: Body, at: number, step: Step, paceMs: number): Response =>
  body.messages ? message(body, at, step, paceMs) : responses(body, at, step)

function message(body: Body, at: number, { text, calls = [] }: Step, paceMs: number): Response {
  const usage = {
    input_tokens: 14 + at,
    cache_creation_input_tokens: at === 0 ? 21_400 : 900,
    cache_read_input_tokens: at === 0 ? 0 : 21_400 + 900 * (at - 1),
    cache_creation: {
      ephemeral_5m_input_tokens: at === 0 ? 21_400 : 900,
      ephemeral_1h_input_tokens: 0,
    },
    output_tokens: 40 + text.length,
  }
  const id = `msg_${crypto.randomUUID()}`
  const content = [
    { type: 'text', text },
    ...calls.map(({ tool, input }) => ({
      type: 'tool_use',
      id: `toolu_${crypto.randomUUID().slice(0, 8)}`,
      name: tool,
      input,
    })),
  ]
  const stop_reason = calls.length > 0 ? 'tool_use' : 'end_turn'
  const whole = { id, type: 'message', role: 'assistant', model: body.model, stop_sequence: null }
  if (!body.stream) return Response.json({ ...whole, content, stop_reason, usage })
  const events = [
    sse('message_start', {
      message: { ...whole, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
    }),
    ...content.flatMap((block, index) => blockEvents(block, index)),
    sse('message_delta', {
      delta: { stop_reason, stop_sequence: null },
      usage: { output_tokens: usage.output_tokens },
    }),
    sse('message_stop', {}),
  ]
  return streamOf(events, { 'request-id': `req_${id}` }, paceMs)
}

function blockEvents(block: Body, index: number): string[] {
  const [empty, delta] =
    block.type === 'text'
      ? [{ text: '' }, { type: 'text_delta', text: block.text }]
      : [{ input: {} }, { type: 'input_json_delta', partial_json: JSON.stringify(block.input) }]
  return [
    sse('content_block_start', { index, content_block: { ...block, ...empty } }),
    sse('content_block_delta', { index, delta }),
    sse('content_block_stop', { index }),
  ]
}

function responses(body: Body, at: number, { text, calls = [] }: Step): Response {
  const id = `resp_${crypto.randomUUID()}`
  const items = calls.length > 0 ? calls.map(functionCall) : [textMessage(text)]
  const usage = {
    input_tokens: 12_000 + 700 * at,
    input_tokens_details: { cached_tokens: at === 0 ? 0 : 11_900 },
    output_tokens: 60,
    output_tokens_details: { reasoning_tokens: 12 },
    total_tokens: 12_060 + 700 * at,
  }
  const whole = { id, object: 'response', model: body.model, output: [] }
  return streamOf([
    sse('response.created', { response: { ...whole, status: 'in_progress' } }),
    ...items.flatMap((item, output_index) => [
      item.type === 'message'
        ? sse('response.output_text.delta', { item_id: item.id, output_index, content_index: 0, delta: text })
        : sse('response.function_call_arguments.delta', { item_id: item.id, output_index, delta: '{' }),
      sse('response.output_item.done', { output_index, item }),
    ]),
    sse('response.completed', { response: { ...whole, status: 'completed', output: items, usage } }),
  ])
}

const functionCall = ({ tool, input }: Call) => ({
  type: 'function_call',
  id: `fc_${crypto.randomUUID()}`,
  call_id: `call_${crypto.randomUUID().slice(0, 8)}`,
  name: tool,
  arguments: JSON.stringify(input),
})

const textMessage = (text: string) => ({
  type: 'message',
  id: `msg_${crypto.randomUUID()}`,
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text, annotations: [] }],
})
