import { tryParse } from '#kernel/json'
import { short, type Tokens, type ToolUse } from './record'

/** No answer has as many tokens; a number beyond what a database holds would keep its batch from being taken. */
const MAX_COUNT = 1e12
/** More are not kept of one answer. */
const MAX_TOOLS = 256

/** What an answer told, as far as it was read. */
export interface AnswerFacts {
  model: string | null
  stopReason: string | null
  errorType: string | null
  usage: Record<string, unknown> | null
  tools: ToolUse[]
  /** Bytes of text, thinking and arguments: what output tokens are guessed from when usage never came. */
  outputBytes: number
  /** True once the provider said the last word on usage. */
  final: boolean
  /** Level full: the answer's blocks. */
  blocks: unknown
}

export interface AnswerReader {
  facts: AnswerFacts
  /** One event of a stream. @returns whether it carried output */
  event(name: string, data: string): boolean
  /** An answer that came whole. */
  json(value: Fields): void
}

export type Fields = Record<string, unknown>

export const noFacts = (): AnswerFacts => ({
  model: null,
  stopReason: null,
  errorType: null,
  usage: null,
  tools: [],
  outputBytes: 0,
  final: false,
  blocks: null,
})

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {})
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
/** JSON of an event; what is none is nothing. */
export const parsed = (data: string): Fields => fieldsOf(tryParse(data))
const count = (value: unknown): number =>
  typeof value === 'number' && value > 0 ? Math.min(Math.round(value), MAX_COUNT) : 0

export function addTool(facts: AnswerFacts, id: unknown, name: unknown, bytes: number): ToolUse | null {
  if (facts.tools.length >= MAX_TOOLS) return null
  const tool = { id: short(id) ?? '', name: short(name) ?? '', bytes }
  facts.tools.push(tool)
  return tool
}

/** The error of an answer or an event: its type, else its code. */
export const errorTypeOf = (value: Fields): string | null => {
  const error = fieldsOf(value.error)
  return (
    short(error.type) ?? short(error.code) ?? (typeof value.error === 'string' ? short(value.error) : null)
  )
}

/** Length of the text that a piece of an answer carries, without parsing the event around it. */
export function pieceLength(data: string, field: string): number {
  const start = data.indexOf(`"${field}":"`)
  if (start < 0) return 0
  const from = start + field.length + 4
  for (let end = data.indexOf('"', from); end >= 0; end = data.indexOf('"', end + 1)) {
    if (!isEscaped(data, end)) return end - from
  }
  return 0
}

function isEscaped(data: string, at: number): boolean {
  let slashes = 0
  while (data[at - 1 - slashes] === '\\') slashes++
  return slashes % 2 === 1
}

/** Tokens of a protocol's usage; `estimated` where an answer ended before its usage was told. */
export function tokensOf(facts: AnswerFacts, protocol: 'anthropic' | 'openai', cutOff: boolean): Tokens {
  const read = protocol === 'anthropic' ? anthropicTokens : openaiTokens
  const tokens = read(facts.usage ?? {})
  const estimated = cutOff && !facts.final && facts.outputBytes > 0
  const output = estimated
    ? Math.max(tokens.output, Math.ceil(facts.outputBytes / BYTES_PER_TOKEN))
    : tokens.output
  return { ...tokens, output, estimated, usage_raw: facts.usage }
}

const BYTES_PER_TOKEN = 4
type Counts = Omit<Tokens, 'estimated' | 'usage_raw'>

function anthropicTokens(usage: Fields): Counts {
  const written = fieldsOf(usage.cache_creation)
  const long = count(written.ephemeral_1h_input_tokens)
  const all = count(usage.cache_creation_input_tokens)
  return {
    input: count(usage.input_tokens),
    cache_read: count(usage.cache_read_input_tokens),
    cache_write_5m: count(written.ephemeral_5m_input_tokens) || Math.max(0, all - long),
    cache_write_1h: long,
    output: count(usage.output_tokens),
    reasoning: 0,
  }
}

/** OpenAI counts cached tokens among the input; both spellings, of responses and of chat completions. */
function openaiTokens(usage: Fields): Counts {
  const cached = count(fieldsOf(usage.input_tokens_details ?? usage.prompt_tokens_details).cached_tokens)
  const details = fieldsOf(usage.output_tokens_details ?? usage.completion_tokens_details)
  return {
    input: Math.max(0, count(usage.input_tokens ?? usage.prompt_tokens) - cached),
    cache_read: cached,
    cache_write_5m: 0,
    cache_write_1h: 0,
    output: count(usage.output_tokens ?? usage.completion_tokens),
    reasoning: count(details.reasoning_tokens ?? usage.reasoning_tokens),
  }
}
