import { asText } from '#kernel/json'
import { list, quote } from './problem'
import { isObject, jsonType } from './read'

/** What a node has to read from: its declared in-ports, and the values of those that were fed. */
export interface Inputs {
  node: string
  ports: readonly string[]
  values: ReadonlyMap<string, unknown>
}

/** A `$in` reference that cannot be followed, or text that cannot be rendered. */
export class TemplateError extends Error {
  constructor(
    message: string,
    readonly node: string,
    readonly token?: string,
  ) {
    super(message)
    this.name = 'TemplateError'
  }
}

/** Rendered text is bounded: a short template may repeat a long value many times. */
const MAX_RENDERED_CHARACTERS = 16_000_000
/** As deep as a document may be. */
const MAX_DEPTH = 100

/** A literal dollar sign, or a token: `$`, a name, and segments that each follow a dot. */
const TOKEN = /\$(?:\$|([A-Za-z_][A-Za-z0-9_]*)((?:\.[A-Za-z0-9_]+)*))/g
const WHOLE_REFERENCE = /^\$in(?:\.[A-Za-z0-9_]+)*$/

/** Text that is one `$in` reference and nothing else. */
export const isReference = (text: string): boolean => WHOLE_REFERENCE.test(text)

/** Every token of a text, in order, with its place; `$$` is none. Some may be no reference that can be followed. */
export const tokensOf = (text: string): { token: string; index: number }[] =>
  [...text.matchAll(TOKEN)].flatMap(({ 0: token, 1: root, index }) =>
    root === undefined ? [] : [{ token, index }],
  )

/**
 * Replaces every token within a text: nothing for null, text as it is, anything else as compact JSON. `$$` is a dollar
 * sign, and so is a `$` that no name follows.
 * @throws {TemplateError}
 */
export function renderInline(template: string, inputs: Inputs): string {
  const follow = follower(inputs)
  const parts: string[] = []
  let end = 0
  let length = 0
  const add = (part: string) => {
    length += part.length
    if (length > MAX_RENDERED_CHARACTERS) {
      throw new TemplateError(
        `Node ${quote(inputs.node)}: the rendered text is longer than ${MAX_RENDERED_CHARACTERS} characters.`,
        inputs.node,
      )
    }
    parts.push(part)
  }
  for (const { 0: token, 1: root, 2: path, index } of template.matchAll(TOKEN)) {
    add(template.slice(end, index))
    end = index + token.length
    if (root === undefined) {
      add('$')
      continue
    }
    if (root !== 'in') throw unknownRoot(token, inputs)
    const value = follow(token, segments(path!))
    add(value === null ? '' : asText(value))
  }
  add(template.slice(end))
  return parts.join('')
}

/**
 * The value of a text that is `$in` or begins with `$in.`; any other value is itself. What lies deeper is not looked
 * at: this is how the arguments of a tool and the key of a gate are read.
 * @throws {TemplateError}
 */
export function resolveValue(value: unknown, inputs: Inputs): unknown {
  return beginsReference(value) ? resolveReference(value, inputs) : value
}

/** `resolveValue` for each value of a tool's arguments. @throws {TemplateError} */
export function resolveArgs(args: Record<string, unknown>, inputs: Inputs): Record<string, unknown> {
  const follow = follower(inputs)
  return Object.fromEntries(
    Object.entries(args).map(([key, value]) =>
      beginsReference(value) ? [key, follow(value, segments(value.slice('$in'.length)))] : [key, value],
    ),
  )
}

/** The value that a `$in` reference stands for, with its JSON type. @throws {TemplateError} */
export function resolveReference(reference: string, inputs: Inputs): unknown {
  return follower(inputs)(reference, segments(reference.slice('$in'.length)))
}

/**
 * A JSON template: every text in it, however deep, that is exactly one reference becomes that value; all else is
 * literal.
 * @throws {TemplateError}
 */
export function resolveTemplate(template: unknown, inputs: Inputs): unknown {
  const follow = follower(inputs)
  const resolve = (value: unknown, depth: number): unknown => {
    if (depth > MAX_DEPTH) {
      throw new TemplateError(
        `Node ${quote(inputs.node)}: the template is nested more than ${MAX_DEPTH} levels deep.`,
        inputs.node,
      )
    }
    if (typeof value === 'string') {
      return isReference(value) ? follow(value, segments(value.slice('$in'.length))) : value
    }
    if (Array.isArray(value)) return value.map((item) => resolve(item, depth + 1))
    if (!isObject(value)) return value
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(item, depth + 1)]))
  }
  return resolve(template, 0)
}

/** The first segments of every reference in a text and in a JSON template; `bare` tells of a `$in` alone. */
export function slotsOf(text: string | null, template: unknown): { slots: Set<string>; bare: boolean } {
  const slots = new Set<string>()
  let bare = false
  const note = (path: string) => {
    const [slot] = segments(path)
    if (slot === undefined) bare = true
    else slots.add(slot)
  }
  for (const { 1: root, 2: path } of (text ?? '').matchAll(TOKEN)) if (root === 'in') note(path!)
  const open = [template]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === 'string' && isReference(value)) note(value.slice('$in'.length))
    else if (typeof value === 'object' && value !== null) {
      for (const item of Object.values(value)) open.push(item)
    }
  }
  return { slots, bare }
}

const beginsReference = (value: unknown): value is string =>
  typeof value === 'string' && (value === '$in' || value.startsWith('$in.'))

/** `.a.b` as `['a', 'b']`; nothing for an empty path. */
const segments = (path: string): string[] => path.split('.').slice(1)

/** Follows references into one set of inputs; text that holds JSON is parsed once, however often it is drilled into. */
function follower({ node, ports, values }: Inputs) {
  const parsed = new Map<string, unknown>()
  const fail = (token: string, what: string) =>
    new TemplateError(`Node ${quote(node)}: ${quote(token)} ${what}`, node, token)

  return function follow(token: string, path: readonly string[]): unknown {
    const [port = 'in', ...fields] = path
    if (!ports.includes(port)) throw fail(token, undeclared(port, path))
    let value = values.get(port) ?? null
    for (const field of fields) {
      const holder = typeof value === 'string' ? parse(value) : value
      // A field of nothing is nothing: the port was not fed, or what feeds it said null.
      if (holder === null) return null
      if (!hasField(holder, field)) throw fail(token, missing(port, field, holder))
      value = holder[field] ?? null
    }
    return value
  }

  function undeclared(port: string, path: readonly string[]): string {
    const declared = `In-ports: ${list(ports)}.`
    if (path.length === 0) return `needs an in-port named "in". ${declared}`
    const hint = ports.includes('in') ? ` To read a field of port "in", write $in.in.${path.join('.')}.` : ''
    return `names the in-port ${quote(port)}, which is not declared. ${declared}${hint}`
  }

  function parse(text: string): unknown {
    if (!parsed.has(text)) parsed.set(text, parseOrText(text))
    return parsed.get(text)
  }
}

function parseOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const hasField = (holder: unknown, field: string): holder is Record<string, unknown> =>
  isObject(holder) && Object.hasOwn(holder, field)

function missing(port: string, field: string, holder: unknown): string {
  if (isObject(holder)) {
    const known = list(Object.keys(holder))
    return `finds no field ${quote(field)} in port ${quote(port)}. Fields there: ${known}.`
  }
  const kind = jsonType(holder)
  const what = { array: 'a list', string: 'text that is not a JSON object' }[kind] ?? `a ${kind}`
  return `reads the field ${quote(field)} of ${what}, in port ${quote(port)}. Only objects have fields.`
}

const unknownRoot = (token: string, { node }: Inputs) =>
  new TemplateError(
    `Node ${quote(node)}: ${quote(token)} is no reference. References begin with $in; write $$ for a dollar sign.`,
    node,
    token,
  )
