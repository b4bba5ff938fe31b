import { tryParse } from '#kernel/json'
import { type Fields, fieldsOf, isFields, listOf } from './answer'
import { directoryIn } from './directory'
import { short, type ToolResult } from './record'

const MAX_RESULTS = 256
const HASH_CHARACTERS = 16
/** Three ids as JSON are some 200 characters. */
const MAX_USER_ID = 2_000

/** What a request's body says of itself: small whatever the body's size, and plain, so that a worker can send it. */
export interface RequestFacts {
  model: string | null
  stream: boolean
  /** Messages, or items of the input. */
  messages: number
  /** Tells the last of them from others. */
  lastSaid: string | null
  toolsOffered: number
  toolResults: ToolResult[]
  effort: string | null
  /** `metadata.user_id`: Claude Code puts ids of device and session there. */
  userId: string | null
  /** Codex names its session there too. */
  cacheKey: string | null
  /** Where the client tool told the model that it works. */
  directory: string | null
}

/** Nothing of a body that is none of the known protocols'. */
export function requestFacts(body: Fields): RequestFacts {
  const conversation = conversationOf(body)
  return {
    model: short(body.model),
    stream: body.stream === true,
    messages: conversation.length,
    lastSaid: lastSaidIn(conversation),
    toolsOffered: listOf(body.tools).length,
    toolResults: newResults(conversation),
    effort:
      short(fieldsOf(body.output_config).effort) ??
      short(fieldsOf(body.reasoning).effort) ??
      short(body.reasoning_effort),
    userId: idsIn(fieldsOf(body.metadata).user_id),
    cacheKey: short(body.prompt_cache_key),
    directory: directoryIn(body),
  }
}

/** Messages, or items of the input; a text alone is one. */
export const conversationOf = ({ messages, input }: Fields): unknown[] =>
  messages === undefined && typeof input === 'string' ? [input] : listOf(messages ?? input)

const idsIn = (userId: unknown): string | null =>
  typeof userId === 'string' && userId.length <= MAX_USER_ID ? userId : null

const decoder = new TextDecoder()

/** The JSON of a body; nothing where it is none, as when the client compressed it. */
export function bodyFields(bytes: Uint8Array | null): Fields {
  if (!bytes || bytes.byteLength === 0) return {}
  return fieldsOf(tryParse(decoder.decode(bytes)))
}

/**
 * One call of the model: the same after a retry, after a fallback to an answer without streaming, and down a ladder of
 * smaller requests, because none of these changes what was said last.
 */
export function turnKeyOf(
  session: string | null,
  agent: string | null,
  messages: number,
  lastSaid: string | null,
): string | null {
  if (lastSaid === null) return null
  return fingerprint(`${session ?? ''}\n${agent ?? ''}\n${messages}\n${lastSaid}`)
}

/** The last message as a short text that tells it from others; null for a conversation without any. */
function lastSaidIn(conversation: unknown[]): string | null {
  if (conversation.length === 0) return null
  const text = JSON.stringify(conversation.at(-1))
  return fingerprint(text.includes('"cache_control":') ? withoutCacheControl(conversation.at(-1)) : text)
}

/** Where to cache moves from request to request. */
const withoutCacheControl = (message: unknown): string =>
  JSON.stringify(message, (key, value) => (key === 'cache_control' ? undefined : value))

/** Not for secrets: it only tells a turn of a session from the next. */
const fingerprint = (text: string): string =>
  Bun.hash.xxHash3(text).toString(16).padStart(HASH_CHARACTERS, '0')

/** What tools answered since the model last spoke; the calls before it tell their names. */
function newResults(conversation: unknown[]): ToolResult[] {
  const items = conversation.map(fieldsOf)
  const said = items.findLastIndex(isOfModel)
  const fresh = items
    .slice(said + 1)
    .flatMap(resultsIn)
    .slice(0, MAX_RESULTS)
  if (fresh.length === 0) return []
  const names = new Map(items.slice(0, said + 1).flatMap(callsIn))
  return fresh.map((result) => ({ ...result, name: names.get(result.id) ?? null }))
}

const isOfModel = ({ role, type }: Fields): boolean =>
  role === 'assistant' || type === 'function_call' || type === 'custom_tool_call' || type === 'reasoning'

type Result = Omit<ToolResult, 'name'>

function resultsIn(item: Fields): Result[] {
  if (item.type === 'function_call_output' || item.type === 'custom_tool_call_output')
    return [{ id: short(item.call_id) ?? '', bytes: sizeOf(item.output), is_error: failed(item.output) }]
  if (item.role === 'tool')
    return [{ id: short(item.tool_call_id) ?? '', bytes: sizeOf(item.content), is_error: false }]
  return listOf(item.content)
    .map(fieldsOf)
    .filter(({ type }) => type === 'tool_result')
    .map(({ tool_use_id, content, is_error }) => ({
      id: short(tool_use_id) ?? '',
      bytes: sizeOf(content),
      is_error: is_error === true,
    }))
}

function callsIn(item: Fields): [string, string][] {
  const calls: [unknown, unknown][] = [
    ...(item.type === 'function_call' || item.type === 'custom_tool_call'
      ? [[item.call_id, item.name] as [unknown, unknown]]
      : []),
    ...listOf(item.tool_calls).map((call): [unknown, unknown] => {
      const { id, function: called } = fieldsOf(call)
      return [id, fieldsOf(called).name]
    }),
    ...listOf(item.content)
      .map(fieldsOf)
      .filter(({ type }) => type === 'tool_use')
      .map(({ id, name }): [unknown, unknown] => [id, name]),
  ]
  return calls.flatMap(([id, name]) => {
    const known = short(id)
    const called = short(name)
    return known && called ? [[known, called] as [string, string]] : []
  })
}

/** Codex tells how a command ended inside the output: above what it printed, or as JSON. */
function failed(output: unknown): boolean {
  if (typeof output === 'string') {
    const ended = /^Process exited with code (-?\d+)$/m.exec(output.slice(0, output.indexOf('\nOutput:')))
    if (ended) return ended[1] !== '0'
  }
  const fields = typeof output === 'string' ? tryParse(output) : output
  if (!isFields(fields)) return false
  const { exit_code } = fieldsOf(fields.metadata)
  return fields.success === false || (typeof exit_code === 'number' && exit_code !== 0)
}

const sizeOf = (value: unknown): number =>
  value === undefined ? 0 : Buffer.byteLength(typeof value === 'string' ? value : JSON.stringify(value))
