import { Field } from '../kit/field'
import { Input } from '../kit/input'
import { ErrorNotice, Notice } from '../kit/notices'
import { Segmented } from '../kit/segmented'
import { Select } from '../kit/select'
import { Switch } from '../kit/switch'
import { texts as registries } from '../texts/registries'
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

const texts = registries.local

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
        <ParamsField {...part} hint={texts.params.hint} placeholder={texts.params.example} />
      </Advanced>
      {model && <p className="text-xs text-muted">{texts.saveHint}</p>}
      {error && <ErrorNotice title={registries.form.failed} error={error} />}
    </form>
  )
}

interface PartProps {
  form: Form
  problems: LocalProblems
  onChange: (part: Partial<Form>) => void
}

const SOURCES = (['local-path', 'hf', 'url'] as const).map((value) => ({
  value,
  label: texts.sources[value].name,
}))

const Weights = ({ form, problems, onChange }: PartProps) => {
  const { label, hint, example } = texts.sources[form.source]
  return (
    <>
      <Segmented
        label={texts.weightsFrom}
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
        <Field label={texts.engine.label} error={problems.engine}>
          <Select
            value={form.engine}
            onChange={(engine) => onChange({ engine })}
            options={[
              {
                value: 'llamacpp',
                label: engineName('llamacpp', form.modality),
                hint: texts.engine.llamacpp,
              },
              { value: 'mlx', label: 'MLX', hint: texts.engine.mlx },
            ]}
            className="w-full"
          />
        </Field>
        <Field label={registries.form.modality} error={problems.modality}>
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
          <p className="font-medium">{texts.engine.missing}</p>
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
    <Field label={texts.keepWarm.label} hint={texts.keepWarm.hint}>
      <Switch checked={form.keepWarm} onChange={(keepWarm) => onChange({ keepWarm })} />
    </Field>
    <div className="grid gap-4 sm:grid-cols-2">
      <Field label={texts.idle.label} error={problems.idleTimeoutSec}>
        <Input
          inputMode="numeric"
          disabled={form.keepWarm}
          value={form.idleTimeoutSec}
          onChange={(event) => onChange({ idleTimeoutSec: event.target.value })}
        />
      </Field>
      <Field label={texts.priority.label} hint={texts.priority.hint} error={problems.priority}>
        <Input
          inputMode="numeric"
          value={form.priority}
          onChange={(event) => onChange({ priority: event.target.value })}
        />
      </Field>
    </div>
    <Field label={texts.fallback.label} hint={texts.fallback.hint} error={problems.fallback}>
      <Select
        value={form.fallback || NO_FALLBACK}
        onChange={(value) => onChange({ fallback: value === NO_FALLBACK ? '' : value })}
        options={[
          { value: NO_FALLBACK, label: texts.fallback.none },
          ...(form.fallback && !others.includes(form.fallback)
            ? [{ value: form.fallback, label: form.fallback, hint: texts.fallback.notRegistered }]
            : []),
          ...others.map((value) => ({ value, label: value })),
        ]}
        className="w-full"
      />
    </Field>
  </>
)
