import type { Setting } from '../../src/control/settings/schema'
import { ApiError } from '../api'
import { texts } from '../texts/settings'
import { rangeOf } from './labels'

/** What a person changed and has not saved yet: key → text, list or value as its editor holds it; `RESET` for none. */
export const RESET = Symbol('reset')
export type Edits = ReadonlyMap<string, unknown>

export type RegistryRow = { id: string; label: string; url: string }
export type HeaderRow = { name: string; value: string }

/** What the editor of a setting starts from. */
export function editorValue({ type, value, constraints }: Setting): unknown {
  switch (type) {
    case 'bool':
      return value === true
    case 'int':
    case 'float':
      return String(value ?? '')
    case 'str':
    case 'enum':
      return value ?? ''
    case 'list[str]':
      return (value as string[]).join('\n')
    case 'list[registry]':
      return value
    case 'secret':
      return constraints.nullable ? [] : value
  }
}

/** The body of the PATCH, or what is wrong with which field. */
export function readEdits(settings: readonly Setting[], edits: Edits) {
  const changes: Record<string, unknown> = {}
  const problems: Record<string, string> = {}
  for (const setting of settings) {
    if (!edits.has(setting.key)) continue
    const edit = edits.get(setting.key)
    if (edit === RESET) {
      changes[setting.key] = null
      continue
    }
    const read = readOne(setting, edit)
    if ('problem' in read) problems[setting.key] = read.problem
    else changes[setting.key] = read.value
  }
  return { changes, problems }
}

type Reading = { value: unknown } | { problem: string }

function readOne(setting: Setting, edit: unknown): Reading {
  switch (setting.type) {
    case 'int':
    case 'float':
      return readNumber(setting, edit as string)
    case 'str':
      return readText(setting, edit as string)
    case 'list[str]':
      return {
        value: (edit as string)
          .split('\n')
          .map((line) => line.trim())
          .filter(Boolean),
      }
    case 'list[registry]':
      return readRegistries(edit as RegistryRow[])
    case 'secret':
      return readHeaders(edit as HeaderRow[])
    case 'bool':
    case 'enum':
      return { value: edit }
  }
}

function readNumber({ key, type, constraints: { min, max } }: Setting, text: string): Reading {
  const value = Number(text.trim().replaceAll(/[,\s]/g, ''))
  const fits =
    text.trim() !== '' &&
    Number.isFinite(value) &&
    (type === 'float' || Number.isInteger(value)) &&
    (min === null || value >= min) &&
    (max === null || value <= max)
  if (fits) return { value }
  const { any, within } = type === 'int' ? texts.problems.wholeNumber : texts.problems.number
  return { problem: min !== null && max !== null ? within(...rangeOf(min, max, key)) : any }
}

function readText({ constraints }: Setting, text: string): Reading {
  if (text.trim() !== '') return { value: text.trim() }
  return constraints.nullable ? { value: null } : { problem: texts.problems.empty }
}

function readRegistries(rows: RegistryRow[]): Reading {
  const filled = rows.filter(({ id, label, url }) => id.trim() || label.trim() || url.trim())
  if (filled.some(({ id, label, url }) => !id.trim() || !label.trim() || !/^https?:\/\//.test(url.trim())))
    return { problem: texts.problems.registry }
  return {
    value: filled.map(({ id, label, url }) => ({ id: id.trim(), label: label.trim(), url: url.trim() })),
  }
}

function readHeaders(rows: HeaderRow[]): Reading {
  const filled = rows.filter(({ name, value }) => name.trim() || value.trim())
  if (filled.length === 0) return { problem: texts.problems.noHeaders }
  if (filled.some(({ name, value }) => !name.trim() || !value.trim()))
    return { problem: texts.problems.header }
  return { value: Object.fromEntries(filled.map(({ name, value }) => [name.trim(), value.trim()])) }
}

/**
 * The server refuses all of a change in one message that names each key with its problem; each is told beside its field.
 * What cannot be told apart stays in the message, which is always shown.
 */
export function problemsByKey(error: unknown, keys: readonly string[]): Record<string, string> {
  if (!(error instanceof ApiError) || error.code !== 'invalid_setting') return {}
  const found: Record<string, string> = {}
  let last: string | undefined
  for (const piece of error.message
    .replace(/^[^:]*: /, '')
    .replace(/\.$/, '')
    .split('; ')) {
    const key = keys.find((one) => piece.startsWith(`${one} `))
    if (key) found[key] = piece.slice(key.length + 1).replace(/^must/, texts.problems.must)
    else if (last && found[last]) found[last] += `; ${piece}`
    last = key ?? last
  }
  return Object.fromEntries(Object.entries(found).map(([key, text]) => [key, `${text}.`]))
}
