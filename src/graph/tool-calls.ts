import { AppError } from '#kernel/errors'
import { tryParse } from '#kernel/json'
import { isTooDeep } from './depth'
import { isObject } from './read'

/** A call that a model asks for. */
export interface ToolCall {
  /** The model's own, empty where it gave none. */
  id: string
  name: string
  /** As the model wrote them. */
  arguments: string
}

/** More than any model asks for in one turn. */
const MAX_CALLS = 128
const MAX_ARGUMENT_CHARS = 4_000_000

/** Puts tool calls together from the pieces of a stream; pieces that make no sense are passed over. */
export function callCollector() {
  const calls = new Map<number, ToolCall>()
  let characters = 0
  let latest = 0

  function take(piece: unknown, position: number) {
    if (!isObject(piece)) return
    const { index, id, function: asked } = piece
    latest = typeof index === 'number' ? index : indexWithout(id, position)
    const call = calls.get(latest) ?? { id: '', name: '', arguments: '' }
    calls.set(latest, call)
    if (calls.size > MAX_CALLS) throw tooMuch(`more than ${MAX_CALLS} tool calls in one turn`)
    if (typeof id === 'string' && call.id === '') call.id = id
    if (isObject(asked)) add(call, asked)
  }

  function add(call: ToolCall, { name, arguments: piece }: Record<string, unknown>) {
    if (typeof name === 'string') call.name += name
    const text = isObject(piece) ? JSON.stringify(piece) : piece
    if (typeof text !== 'string') return
    characters += text.length
    if (characters > MAX_ARGUMENT_CHARS) {
      throw tooMuch(`tool arguments of more than ${MAX_ARGUMENT_CHARS} characters`)
    }
    call.arguments += text
  }

  /** Some providers leave the index out: a new id begins a new call, anything else goes on with the last one. */
  function indexWithout(id: unknown, position: number): number {
    if (typeof id !== 'string' || id === '') return calls.size === 0 ? position : latest
    for (const [index, call] of calls) if (call.id === id) return index
    return calls.size === 0 ? 0 : Math.max(...calls.keys()) + 1
  }

  return {
    take(pieces: unknown) {
      if (!Array.isArray(pieces)) return
      for (const [position, piece] of pieces.entries()) take(piece, position)
    },
    all: (): ToolCall[] =>
      [...calls]
        .sort(([a], [b]) => a - b)
        .map(([, call]) => call)
        .filter(({ name }) => name !== ''),
  }
}

/** A model's arguments; whatever is no JSON object counts as none. */
export function argumentsOf({ arguments: text }: ToolCall): Record<string, unknown> {
  const parsed = tryParse(text)
  return isObject(parsed) && !isTooDeep(parsed) ? parsed : {}
}

const tooMuch = (what: string) =>
  new AppError('upstream_error', `The model asked for ${what}.`, { status: 502 })
