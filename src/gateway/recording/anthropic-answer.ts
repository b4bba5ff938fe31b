import {
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
import { short, type ToolUse } from './record'

const PIECES = ['text', 'thinking', 'partial_json']

/** Reads answers of the messages API; unknown events are ignored. `full` keeps the blocks too. */
export function anthropicAnswer(full: boolean): AnswerReader {
  const facts = noFacts()
  const blocks: Fields[] = []
  let tool: ToolUse | null = null
  if (full) facts.blocks = blocks

  function start({ content_block }: Fields) {
    const block = fieldsOf(content_block)
    tool = isToolUse(block) ? addTool(facts, block.id, block.name, 0) : null
    if (full) blocks.push({ ...block })
  }

  function delta(data: string) {
    const piece = PIECES.reduce((found, field) => found || pieceLength(data, field), 0)
    facts.outputBytes += piece
    if (!tool && !full) return
    const { delta } = parsed(data)
    const { text, thinking, partial_json } = fieldsOf(delta)
    if (tool && typeof partial_json === 'string') tool.bytes += Buffer.byteLength(partial_json)
    if (full) append(blocks.at(-1), { text, thinking, input: partial_json })
  }

  return {
    facts,

    event(name, data) {
      switch (name) {
        case 'content_block_delta':
          delta(data)
          return true
        case 'message_start': {
          const message = fieldsOf(parsed(data).message)
          facts.model = short(message.model)
          facts.usage = fieldsOf(message.usage)
          return false
        }
        case 'content_block_start':
          if (full || data.includes('tool_use"')) start(parsed(data))
          else tool = null
          return false
        case 'message_delta': {
          const { delta, usage } = parsed(data)
          facts.stopReason = short(fieldsOf(delta).stop_reason) ?? facts.stopReason
          // Cumulative: what it says replaces what was said.
          if (isFields(usage)) {
            facts.usage = { ...facts.usage, ...usage }
            facts.final = true
          }
          return false
        }
        case 'error':
          facts.errorType = errorTypeOf(parsed(data)) ?? 'error'
          return false
        default:
          return false
      }
    },

    json(answer) {
      facts.errorType = errorTypeOf(answer)
      if (facts.errorType !== null) return
      facts.model = short(answer.model)
      facts.stopReason = short(answer.stop_reason)
      facts.usage = isFields(answer.usage) ? answer.usage : null
      facts.final = true
      for (const block of listOf(answer.content).map(fieldsOf)) {
        if (isToolUse(block)) addTool(facts, block.id, block.name, bytesOf(block.input))
      }
      if (full) facts.blocks = answer.content ?? null
    },
  }
}

const isToolUse = ({ type }: Fields): boolean => typeof type === 'string' && type.endsWith('tool_use')
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value ?? null))

function append(block: Fields | undefined, pieces: Fields) {
  if (!block) return
  for (const [field, piece] of Object.entries(pieces)) {
    // The input of a tool starts as an empty object and comes as pieces of JSON.
    if (typeof piece === 'string')
      block[field] = (typeof block[field] === 'string' ? block[field] : '') + piece
  }
}
