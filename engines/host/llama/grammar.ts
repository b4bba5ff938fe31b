import { invalid } from '../http'

type Schema = Record<string, unknown>

/** Enough for the largest schemas that people write, and small enough to be read at once. */
const MAX_RULES = 2_000
const MAX_DEPTH = 100
/** The engine takes no longer repetitions. */
const MAX_REPEAT = 1_000

const PRIMITIVES: Record<string, string> = {
  ws: '[ ]? | "\\n" [ \\t]{0,20}',
  char: '[^"\\\\\\x7F\\x00-\\x1F] | "\\\\" (["\\\\/bfnrt] | "u" [0-9a-fA-F]{4})',
  string: '"\\"" char* "\\""',
  integer: '"-"? ("0" | [1-9] [0-9]{0,15})',
  number: 'integer ("." [0-9]{1,16})? ([eE] [-+]? [0-9]{1,3})?',
  boolean: '"true" | "false"',
  null: '"null"',
  value: 'object | array | string | number | boolean | null',
  object: '"{" ws (string ":" ws value ("," ws string ":" ws value)* ws)? "}"',
  array: '"[" ws (value ("," ws value)* ws)? "]"',
}

const FORMATS: Record<string, string> = {
  date: '[0-9]{4} "-" [0-1] [0-9] "-" [0-3] [0-9]',
  time: '[0-2] [0-9] ":" [0-5] [0-9] ":" [0-5] [0-9] ("." [0-9]{1,6})? ("Z" | [-+] [0-2] [0-9] ":" [0-5] [0-9])',
  uuid: '[0-9a-f]{8} "-" [0-9a-f]{4} "-" [0-9a-f]{4} "-" [0-9a-f]{4} "-" [0-9a-f]{12}',
}
FORMATS['date-time'] = `${FORMATS.date} "T" ${FORMATS.time}`

/** The grammar of any JSON object. */
export const OBJECT_GRAMMAR = grammarText('object', new Map())

/**
 * The grammar (GBNF) of the JSON that a schema allows. Properties come in the order of the schema, those that are
 * required first. What a grammar cannot count or match is left to whoever reads the answer: `pattern`, bounds of
 * numbers, `uniqueItems`, `not`. @throws {HostError} 400
 */
export function schemaGrammar(schema: unknown): string {
  const rules = new Map<string, string>()
  const references = new Map<string, string>()

  function rule(definition: string): string {
    if (rules.size >= MAX_RULES) throw invalid('The JSON schema is too large for a grammar.')
    const name = `r${rules.size}`
    rules.set(name, definition)
    return name
  }

  function visit(node: unknown, depth = 0): string {
    if (depth > MAX_DEPTH) throw invalid('The JSON schema is nested too deeply.')
    if (node === true || node === undefined) return 'value'
    if (typeof node !== 'object' || node === null) throw invalid('The JSON schema holds a part that is none.')
    return visitObject(node as Schema, (inner) => visit(inner, depth + 1))
  }

  function visitObject(one: Schema, next: (inner: unknown) => string): string {
    if (typeof one.$ref === 'string') return referenced(one.$ref)
    if ('const' in one) return literal(one.const)
    if (Array.isArray(one.enum)) return either(one.enum.map(literal))
    const choices = one.anyOf ?? one.oneOf
    if (Array.isArray(choices)) return either(choices.map(next))
    if (Array.isArray(one.allOf)) return next(merged(one))
    if (Array.isArray(one.type)) return either(one.type.map((type) => next({ ...one, type })))
    return typed(one, next)
  }

  /** A part that is named is a rule of its own, so that it may hold itself. */
  function referenced(path: string): string {
    const known = references.get(path)
    if (known) return known
    const name = rule('value')
    references.set(path, name)
    rules.set(name, visit(resolved(schema, path)))
    return name
  }

  function typed(one: Schema, next: (inner: unknown) => string): string {
    const type = one.type ?? (one.properties ? 'object' : one.items || one.prefixItems ? 'array' : 'any')
    switch (type) {
      case 'object':
        return objectOf(one, next)
      case 'array':
        return arrayOf(one, next)
      case 'string':
        return stringOf(one)
      case 'any':
        return 'value'
      case 'integer':
      case 'number':
      case 'boolean':
      case 'null':
        return `${type}`
      default:
        throw invalid(`The JSON schema has the type ${JSON.stringify(type)}, which JSON has not.`)
    }
  }

  function objectOf(one: Schema, next: (inner: unknown) => string): string {
    const properties = Object.entries((one.properties ?? {}) as Schema)
    const extra = one.additionalProperties
    if (properties.length === 0 && typeof extra !== 'object') return extra === false ? '"{" ws "}"' : 'object'
    const pair = ([name, value]: [string, unknown]) => rule(`${literal(name)} ":" ws ${next(value)}`)
    const required = new Set(Array.isArray(one.required) ? one.required : [])
    const always = properties.filter(([name]) => required.has(name)).map(pair)
    const perhaps = properties.filter(([name]) => !required.has(name)).map(pair)
    const other = extra ? rule(`string ":" ws ${next(extra)}`) : null
    const after = (names: string[]) =>
      [...names.map((name) => `("," ws ${name})?`), ...(other ? [`("," ws ${other})*`] : [])].join(' ')
    if (always.length > 0) return rule(`"{" ws ${always.join(' "," ws ')} ${after(perhaps)} ws "}"`)
    // Whichever comes first stands without a comma.
    const starts = perhaps.map((name, index) => `${name} ${after(perhaps.slice(index + 1))}`)
    if (other) starts.push(`${other} ${after([])}`)
    return rule(`"{" ws (${starts.join(' | ')})? ws "}"`)
  }

  function arrayOf(one: Schema, next: (inner: unknown) => string): string {
    if (Array.isArray(one.prefixItems) && one.prefixItems.length > 0) {
      return rule(`"[" ws ${one.prefixItems.map(next).join(' "," ws ')} ws "]"`)
    }
    const item = next(one.items)
    const least = countOf(one.minItems) ?? 0
    const most = countOf(one.maxItems)
    if (most === 0) return '"[" ws "]"'
    const rest = `("," ws ${item})${repeat(Math.max(0, least - 1), most && most - 1)}`
    return rule(`"[" ws ${least > 0 ? `${item} ${rest}` : `(${item} ${rest})?`} ws "]"`)
  }

  function stringOf({ format, minLength, maxLength }: Schema): string {
    const known = FORMATS[`${format}`]
    if (known) return rule(`"\\"" ${known} "\\""`)
    if (minLength === undefined && maxLength === undefined) return 'string'
    return rule(`"\\"" char${repeat(countOf(minLength) ?? 0, countOf(maxLength))} "\\""`)
  }

  const either = (parts: string[]): string => {
    if (parts.length === 0) throw invalid('The JSON schema allows nothing.')
    return rule(parts.join(' | '))
  }

  return grammarText(visit(schema), rules)
}

function grammarText(root: string, rules: ReadonlyMap<string, string>): string {
  // White space after the end would let a model go on with nothing else.
  const all = [['root', root], ...rules, ...Object.entries(PRIMITIVES)]
  return all.map(([name, definition]) => `${name} ::= ${definition}\n`).join('')
}

/** JSON text as a terminal; the escapes of the two are the same. */
const literal = (value: unknown): string => JSON.stringify(JSON.stringify(value))

function resolved(schema: unknown, path: string): unknown {
  if (!path.startsWith('#')) throw invalid(`$ref: ${path} is outside the JSON schema.`)
  const names = path.slice(1).split('/').filter(Boolean)
  const unescaped = names.map((name) => decodeURIComponent(name).replaceAll('~1', '/').replaceAll('~0', '~'))
  const found = unescaped.reduce<unknown>((node, name) => (node as Schema | undefined)?.[name], schema)
  if (found === undefined) throw invalid(`$ref: ${path} names nothing in the JSON schema.`)
  return found
}

/** What all of `allOf` ask of an object, together. */
function merged({ allOf, ...rest }: Schema): Schema {
  const parts = [rest, ...(allOf as Schema[])]
  const properties = Object.assign({}, ...parts.map((part) => part.properties ?? {}))
  const required = parts.flatMap((part) => (Array.isArray(part.required) ? part.required : []))
  const isObject = Object.keys(properties).length > 0
  return { ...Object.assign({}, ...parts), ...(isObject && { type: 'object', properties, required }) }
}

const countOf = (value: unknown): number | undefined =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= MAX_REPEAT
    ? (value as number)
    : undefined

const repeat = (least: number, most: number | undefined): string => `{${least},${most ?? ''}}`
