import type { Modality, ModelView } from '../../src/inference/models/schema'
import { texts } from '../texts/registries'
import { isManaged, type ManagedBinding } from './data'
import { type Checked, idProblem, readParams } from './registration'

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

/** What is wrong with the form, or what to send. `taken`: ids that are registered already. */
export function checkLocal(form: LocalForm, taken: readonly string[]): Checked<LocalProblems> {
  const params = readParams(form.params)
  const id = form.logicalId.trim()
  const model = form.model.trim()
  const problems: LocalProblems = {
    ...(isPlausible(form.source, model) ? {} : { model: texts.local.sources[form.source].problem }),
    ...idProblem(id, taken),
    ...(/^\d+$/.test(form.idleTimeoutSec.trim()) ? {} : { idleTimeoutSec: texts.local.idle.problem }),
    ...(/^-?\d+$/.test(form.priority.trim()) ? {} : { priority: texts.local.priority.problem }),
    ...(form.fallback !== '' && form.fallback === id ? { fallback: texts.local.fallback.problem } : {}),
    ...(params === null ? { params: texts.form.params.problem } : {}),
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
