import { Field } from '../kit/field'
import { Input } from '../kit/input'
import { ErrorNotice, Notice } from '../kit/notices'
import { Segmented } from '../kit/segmented'
import { Select } from '../kit/select'
import { Switch } from '../kit/switch'
import { useMissingEngine } from './data'
import { Advanced, type FormProps, Naming, ParamsField } from './form-parts'
import { WithCode } from './hint'
import { engineName, MODALITY_OPTIONS } from './labels'
import {
  checkLocal,
  EMPTY_LOCAL_FORM,
  type LocalForm as Form,
  type LocalProblems,
  localFormOf,
} from './local-registration'
import { useRegistrationForm } from './use-registration-form'

/** A model whose weights an engine of this machine loads. */
export function LocalForm({ model, taken, id, onSaved, onPending }: FormProps) {
  const { form, problems, change, submit, error } = useRegistrationForm<Form>({
    initial: (model && localFormOf(model)) ?? EMPTY_LOCAL_FORM,
    fixed: model !== undefined,
    check: (typed) => checkLocal(typed, model ? [] : taken),
    onSaved,
    onPending,
  })
  const part = { form, problems, onChange: change }
  const hidden = ['params', 'keepWarm', 'idleTimeoutSec', 'priority', 'fallback'] as const
  return (
    <form id={id} noValidate onSubmit={submit} className="flex flex-col gap-4">
      <Weights {...part} />
      <Engine {...part} />
      <Naming {...part} fixed={model !== undefined} />
      <Advanced open={hidden.some((field) => problems[field] !== undefined)}>
        <Lifecycle {...part} others={taken.filter((other) => other !== form.logicalId)} />
        <ParamsField
          {...part}
          hint="A JSON object. ctxSize, parallel, batchSize, ubatchSize, mmproj and pooling start llama.cpp; everything else goes along with requests."
          placeholder={'{"ctxSize": 8192, "temperature": 0.2}'}
        />
      </Advanced>
      {model && (
        <p className="text-xs text-muted">
          Saving ends the engine that has it in memory as soon as its answers are finished. The next request
          loads it as it is then.
        </p>
      )}
      {error && <ErrorNotice title="The model was not saved" error={error} />}
    </form>
  )
}

interface PartProps {
  form: Form
  problems: LocalProblems
  onChange: (part: Partial<Form>) => void
}

const SOURCES = [
  { value: 'local-path', label: 'Path' },
  { value: 'hf', label: 'Hub repository' },
  { value: 'url', label: 'URL' },
] as const satisfies readonly { value: Form['source']; label: string }[]

const PLACES: Record<Form['source'], { label: string; hint: string; example: string }> = {
  'local-path': {
    label: 'Path of the weights',
    hint: 'A GGUF file for llama.cpp, a folder for MLX. It is read where it is, never copied.',
    example: '/models/qwen3-4b-q4_k_m.gguf',
  },
  hf: {
    label: 'Repository',
    hint: 'The engine downloads it at its first use. The catalog shows progress and checks what came.',
    example: 'Qwen/Qwen3-4B-GGUF',
  },
  url: {
    label: 'Address of the weights',
    hint: 'The engine downloads it at its first use.',
    example: 'https://example.com/model.gguf',
  },
}

const Weights = ({ form, problems, onChange }: PartProps) => {
  const { label, hint, example } = PLACES[form.source]
  return (
    <>
      <Segmented
        label="Weights from"
        value={form.source}
        onChange={(source) => onChange({ source })}
        options={SOURCES}
      />
      <Field label={label} required hint={hint} error={problems.model}>
        <Input
          autoComplete="off"
          spellCheck={false}
          placeholder={example}
          value={form.model}
          onChange={(event) => onChange({ model: event.target.value })}
        />
      </Field>
    </>
  )
}

function Engine({ form, problems, onChange }: PartProps) {
  const missing = useMissingEngine({ binding: form.engine, modality: form.modality })
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Engine" error={problems.engine}>
          <Select
            value={form.engine}
            onChange={(engine) => onChange({ engine })}
            options={[
              {
                value: 'llamacpp',
                label: engineName('llamacpp', form.modality),
                hint: 'GGUF and ggml files, any machine',
              },
              { value: 'mlx', label: 'MLX', hint: 'Apple machines' },
            ]}
            className="w-full"
          />
        </Field>
        <Field label="Modality" error={problems.modality}>
          <Select
            value={form.modality}
            onChange={(modality) => onChange({ modality })}
            options={MODALITY_OPTIONS}
            className="w-full"
          />
        </Field>
      </div>
      {missing && (
        <Notice tone="warn">
          <p className="font-medium">It can be registered, but not run yet.</p>
          <p className="text-xs">
            <WithCode text={missing} />
          </p>
        </Notice>
      )}
    </>
  )
}

/** Stands for "none" where the select allows no empty value. */
const NO_FALLBACK = '\u0000none'

const Lifecycle = ({ form, problems, onChange, others }: PartProps & { others: readonly string[] }) => (
  <>
    <Field label="Keep in memory" hint="Never freed for being idle; freed last when room is needed.">
      <Switch checked={form.keepWarm} onChange={(keepWarm) => onChange({ keepWarm })} />
    </Field>
    <div className="grid gap-4 sm:grid-cols-2">
      <Field label="Free after idle seconds" error={problems.idleTimeoutSec}>
        <Input
          inputMode="numeric"
          disabled={form.keepWarm}
          value={form.idleTimeoutSec}
          onChange={(event) => onChange({ idleTimeoutSec: event.target.value })}
        />
      </Field>
      <Field label="Priority" hint="The lowest goes first when room is needed." error={problems.priority}>
        <Input
          inputMode="numeric"
          value={form.priority}
          onChange={(event) => onChange({ priority: event.target.value })}
        />
      </Field>
    </div>
    <Field
      label="Fallback"
      hint="Asked instead when this one has no room or no engine."
      error={problems.fallback}
    >
      <Select
        value={form.fallback || NO_FALLBACK}
        onChange={(value) => onChange({ fallback: value === NO_FALLBACK ? '' : value })}
        options={[
          { value: NO_FALLBACK, label: 'None' },
          ...(form.fallback && !others.includes(form.fallback)
            ? [{ value: form.fallback, label: form.fallback, hint: 'Not registered' }]
            : []),
          ...others.map((value) => ({ value, label: value })),
        ]}
        className="w-full"
      />
    </Field>
  </>
)
