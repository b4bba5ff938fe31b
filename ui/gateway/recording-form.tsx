import { type FormEvent, useState } from 'react'
import type { Gateway, GatewayConfig } from '../../src/control/gateways/schema'
import { Button } from '../kit/button'
import { Card } from '../kit/card'
import { Field } from '../kit/field'
import { Input, Textarea } from '../kit/input'
import { ErrorNotice } from '../kit/notices'
import { Skeleton } from '../kit/placeholders'
import { Select } from '../kit/select'
import { Switch } from '../kit/switch'
import { useToast } from '../kit/toasts'
import { useGatewayConfig, useSaveConfig } from './data'
import { type Draft, draftOf, readDraft } from './recording'

const LEVELS = [
  { value: 'off', label: 'Off', hint: 'Nothing.' },
  { value: 'metadata', label: 'Metadata', hint: 'Who, when, model, tokens, durations, names of tools.' },
  { value: 'full', label: 'Full', hint: 'Messages and answers too, redacted first.' },
] as const
const PROJECTS = [
  { value: 'off', label: 'No project', hint: 'Sessions have no project.' },
  { value: 'basename', label: 'Name', hint: 'Name of the folder, and the git remote.' },
  { value: 'path', label: 'Whole path', hint: 'May hold a person’s name.' },
] as const

/** What one gateway records. */
export function RecordingForm({ gateway }: { gateway: Gateway }) {
  const config = useGatewayConfig(gateway.id)
  if (config.error && !config.data) {
    return (
      <ErrorNotice
        error={config.error}
        title="The configuration could not be loaded"
        onRetry={() => void config.refetch()}
      />
    )
  }
  if (!config.data) return <Skeleton className="h-64 w-full rounded-xl" />
  return <Form key={config.data.config_version} gateway={gateway} config={config.data} />
}

function Form({ gateway, config }: { gateway: Gateway; config: GatewayConfig }) {
  const save = useSaveConfig(gateway.id)
  const toast = useToast()
  const [draft, setDraft] = useState(() => draftOf(config))
  const [tried, setTried] = useState(false)
  const { config: read, problems } = readDraft(draft)
  const shown = tried ? problems : {}
  const set = (change: Partial<Draft>) => setDraft((now) => ({ ...now, ...change }))

  function submit(event: FormEvent) {
    event.preventDefault()
    setTried(true)
    if (Object.keys(problems).length > 0) return
    // A promise, since this form is replaced by one of the next version before a callback would be called.
    save.mutateAsync(read).then(
      () => toast(`${gateway.name}: saved. It counts within 30 seconds.`),
      () => undefined,
    )
  }

  return (
    <form onSubmit={submit} noValidate>
      <Card
        flush
        title={`Recording of ${gateway.name}`}
        description="Until this is saved with recording on, the gateway forwards and records nothing. Credentials are never recorded."
      >
        <div className="flex flex-col divide-y divide-line border-t [&>*]:p-4">
          <Field row label="Record" hint="Observer mode: requests leave records.">
            <Switch checked={draft.observer} onChange={(observer) => set({ observer })} />
          </Field>
          <Field row label="Level" hint={LEVELS.find(({ value }) => value === draft.record_level)?.hint}>
            <Select
              value={draft.record_level}
              onChange={(level) => set({ record_level: level })}
              options={LEVELS}
            />
          </Field>
          <Field row label="Project" hint="What is kept of the folder that a client works in.">
            <Select
              value={draft.project_attribution}
              onChange={(project) => set({ project_attribution: project })}
              options={PROJECTS}
            />
          </Field>
          <Field
            row
            label="Redacted keys"
            hint="Names, one a line: values under them become [redacted] in contents."
            error={shown.keys}
          >
            <Textarea
              rows={3}
              spellCheck={false}
              value={draft.keys}
              onChange={(event) => set({ keys: event.target.value })}
            />
          </Field>
          <Field
            row
            label="Redacted patterns"
            hint="RE2 expressions, one a line. What they match never leaves the gateway."
            error={shown.patterns}
          >
            <Textarea
              rows={3}
              spellCheck={false}
              className="font-mono"
              value={draft.patterns}
              onChange={(event) => set({ patterns: event.target.value })}
            />
          </Field>
          <Field
            row
            label="Largest kept content"
            hint="Of one request at level full, in bytes; longer ones are cut."
            error={shown.max_content_bytes}
          >
            <Input
              inputMode="numeric"
              value={draft.max_content_bytes}
              onChange={(event) => set({ max_content_bytes: event.target.value })}
            />
          </Field>
          <div className="flex flex-col items-end gap-3">
            {save.error && <ErrorNotice error={save.error} title="It was not saved" className="w-full" />}
            <Button type="submit" variant="primary" pending={save.isPending}>
              Save
            </Button>
          </div>
        </div>
      </Card>
    </form>
  )
}
