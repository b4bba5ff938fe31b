import type { Modality, ModelView, RegistrationInput } from '../../src/inference/models/schema'
import { texts } from '../texts/registries'

/** The fields of the form, as typed. */
export interface RemoteForm {
  baseUrl: string
  model: string
  logicalId: string
  modality: Modality
  /** A name of the store, `''` for none, or `NEW_CREDENTIAL`. */
  credential: string
  secretName: string
  secretValue: string
  /** JSON text. */
  params: string
}

export const NEW_CREDENTIAL = '\u0000new'

export const EMPTY_FORM: RemoteForm = {
  baseUrl: '',
  model: '',
  logicalId: '',
  modality: 'chat',
  credential: '',
  secretName: '',
  secretValue: '',
  params: '',
}

export type Problems = Partial<Record<keyof RemoteForm, string>>

export interface Saving {
  id: string
  registration: RegistrationInput
  /** A secret that is new: it is stored first, so that the model works from its first second. */
  secret: { name: string; value: string } | null
}

export interface Checked<P> {
  problems: P
  /** Present when there are no problems. */
  saving?: Saving
}

/** What is wrong with the form, or what to send. `taken`: ids that are registered already. */
export function check(form: RemoteForm, taken: readonly string[]): Checked<Problems> {
  const params = readParams(form.params)
  const id = form.logicalId.trim()
  const isNew = form.credential === NEW_CREDENTIAL
  const problems: Problems = {
    ...(isHttpUrl(form.baseUrl) ? {} : { baseUrl: texts.remote.baseUrl.problem }),
    ...(form.model.trim() ? {} : { model: texts.remote.model.missing }),
    ...idProblem(id, taken),
    ...(isNew && !isEnvName(form.secretName) ? { secretName: texts.credentials.badName } : {}),
    ...(isNew && !form.secretValue ? { secretValue: texts.credentials.noKey } : {}),
    ...(params === null ? { params: texts.form.params.problem } : {}),
  }
  if (Object.keys(problems).length > 0) return { problems }
  const credential = isNew ? form.secretName.trim() : form.credential
  return {
    problems,
    saving: {
      id,
      registration: {
        binding: 'standard-compatible',
        baseUrl: form.baseUrl.trim().replace(/\/+$/, ''),
        model: form.model.trim(),
        modality: form.modality,
        credentialRef: credential ? `secret://${credential}` : null,
        params: params!,
      },
      secret: isNew ? { name: credential, value: form.secretValue.trim() } : null,
    },
  }
}

/** A registration back as the form that made it; null for a model of this machine. */
export function formOf({ logicalId, binding }: ModelView): RemoteForm | null {
  if (binding.binding !== 'standard-compatible') return null
  return {
    ...EMPTY_FORM,
    logicalId,
    baseUrl: binding.baseUrl,
    model: binding.model,
    modality: binding.modality,
    credential: binding.credentialRef?.replace(/^secret:\/\//, '') ?? '',
    params: Object.keys(binding.params).length === 0 ? '' : JSON.stringify(binding.params, null, 2),
  }
}

/** A name to call a model by, made of the provider's: without its owner and file ending. */
export const suggestId = (model: string) =>
  (model.split('/').at(-1) ?? '')
    .replace(/\.gguf$/i, '')
    .toLowerCase()
    .replace(/[^a-z0-9._:-]+/g, '-')
    .replace(/^-+|-+$/g, '')

/** Nearly every provider's addresses begin with a version. */
export const lacksVersion = (baseUrl: string) =>
  isHttpUrl(baseUrl) && !/\/v\d+\w*(\/|$)/.test(new URL(baseUrl.trim()).pathname)

export function idProblem(id: string, taken: readonly string[]): { logicalId?: string } {
  if (id === '') return { logicalId: texts.form.id.missing }
  if (id.startsWith('/') || id.endsWith('/')) return { logicalId: texts.form.id.slashes }
  return taken.includes(id) ? { logicalId: texts.form.id.taken } : {}
}

/** JSON text as an object; `null` where it is none. */
export function readParams(text: string): Record<string, unknown> | null {
  if (text.trim() === '') return {}
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    // Said to the person by `check`.
    return null
  }
}

function isHttpUrl(text: string): boolean {
  const url = URL.parse(text.trim())
  return url !== null && (url.protocol === 'http:' || url.protocol === 'https:')
}

export const isEnvName = (name: string) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(name.trim())

/** Where the usual providers are. The first two run on this machine and need no key. */
export const PRESETS: readonly { label: string; baseUrl: string; secretName: string | null }[] = [
  { label: 'Ollama', baseUrl: 'http://127.0.0.1:11434/v1', secretName: null },
  { label: 'LM Studio', baseUrl: 'http://127.0.0.1:1234/v1', secretName: null },
  { label: 'OpenAI', baseUrl: 'https://api.openai.com/v1', secretName: 'OPENAI_API_KEY' },
  { label: 'OpenRouter', baseUrl: 'https://openrouter.ai/api/v1', secretName: 'OPENROUTER_API_KEY' },
  { label: 'Mistral', baseUrl: 'https://api.mistral.ai/v1', secretName: 'MISTRAL_API_KEY' },
  { label: 'Groq', baseUrl: 'https://api.groq.com/openai/v1', secretName: 'GROQ_API_KEY' },
]
