import { quote } from '../../src/graph/problem'
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
      return {
        kind: 'moved',
        title: 'This was answered already',
        help: 'Somebody else answered, or its time was over. Nothing was sent a second time.',
      }
    case 'resume_schema_mismatch':
      return { kind: 'error', title: 'Something is missing', help: null }
    case 'workflow_gone':
      return {
        kind: 'gone',
        title: 'This run cannot go on',
        help: 'What it had done so far is gone, so it has ended. Start it again.',
      }
    case 'durable_required':
      return {
        kind: 'error',
        title: 'Durable mode is off',
        help: 'Start Tycho with SERVICE_DURABLE=true, then send the answer again.',
      }
    default:
      return { kind: 'error', title: 'The answer was not sent', help: null }
  }
}

/** Which fields the server's refusal names, by position. */
export function namedFields(error: unknown, fields: readonly AnswerField[]): (string | null)[] {
  const { code, message } = error as Refused
  const words = code === 'resume_schema_mismatch' && typeof message === 'string' ? message : ''
  return fields.map(({ key }) => (key !== null && words.includes(quote(key)) ? 'This is needed.' : null))
}
