import { distance } from 'fastest-levenshtein'
import type { TSchema } from 'typebox'
import { at, list, MAX_PROBLEMS, quote } from './problem'

/** Something in a value that its schema does not allow. */
export interface Mismatch {
  path: string
  message: string
  hint: string
}

/** The keywords that `shapes.ts` writes; a test holds every schema to them. */
export interface Shape {
  type?: string | string[]
  anyOf?: Shape[]
  discriminator?: { propertyName: string }
  properties?: Record<string, Shape>
  required?: string[]
  additionalProperties?: boolean | Shape
  items?: Shape
  enum?: unknown[]
  const?: unknown
  minLength?: number
  maxLength?: number
  pattern?: string
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  default?: unknown
  description?: string
  /** What the pattern stands for, in words. */
  'x-like'?: string
  'x-snake-case'?: boolean
  'x-aliases'?: Record<string, string>
}
/** Where a value lies. Most values are as they should be, so the pointer is only written when it is asked for. */
interface Place {
  parent?: Place
  key: string | number
}

interface Report {
  add(place: Place, message: string, hint: string): void
  /** Enough was told; the rest is left unread. */
  full: boolean
}

const pointer = (place: Place): string =>
  place.parent ? at(pointer(place.parent), place.key) : String(place.key)

/**
 * Reads a value by a schema: fills in defaults, renames other spellings, and tells everything that does not fit. What
 * does not fit stays in the value as it was, so that the rest can still be looked at.
 */
export function read(schema: TSchema, value: unknown, path = ''): { value: unknown; mismatches: Mismatch[] } {
  const mismatches: Mismatch[] = []
  const report: Report = {
    full: false,
    add(place, message, hint) {
      mismatches.push({ path: pointer(place), message, hint })
      report.full = mismatches.length >= MAX_PROBLEMS
    },
  }
  return { value: readAny(schema as Shape, value, { key: path }, report), mismatches }
}

function readAny(schema: Shape, value: unknown, path: Place, report: Report): unknown {
  if (report.full) return value
  if (schema.anyOf) return readVariant(schema, schema.anyOf, value, path, report)
  if (schema.type !== undefined && !matchesType(schema.type, value)) {
    report.add(path, `must be ${typeText(schema)}, not ${shown(value)}`, `Write ${typeText(schema)} here.`)
    return value
  }
  if (Array.isArray(value)) return schema.items ? readItems(schema.items, value, path, report) : value
  if (isObject(value)) {
    if (schema.properties) return readObject(schema, schema.properties, value, path, report)
    if (typeof schema.additionalProperties === 'object') {
      return readMap(schema.additionalProperties, value, path, report)
    }
    return value
  }
  checkScalar(schema, value, path, report)
  return value
}

function readVariant(schema: Shape, variants: Shape[], value: unknown, path: Place, report: Report): unknown {
  const property = schema.discriminator?.propertyName
  const tagOf = (variant: Shape) => variant.properties?.[property ?? '']?.const
  const matching = property
    ? variants.find((variant) => isObject(value) && tagOf(variant) === own(value, property))
    : variants.find((variant) => matchesType(variant.type!, value))
  if (matching) return readAny(matching, value, path, report)

  if (property && isObject(value)) {
    const tags = list(variants.map((variant) => String(tagOf(variant))))
    report.add(
      { parent: path, key: property },
      `must be one of ${tags}`,
      `Set "${property}" to one of ${tags}.`,
    )
  } else {
    const types = [...new Set(variants.map(typeText))].join(' or ')
    report.add(path, `must be ${types}, not ${shown(value)}`, `Write ${types} here.`)
  }
  return value
}

function readItems(items: Shape, values: unknown[], path: Place, report: Report): unknown[] {
  return values.map((value, index) => readAny(items, value, { parent: path, key: index }, report))
}

function readMap(values: Shape, map: Record<string, unknown>, path: Place, report: Report) {
  // `fromEntries` defines keys of its own, so a key such as `__proto__` stays a key.
  return Object.fromEntries(
    Object.entries(map).map(([key, value]) => [key, readAny(values, value, { parent: path, key }, report)]),
  )
}

function readObject(
  schema: Shape,
  properties: Record<string, Shape>,
  given: Record<string, unknown>,
  path: Place,
  report: Report,
): Record<string, unknown> {
  const spelling = spellings(schema, properties, given, path, report)
  const filled: Record<string, unknown> = {}
  for (const key in properties) {
    const property = properties[key]!
    const spelled = spelling?.get(key) ?? key
    if (Object.hasOwn(given, spelled)) {
      filled[key] = readAny(property, given[spelled], { parent: path, key: spelled }, report)
    } else if ('default' in property) {
      filled[key] = freshDefault(property, path, report)
    } else if (schema.required?.includes(key)) {
      report.add(path, `lacks ${quote(key)}`, `Add ${quote(key)}: ${typeText(property)}.`)
    }
  }
  return filled
}

/** Reports keys that stand for no property, and tells how the properties are spelled where it is not by their names. */
function spellings(
  schema: Shape,
  properties: Record<string, Shape>,
  given: Record<string, unknown>,
  path: Place,
  report: Report,
): Map<string, string> | undefined {
  let renamed: Map<string, string> | undefined
  for (const key of Object.keys(given)) {
    if (report.full) break
    if (Object.hasOwn(properties, key)) continue
    const name = otherName(schema, properties, key)
    if (name === undefined) {
      report.add({ parent: path, key }, 'is no known key', unknownKeyHint(key, Object.keys(properties)))
    } else if (Object.hasOwn(given, name)) {
      report.add({ parent: path, key }, `says again what ${quote(name)} says`, `Keep only ${quote(name)}.`)
    } else {
      renamed ??= new Map()
      renamed.set(name, key)
    }
  }
  return renamed
}

/** The property that a key of another spelling stands for. */
function otherName(schema: Shape, properties: Record<string, Shape>, key: string): string | undefined {
  const aliases = schema['x-aliases']
  if (aliases && Object.hasOwn(aliases, key)) return aliases[key]
  if (!schema['x-snake-case'] || key.length > LONGEST_NAME || !/^[a-z]+(_[a-z]+)+$/.test(key))
    return undefined
  const camel = key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())
  return Object.hasOwn(properties, camel) ? camel : undefined
}

/** A default is read like an authored value, so that what lies in it is filled in, and nothing is shared. */
function freshDefault(schema: Shape, path: Place, report: Report): unknown {
  const { default: value } = schema
  if (Array.isArray(value)) return readAny(schema, [...value], path, report)
  return isObject(value) ? readAny(schema, { ...value }, path, report) : value
}

const LONGEST_NAME = 64

function unknownKeyHint(key: string, known: string[]): string {
  const letters = (name: string) => name.replaceAll('_', '').toLowerCase()
  const near = key.length <= LONGEST_NAME && known.find((name) => distance(letters(name), letters(key)) <= 2)
  return near ? `Did you mean ${quote(near)}?` : `Remove it. Known keys: ${list(known)}.`
}

function checkScalar(schema: Shape, value: unknown, path: Place, report: Report): void {
  if (value === null) return
  const fail = (must: string) =>
    report.add(path, `must be ${must}, not ${shown(value)}`, `Change it to ${must}.`)
  if (schema.enum && !schema.enum.includes(value)) fail(typeText(schema))
  else if ('const' in schema && schema.const !== value) fail(typeText(schema))
  else if (typeof value === 'string') checkText(schema, value, fail)
  else if (typeof value === 'number') checkNumber(schema, value, fail)
}

type Fail = (must: string) => void

function checkText(schema: Shape, value: string, fail: Fail): void {
  const { minLength, maxLength, pattern } = schema
  if (minLength !== undefined && value.length < minLength) fail('at least one character')
  if (maxLength !== undefined && value.length > maxLength) fail(`at most ${maxLength} characters`)
  if (pattern !== undefined && !new RegExp(pattern).test(value)) fail(schema['x-like'] ?? `like ${pattern}`)
}

function checkNumber({ minimum, maximum, exclusiveMinimum }: Shape, value: number, fail: Fail): void {
  if (minimum !== undefined && value < minimum) fail(`at least ${minimum}`)
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) fail(`more than ${exclusiveMinimum}`)
  if (maximum !== undefined && value > maximum) fail(`at most ${maximum}`)
}

function matchesType(type: string | string[], value: unknown): boolean {
  if (Array.isArray(type)) return type.some((one) => matchesType(one, value))
  if (type === 'integer') return Number.isInteger(value)
  return type === jsonType(value)
}

export function jsonType(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value
}

const WORDS: Record<string, string> = {
  string: 'text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
}
/** What a schema wants, in words. */
export const typeText = ({ type, enum: values, const: value, anyOf }: Shape): string => {
  if (anyOf) return anyOf.map(typeText).join(' or ')
  if (values) {
    const named = list(values.filter((one) => one !== null).map(String))
    return `one of ${named}${values.includes(null) ? ', or null' : ''}`
  }
  if (value !== undefined) return quote(String(value))
  return [type ?? 'string']
    .flat()
    .map((one) => WORDS[one] ?? one)
    .join(' or ')
}

const shown = (value: unknown): string => {
  if (typeof value === 'string') return quote(value)
  return typeof value === 'object' && value !== null ? WORDS[jsonType(value)]! : String(value)
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const own = (value: Record<string, unknown>, key: string): unknown =>
  Object.hasOwn(value, key) ? value[key] : undefined
