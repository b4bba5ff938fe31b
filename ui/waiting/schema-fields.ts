import { texts } from '../texts/waiting'
import { sentence } from './words'

type Schema = Record<string, unknown>

/** How a field is filled in. What no control fits is written as JSON. */
type Control =
  | { kind: 'text'; type: 'text' | 'email' | 'url' | 'date' }
  | { kind: 'long' }
  | { kind: 'number'; integer: boolean }
  | { kind: 'switch' }
  | { kind: 'choice'; options: Option[] }
  /** Any number of given values. */
  | { kind: 'several'; options: Option[] }
  /** Texts, one a line. */
  | { kind: 'lines' }
  | { kind: 'json' }

interface Option {
  value: unknown
  label: string
}

export interface AnswerField {
  /** The property that it fills; null where the whole answer is this one value. */
  key: string | null
  label: string
  hint: string | null
  required: boolean
  control: Control
  /** What the answer may be, as far as the form looks at it. */
  limits: Limits
  default: unknown
}

interface Limits {
  least: number | null
  most: number | null
  shortest: number | null
  longest: number | null
}

/** A text that may be longer than this is worth more than one line. */
const ONE_LINE_CHARACTERS = 120
const LONG_FORMATS = new Set(['textarea', 'multiline', 'markdown'])

/**
 * The form that a gate's `inputSchema` asks for: a field for each property of an object, one for any other value.
 * Null where the schema leaves it open what to answer.
 */
export function fieldsOf(schema: Schema | null): AnswerField[] | null {
  if (schema === null) return null
  const properties = isRecord(schema.properties) ? schema.properties : {}
  const required = Array.isArray(schema.required) ? schema.required.filter(isText) : []
  const keys = [...new Set([...Object.keys(properties), ...required])]
  if (keys.length > 0) {
    return keys.map((key) => fieldOf(key, schemaOf(properties[key]), required.includes(key)))
  }
  const control = controlOf(schema)
  return typeOf(schema) === null && control.kind === 'text' ? null : [fieldOf(null, schema, true)]
}

function fieldOf(key: string | null, schema: Schema, required: boolean): AnswerField {
  return {
    key,
    label: isText(schema.title) ? schema.title : key === null ? texts.form.answer : sentence(key),
    hint: isText(schema.description) ? schema.description : null,
    required,
    control: controlOf(schema),
    limits: {
      least: numberOf(schema.minimum),
      most: numberOf(schema.maximum),
      shortest: numberOf(schema.minLength),
      longest: numberOf(schema.maxLength),
    },
    default: schema.default,
  }
}

function controlOf(schema: Schema): Control {
  const options = optionsOf(schema)
  if (options) return { kind: 'choice', options }
  switch (typeOf(schema)) {
    case 'boolean':
      return { kind: 'switch' }
    case 'integer':
      return { kind: 'number', integer: true }
    case 'number':
      return { kind: 'number', integer: false }
    case 'array':
      return listOf(schemaOf(schema.items))
    case 'object':
      return { kind: 'json' }
    default:
      return textOf(schema)
  }
}

function listOf(items: Schema): Control {
  const options = optionsOf(items)
  if (options) return { kind: 'several', options }
  return typeOf(items) === 'string' ? { kind: 'lines' } : { kind: 'json' }
}

function textOf({ format, maxLength }: Schema): Control {
  if (LONG_FORMATS.has(format as string) || (numberOf(maxLength) ?? 0) > ONE_LINE_CHARACTERS) {
    return { kind: 'long' }
  }
  if (format === 'email' || format === 'date') return { kind: 'text', type: format }
  return { kind: 'text', type: format === 'uri' ? 'url' : 'text' }
}

/** `enum`, or `oneOf` constants with titles. */
function optionsOf(schema: Schema): Option[] | null {
  if (Array.isArray(schema.enum) && schema.enum.length > 0) {
    return schema.enum.map((value) => ({ value, label: labelOf(value) }))
  }
  const variants = [schema.oneOf, schema.anyOf].find(Array.isArray)?.map(schemaOf)
  if (!variants?.length || !variants.every((variant) => Object.hasOwn(variant, 'const'))) return null
  return variants.map(({ const: value, title }) => ({ value, label: isText(title) ? title : labelOf(value) }))
}

const labelOf = (value: unknown) => (isText(value) ? sentence(value) : JSON.stringify(value))

/** Of several types the first that says something. */
function typeOf({ type, properties, items }: Schema): string | null {
  const named = (Array.isArray(type) ? type : [type]).filter((one) => isText(one) && one !== 'null')
  if (named.length > 0) return named[0] as string
  return isRecord(properties) ? 'object' : items === undefined ? null : 'array'
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
const isRecord = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const schemaOf = (value: unknown): Schema => (isRecord(value) ? value : {})
const numberOf = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? value : null)
