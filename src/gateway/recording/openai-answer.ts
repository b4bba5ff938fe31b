import {
  type AnswerFacts,
  type AnswerReader,
  addTool,
  errorTypeOf,
  type Fields,
  fieldsOf,
  isFields,
  listOf,
  noFacts,
  parsed,
  pieceLength,
} from './answer'
import { short } from './record'

const LAST_WORDS = ['response.completed', 'response.incomplete', 'response.failed']

/** Reads answers of the responses API. */
export function responsesAnswer(full: boolean): AnswerReader {
  const facts = noFacts()

  function whole(response: Fields) {
    facts.model = short(response.model) ?? facts.model
    facts.stopReason = short(fieldsOf(response.incomplete_details).reason) ?? short(response.status)
    facts.errorType = errorTypeOf(response)
    if (isFields(response.usage)) {
      facts.usage = response.usage
      facts.final = true
    }
    if (full) facts.blocks = response.output ?? null
  }

  return {
    facts,

    event(name, data) {
      if (name.endsWith('.delta')) {
        facts.outputBytes += pieceLength(data, 'delta')
        return true
      }
      if (LAST_WORDS.includes(name)) whole(fieldsOf(parsed(data).response))
      else if (name === 'response.created') facts.model = short(fieldsOf(parsed(data).response).model)
      else if (name === 'response.output_item.done' && data.includes('_call"'))
        toolCall(facts, fieldsOf(parsed(data).item))
      else if (name === 'error') facts.errorType = eventError(parsed(data))
      return false
    },

    json(response) {
      whole(response)
      for (const item of listOf(response.output)) toolCall(facts, fieldsOf(item))
    },
  }
}

/** An error event is the error itself, or holds it. */
const eventError = (event: Fields): string =>
  errorTypeOf(event) ?? short(event.code) ?? short(event.type) ?? 'error'

function toolCall(facts: AnswerFacts, item: Fields) {
  if (item.type !== 'function_call' && item.type !== 'custom_tool_call') return
  const given = item.arguments ?? item.input
  addTool(facts, item.call_id ?? item.id, item.name, typeof given === 'string' ? Buffer.byteLength(given) : 0)
}

/** Worth parsing of a stream of chat completions; the pieces of text between are only measured. */
const TELLING = /"usage":\s*\{|"finish_reason":\s*"|"tool_calls"|"error"/

/** Reads answers of chat completions. */
export function chatAnswer(full: boolean): AnswerReader {
  const facts = noFacts()
  const message = { role: 'assistant', content: '', tool_calls: [] as { name: string; arguments: string }[] }
  if (full) facts.blocks = message

  function chunk(value: Fields) {
    facts.model ??= short(value.model)
    facts.errorType = errorTypeOf(value) ?? facts.errorType
    if (isFields(value.usage)) {
      facts.usage = value.usage
      facts.final = true
    }
    const choice = fieldsOf(listOf(value.choices)[0])
    facts.stopReason = short(choice.finish_reason) ?? facts.stopReason
    const delta = fieldsOf(choice.delta)
    if (full && typeof delta.content === 'string') message.content += delta.content
    for (const call of listOf(delta.tool_calls).map(fieldsOf)) piece(call)
  }

  /** A call comes in pieces: the first has its id and name, the others more of the arguments. */
  function piece({ id, function: called }: Fields) {
    const { name, arguments: given } = fieldsOf(called)
    if (typeof name === 'string') {
      addTool(facts, id, name, 0)
      message.tool_calls.push({ name, arguments: '' })
    }
    const tool = facts.tools.at(-1)
    if (typeof given !== 'string' || !tool) return
    tool.bytes += Buffer.byteLength(given)
    facts.outputBytes += given.length
    const call = message.tool_calls.at(-1)
    if (full && call) call.arguments += given
  }

  return {
    facts,

    event(_name, data) {
      if (data === '[DONE]') return false
      const length = pieceLength(data, 'content')
      facts.outputBytes += length
      const telling = TELLING.test(data)
      if (full || telling || facts.model === null) chunk(parsed(data))
      return length > 0 || data.includes('"tool_calls"')
    },

    json(answer) {
      facts.errorType = errorTypeOf(answer)
      facts.model = short(answer.model)
      if (isFields(answer.usage)) facts.usage = answer.usage
      facts.final = true
      const choice = fieldsOf(listOf(answer.choices)[0])
      facts.stopReason = short(choice.finish_reason)
      const said = fieldsOf(choice.message)
      for (const { id, function: called } of listOf(said.tool_calls).map(fieldsOf)) {
        const { name, arguments: given } = fieldsOf(called)
        addTool(facts, id, name, typeof given === 'string' ? Buffer.byteLength(given) : 0)
      }
      if (full) facts.blocks = said
    },
  }
}
