import { quote } from '../../src/graph/problem'
import { texts } from '../texts/waiting'
import type { AnswerField } from './schema-fields'

interface Refused {
  code?: unknown
  message?: unknown
}

/** Why an answer was not taken, in words for the person who gave it. */
export interface Refusal {
  /** `moved`: nothing went wrong, the run only waits no longer; `gone`: it has ended because of that. */
  kind: 'moved' | 'gone' | 'error'
  title: string
  help: string | null
}

export function refusalOf(error: unknown): Refusal {
  switch ((error as Refused).code) {
    case 'run_not_waiting':
      return { kind: 'moved', ...texts.refusal.moved }
    case 'resume_schema_mismatch':
      return { kind: 'error', title: texts.refusal.mismatch, help: null }
    case 'workflow_gone':
      return { kind: 'gone', ...texts.refusal.gone }
    case 'durable_required':
      return { kind: 'error', ...texts.refusal.notDurable }
    default:
      return { kind: 'error', title: texts.refusal.failed, help: null }
  }
}

/** Which fields the server's refusal names, by position. */
export function namedFields(error: unknown, fields: readonly AnswerField[]): (string | null)[] {
  const { code, message } = error as Refused
  const words = code === 'resume_schema_mismatch' && typeof message === 'string' ? message : ''
  return fields.map(({ key }) =>
    key !== null && words.includes(quote(key)) ? texts.problems.required : null,
  )
}
