import { type FormEvent, useState } from 'react'
import { Button } from '../kit/button'
import { Dialog } from '../kit/dialog'
import { Field } from '../kit/field'
import { Input, Textarea } from '../kit/input'
import { ErrorNotice } from '../kit/notices'
import { PasswordInput } from '../kit/password-input'
import { Select } from '../kit/select'
import { type ModelView, useCredentials, useSaveModel } from './data'
import { MODALITY_OPTIONS } from './labels'
import {
  check,
  EMPTY_FORM,
  formOf,
  lacksVersion,
  NEW_CREDENTIAL,
  PRESETS,
  type Problems,
  type RemoteForm,
  suggestId,
} from './registration'

interface ModelDialogProps {
  /** The model to change; absent for a new one. */
  model?: ModelView
  taken: readonly string[]
  onClose: () => void
  onSaved: (model: ModelView) => void
}

/** Registers a remote model, or changes one. */
export function ModelDialog({ model, taken, onClose, onSaved }: ModelDialogProps) {
  const [form, setForm] = useState<RemoteForm>(() => (model && formOf(model)) ?? EMPTY_FORM)
  const [shown, setShown] = useState<Problems>({})
  const save = useSaveModel()

  /** A name follows the provider's until somebody writes one. */
  function change(part: Partial<RemoteForm>) {
    setForm((known) => {
      const next = { ...known, ...part }
      const follows = !model && part.model !== undefined && known.logicalId === suggestId(known.model)
      return follows ? { ...next, logicalId: suggestId(next.model) } : next
    })
    setShown((known) => Object.fromEntries(Object.entries(known).filter(([field]) => !(field in part))))
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    const { problems, saving } = check(form, model ? [] : taken)
    setShown(problems)
    if (!saving) return focusFirstProblem(event.currentTarget as HTMLFormElement)
    save.mutate(saving, { onSuccess: onSaved })
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={model ? `Edit ${model.logicalId}` : 'Add a model'}
      description={
        model
          ? undefined
          : 'Any provider with a standard chat address: on this machine, or a service with a key.'
      }
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form="model-form" variant="primary" pending={save.isPending}>
            {model ? 'Save' : 'Add model'}
          </Button>
        </>
      }
    >
      <form id="model-form" noValidate onSubmit={submit} className="flex flex-col gap-4">
        {!model && <Presets onPick={change} />}
        <Provider form={form} problems={shown} onChange={change} />
        <Naming form={form} problems={shown} onChange={change} fixed={model !== undefined} />
        <Credential form={form} problems={shown} onChange={change} />
        <details className="group" open={shown.params !== undefined || undefined}>
          <summary className="cursor-pointer text-sm text-muted hover:text-text">Advanced</summary>
          <Field
            label="Default parameters"
            hint="A JSON object, sent with every request that does not say otherwise."
            error={shown.params}
            className="mt-3"
          >
            <Textarea
              rows={4}
              spellCheck={false}
              placeholder={'{"temperature": 0.2, "maxTokens": 2048}'}
              value={form.params}
              onChange={(event) => change({ params: event.target.value })}
              className="font-mono text-xs"
            />
          </Field>
        </details>
        {save.error && <ErrorNotice title="The model was not saved" error={save.error} />}
      </form>
    </Dialog>
  )
}

interface PartProps {
  form: RemoteForm
  problems: Problems
  onChange: (part: Partial<RemoteForm>) => void
}

const Presets = ({ onPick }: { onPick: PartProps['onChange'] }) => (
  <fieldset className="flex flex-wrap items-center gap-1.5">
    <legend className="sr-only">Fill in the address of</legend>
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
      label="Base URL"
      required
      error={problems.baseUrl}
      hint={
        lacksVersion(form.baseUrl) ? (
          <span className="text-warn">Most providers’ addresses end in /v1; this one does not.</span>
        ) : (
          'Usually ends in /v1.'
        )
      }
    >
      <Input
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        placeholder="https://api.example.com/v1"
        value={form.baseUrl}
        onChange={(event) => onChange({ baseUrl: event.target.value })}
      />
    </Field>
    <div className="grid gap-4 sm:grid-cols-2">
      <Field label="Provider’s model name" required error={problems.model}>
        <Input
          autoComplete="off"
          spellCheck={false}
          placeholder="gpt-4o-mini"
          value={form.model}
          onChange={(event) => onChange({ model: event.target.value })}
        />
      </Field>
      <Field label="Modality">
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

const Naming = ({ form, problems, onChange, fixed }: PartProps & { fixed: boolean }) => (
  <Field
    label="Logical id"
    required
    error={problems.logicalId}
    hint={
      fixed
        ? 'Agents and clients know it by this id, so it stays.'
        : 'What agents, chats and clients call it.'
    }
  >
    <Input
      autoComplete="off"
      spellCheck={false}
      readOnly={fixed}
      placeholder="my-model"
      value={form.logicalId}
      onChange={(event) => onChange({ logicalId: event.target.value })}
    />
  </Field>
)

/** Stands for "none" where the select allows no empty value. */
const NO_CREDENTIAL = '\u0000none'

function Credential({ form, problems, onChange }: PartProps) {
  const { data: known = [] } = useCredentials()
  const names = known.map(({ name }) => name)
  // One that only the environment has, or that is gone, is still what the registration says.
  const listed = form.credential && form.credential !== NEW_CREDENTIAL && !names.includes(form.credential)
  return (
    <>
      <Field label="Credential" hint="Keys are kept on this machine and never shown again.">
        <Select
          value={form.credential || NO_CREDENTIAL}
          onChange={(value) => onChange({ credential: value === NO_CREDENTIAL ? '' : value })}
          options={[
            { value: NO_CREDENTIAL, label: 'None' },
            ...(listed
              ? [{ value: form.credential, label: form.credential, hint: 'From the environment' }]
              : []),
            ...names.map((name) => ({ value: name, label: name })),
            { value: NEW_CREDENTIAL, label: 'New credential…' },
          ]}
          className="w-full"
        />
      </Field>
      {form.credential === NEW_CREDENTIAL && (
        <div className="grid gap-4 rounded-lg border bg-sunken/50 p-3 sm:grid-cols-2">
          <Field label="Name" required error={problems.secretName}>
            <Input
              autoComplete="off"
              spellCheck={false}
              placeholder="OPENAI_API_KEY"
              value={form.secretName}
              onChange={(event) => onChange({ secretName: event.target.value })}
            />
          </Field>
          <Field label="Key" required error={problems.secretValue}>
            <PasswordInput
              autoComplete="off"
              value={form.secretValue}
              onChange={(event) => onChange({ secretValue: event.target.value })}
            />
          </Field>
        </div>
      )}
    </>
  )
}

/** Once the messages are drawn. */
const focusFirstProblem = (form: HTMLFormElement) =>
  requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus())
