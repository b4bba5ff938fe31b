import { Button } from '../kit/button'
import { Field } from '../kit/field'
import { Input } from '../kit/input'
import { ErrorNotice } from '../kit/notices'
import { Select } from '../kit/select'
import { texts as registries } from '../texts/registries'
import { CredentialFields } from './credential-fields'
import { Advanced, type FormProps, Naming, ParamsField } from './form-parts'
import { MODALITY_OPTIONS } from './labels'
import {
  check,
  EMPTY_FORM,
  type RemoteForm as Form,
  formOf,
  lacksVersion,
  NEW_CREDENTIAL,
  PRESETS,
  type Problems,
} from './registration'
import { useRegistrationForm } from './use-registration-form'

const texts = registries.remote

/** A model of any provider with a standard address: on this machine, or a service with a key. */
export function RemoteForm({ model, taken, id, onSaved, onPending }: FormProps) {
  const { form, problems, change, submit, error } = useRegistrationForm<Form>({
    initial: (model && formOf(model)) ?? EMPTY_FORM,
    fixed: model !== undefined,
    check: (typed) => check(typed, model ? [] : taken),
    onSaved,
    onPending,
  })
  const part = { form, problems, onChange: change }
  return (
    <form id={id} noValidate onSubmit={submit} className="flex flex-col gap-4">
      {!model && <Presets onPick={change} />}
      <Provider {...part} />
      <Naming {...part} fixed={model !== undefined} />
      <CredentialFields {...part} />
      <Advanced open={problems.params !== undefined}>
        <ParamsField {...part} />
      </Advanced>
      {error && <ErrorNotice title={registries.form.failed} error={error} />}
    </form>
  )
}

interface PartProps {
  form: Form
  problems: Problems
  onChange: (part: Partial<Form>) => void
}

const Presets = ({ onPick }: { onPick: PartProps['onChange'] }) => (
  <fieldset className="flex flex-wrap items-center gap-1.5">
    <legend className="sr-only">{texts.presets}</legend>
    {PRESETS.map(({ label, baseUrl, secretName }) => (
      <Button
        key={label}
        size="sm"
        onClick={() =>
          onPick({
            baseUrl,
            ...(secretName ? { credential: NEW_CREDENTIAL, secretName } : { credential: '', secretName: '' }),
          })
        }
      >
        {label}
      </Button>
    ))}
  </fieldset>
)

const Provider = ({ form, problems, onChange }: PartProps) => (
  <>
    <Field
      label={texts.baseUrl.label}
      required
      error={problems.baseUrl}
      hint={
        lacksVersion(form.baseUrl) ? (
          <span className="text-warn">{texts.baseUrl.noVersion}</span>
        ) : (
          texts.baseUrl.hint
        )
      }
    >
      <Input
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        placeholder={texts.baseUrl.example}
        value={form.baseUrl}
        onChange={(event) => onChange({ baseUrl: event.target.value })}
      />
    </Field>
    <div className="grid gap-4 sm:grid-cols-2">
      <Field label={texts.model.label} required error={problems.model}>
        <Input
          autoComplete="off"
          spellCheck={false}
          placeholder={texts.model.example}
          value={form.model}
          onChange={(event) => onChange({ model: event.target.value })}
        />
      </Field>
      <Field label={registries.form.modality}>
        <Select
          value={form.modality}
          onChange={(modality) => onChange({ modality })}
          options={MODALITY_OPTIONS}
          className="w-full"
        />
      </Field>
    </div>
  </>
)
