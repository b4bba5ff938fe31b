import type { Modality, ModelView } from '../../src/inference/models/schema'
import { isManaged, type ManagedBinding } from './data'
import { BAD_PARAMS, type Checked, idProblem, readParams } from './registration'

/** The fields of the form for a model of this machine, as typed. */
export interface LocalForm {
  engine: ManagedBinding['binding']
  source: ManagedBinding['source']
  model: string
  logicalId: string
  modality: Modality
  keepWarm: boolean
  /** Whole seconds. */
  idleTimeoutSec: string
  priority: string
  /** A logical id, or `''` for none. */
  fallback: string
  /** JSON text. */
  params: string
}

export const EMPTY_LOCAL_FORM: LocalForm = {
  engine: 'llamacpp',
  source: 'local-path',
  model: '',
  logicalId: '',
  modality: 'chat',
  keepWarm: false,
  idleTimeoutSec: '900',
  priority: '0',
  fallback: '',
  params: '',
}

export type LocalProblems = Partial<Record<keyof LocalForm, string>>

const WANTED: Record<LocalForm['source'], string> = {
  'local-path': 'Write the whole path, as in /models/qwen3-4b-q4_k_m.gguf.',
  hf: 'Write owner/name, as in Qwen/Qwen3-4B-GGUF.',
  url: 'Write an address that begins with http:// or https://.',
}

/** What is wrong with the form, or what to send. `taken`: ids that are registered already. */
export function checkLocal(form: LocalForm, taken: readonly string[]): Checked<LocalProblems> {
  const params = readParams(form.params)
  const id = form.logicalId.trim()
  const model = form.model.trim()
  const problems: LocalProblems = {
    ...(isPlausible(form.source, model) ? {} : { model: WANTED[form.source] }),
    ...idProblem(id, taken),
    ...(/^\d+$/.test(form.idleTimeoutSec.trim()) ? {} : { idleTimeoutSec: 'Write whole seconds.' }),
    ...(/^-?\d+$/.test(form.priority.trim()) ? {} : { priority: 'Write a whole number.' }),
    ...(form.fallback !== '' && form.fallback === id ? { fallback: 'Choose another model.' } : {}),
    ...(params === null ? { params: BAD_PARAMS } : {}),
  }
  if (Object.keys(problems).length > 0) return { problems }
  const { engine, source, modality, keepWarm } = form
  return {
    problems,
    saving: {
      id,
      registration: {
        binding: engine,
        source,
        model,
        modality,
        params: params!,
        lifecycle: {
          keepWarm,
          idleTimeoutSec: Number(form.idleTimeoutSec),
          priority: Number(form.priority),
        },
        fallback: form.fallback || null,
      },
      secret: null,
    },
  }
}

/** A registration back as the form that made it. */
export function localFormOf(model: ModelView): LocalForm | null {
  if (!isManaged(model)) return null
  const { binding, source, modality, params, lifecycle, fallback } = model.binding
  return {
    engine: binding,
    source,
    model: model.binding.model,
    logicalId: model.logicalId,
    modality,
    keepWarm: lifecycle.keepWarm,
    idleTimeoutSec: String(lifecycle.idleTimeoutSec),
    priority: String(lifecycle.priority),
    fallback: fallback ?? '',
    params: Object.keys(params).length === 0 ? '' : JSON.stringify(params, null, 2),
  }
}

function isPlausible(source: LocalForm['source'], model: string): boolean {
  switch (source) {
    case 'local-path':
      return /^(\/|~\/|\\\\|[A-Za-z]:[\\/])./.test(model)
    case 'hf':
      return /^[^/\s]+\/[^\s]+$/.test(model)
    case 'url':
      return /^https?:\/\/[^\s]+$/.test(model)
  }
}
