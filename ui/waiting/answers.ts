import { texts as waiting } from '../texts/waiting'
import type { AnswerField } from './schema-fields'

const texts = waiting.problems

/** What stands in a control: text, on or off, or the indices of chosen options. */
export type Entry = string | boolean | number[]
/** By the position of the field. */
export type Entries = readonly Entry[]

export type Read = { ok: true; answer: unknown } | { ok: false; problems: (string | null)[] }

/** What the form shows at first: the schema's defaults, where they fit their control. */
export const initialEntries = (fields: readonly AnswerField[]): Entry[] => fields.map(initialEntry)

function initialEntry({ control, default: value }: AnswerField): Entry {
  switch (control.kind) {
    case 'switch':
      return value === true
    case 'choice': {
      const index = control.options.findIndex((option) => isSame(option.value, value))
      return index < 0 ? [] : [index]
    }
    case 'several':
      return control.options.flatMap((option, index) =>
        Array.isArray(value) && value.some((one) => isSame(one, option.value)) ? [index] : [],
      )
    case 'lines':
      return Array.isArray(value) ? value.join('\n') : ''
    case 'number':
      return typeof value === 'number' ? String(value) : ''
    case 'json':
      return value === undefined ? '' : JSON.stringify(value, null, 2)
    case 'text':
    case 'long':
      return typeof value === 'string' ? value : ''
  }
}

/** The answer that the form holds, or what is wrong in which field. What is left blank is left out. */
export function readAnswer(fields: readonly AnswerField[], entries: Entries): Read {
  const values = fields.map((field, index) => readEntry(field, entries[index] ?? ''))
  const problems = values.map((value) => value.problem ?? null)
  if (problems.some((problem) => problem !== null)) return { ok: false, problems }
  if (fields[0]?.key === null) return { ok: true, answer: values[0]?.value }
  const given = fields.flatMap(({ key }, index) =>
    values[index]!.value === undefined ? [] : [[key, values[index]!.value] as const],
  )
  return { ok: true, answer: Object.fromEntries(given) }
}

interface Value {
  /** Undefined where nothing was filled in. */
  value?: unknown
  problem?: string
}

function readEntry(field: AnswerField, entry: Entry): Value {
  const { control, required } = field
  if (control.kind === 'switch') return { value: entry === true }
  if (control.kind === 'choice' || control.kind === 'several') return readChoice(field, entry as number[])
  const text = entry as string
  if (text.trim() === '') return required ? { problem: texts.required } : {}
  switch (control.kind) {
    case 'number':
      return readNumber(field, control.integer, text)
    case 'lines':
      return { value: text.split('\n').flatMap((line) => line.trim() || []) }
    case 'json':
      return readJson(text)
    case 'text':
    case 'long':
      return readText(field, text)
  }
}

function readChoice({ control, required }: AnswerField, chosen: number[]): Value {
  if (control.kind === 'several') {
    return chosen.length === 0 && !required
      ? {}
      : { value: chosen.toSorted((a, b) => a - b).map((index) => control.options[index]?.value) }
  }
  if (control.kind !== 'choice') return {}
  const option = chosen[0] === undefined ? undefined : control.options[chosen[0]]
  if (option) return { value: option.value }
  return required ? { problem: texts.noChoice } : {}
}

function readNumber({ limits: { least, most } }: AnswerField, integer: boolean, text: string): Value {
  const value = Number(text.trim())
  if (!Number.isFinite(value)) return { problem: texts.notNumber }
  if (integer && !Number.isInteger(value)) return { problem: texts.notInteger }
  if (least !== null && value < least) return { problem: texts.least(least) }
  if (most !== null && value > most) return { problem: texts.most(most) }
  return { value }
}

function readText({ limits: { shortest, longest } }: AnswerField, text: string): Value {
  const { length } = [...text]
  if (shortest !== null && length < shortest) return { problem: texts.shortest(shortest) }
  if (longest !== null && length > longest) return { problem: texts.longest(longest) }
  return { value: text }
}

function readJson(text: string): Value {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    // What a person types is often not JSON yet; the parser says where.
    return { problem: texts.notJson((error as Error).message) }
  }
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)
