import { ApiError } from '../api'

/** What the server calls a field, where the form calls it otherwise. */
const FIELDS: Record<string, string> = { binding: 'engine', credentialRef: 'credential' }

/**
 * The field that the server refused a registration for, and its words: `params.ctxSize: must be a whole number from 1.`
 * `null` where it is about none.
 */
export function refusedField(error: unknown): { field: string; message: string } | null {
  if (!(error instanceof ApiError)) return null
  switch (error.code) {
    case 'invalid_binding':
      return inBinding(error.message)
    case 'incomplete_weights':
      return { field: 'model', message: error.message }
    case 'invalid_credential':
      return {
        field: error.message.startsWith('value:') ? 'secretValue' : 'secretName',
        message: error.message,
      }
    default:
      return null
  }
}

function inBinding(message: string): { field: string; message: string } | null {
  if (/^The logical id/.test(message)) return { field: 'logicalId', message }
  const [, path, words] = /^([A-Za-z]+(?:\.[A-Za-z]+)*): (.+)$/s.exec(message) ?? []
  if (!path || !words) return null
  const [first = '', second] = path.split('.')
  if (first === 'lifecycle' && second) return { field: second, message: words }
  // Which of the parameters it is must be said: they share one field.
  return { field: FIELDS[first] ?? first, message: second ? `${second}: ${words}` : words }
}
