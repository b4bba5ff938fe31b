import { CalendarClock, Webhook } from 'lucide-react'
import { useState } from 'react'
import type { Agent } from '../../src/control/agents/schema'
import type { CreateTrigger, Trigger } from '../../src/control/triggers/schema'
import { Field } from '../kit/field'
import { FormDialog } from '../kit/form-dialog'
import { Input, Textarea } from '../kit/input'
import { ErrorNotice } from '../kit/notices'
import { Segmented } from '../kit/segmented'
import { Select } from '../kit/select'
import { texts as triggers } from '../texts/triggers'
import { useCreateTrigger } from './data'
import { NextFires, tryNextInstants } from './next-fires'
import { SecretField } from './secret-field'

const texts = triggers.create

const KINDS = [
  { value: 'schedule', label: texts.kinds.schedule, icon: <CalendarClock aria-hidden /> },
  { value: 'webhook', label: texts.kinds.webhook, icon: <Webhook aria-hidden /> },
] as const
const PINS = [
  { value: 'version', label: texts.pins.version },
  { value: 'content_hash', label: texts.pins.contentHash },
] as const

interface CreateDialogProps {
  agent: Agent
  onClose: () => void
  /** `secret` of a webhook: the only time that anybody but the server knows it. */
  onCreated: (trigger: Trigger, secret: string | null) => void
}

export function CreateDialog({ agent, onClose, onCreated }: CreateDialogProps) {
  const [kind, setKind] = useState<Trigger['kind']>('schedule')
  const [pin, setPin] = useState<'version' | 'content_hash'>('version')
  const [version, setVersion] = useState(agent.versions[0]!.version)
  const [cron, setCron] = useState('0 7 * * 1-5')
  const [input, setInput] = useState('')
  const [secret, setSecret] = useState('')
  const [tried, setTried] = useState(false)
  const create = useCreateTrigger()
  const wrong = mistakesOf({ kind, cron, input, secret })

  function submit() {
    setTried(true)
    if (Object.values(wrong).some(Boolean)) return
    const chosen = agent.versions.find((one) => one.version === version)!
    const body: CreateTrigger = {
      agent_id: agent.id,
      kind,
      [pin]: chosen[pin],
      config:
        kind === 'webhook' ? { secret } : { cron, ...(input.trim() ? { input: JSON.parse(input) } : {}) },
    }
    create.mutate(body, { onSuccess: (made) => onCreated(made, kind === 'webhook' ? secret : null) })
  }

  return (
    <FormDialog
      title={texts.title}
      description={texts.description}
      submit={texts.submit}
      pending={create.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <Segmented label={texts.kind} value={kind} onChange={setKind} options={KINDS} />
      <Segmented label={texts.pin} value={pin} onChange={setPin} options={PINS} />
      <Field label={texts.version}>
        <Select
          value={version}
          onChange={setVersion}
          options={agent.versions.map((one) => ({
            value: one.version,
            label: one.version,
            hint: pin === 'content_hash' ? `${one.content_hash.slice(0, 23)}…` : undefined,
          }))}
        />
      </Field>
      {kind === 'webhook' ? (
        <SecretField value={secret} onChange={setSecret} error={tried ? wrong.secret : null} />
      ) : (
        <ScheduleFields cron={cron} onCron={setCron} input={input} onInput={setInput} wrong={wrong} />
      )}
      {create.error && <ErrorNotice title={texts.failed} error={create.error} />}
    </FormDialog>
  )
}

interface ScheduleFieldsProps {
  cron: string
  onCron: (cron: string) => void
  input: string
  onInput: (input: string) => void
  wrong: { cron: string | null; input: string | null }
}

const ScheduleFields = ({ cron, onCron, input, onInput, wrong }: ScheduleFieldsProps) => (
  <>
    <Field label={texts.cron.label} required hint={texts.cron.hint} error={wrong.cron}>
      <Input
        className="font-mono"
        spellCheck={false}
        autoComplete="off"
        value={cron}
        onChange={(event) => onCron(event.target.value)}
      />
    </Field>
    <NextFires cron={cron} />
    <Field label={texts.input.label} hint={texts.input.hint} error={wrong.input}>
      <Textarea
        rows={3}
        className="font-mono text-xs"
        spellCheck={false}
        placeholder={texts.input.placeholder}
        value={input}
        onChange={(event) => onInput(event.target.value)}
      />
    </Field>
  </>
)

interface Fields {
  kind: Trigger['kind']
  cron: string
  input: string
  secret: string
}

function mistakesOf({ kind, cron, input, secret }: Fields) {
  if (kind === 'webhook') {
    return { cron: null, input: null, secret: secret.trim() ? null : texts.noSecret }
  }
  return { cron: tryNextInstants(cron, Date.now()).mistake, input: mistakeOfJson(input), secret: null }
}

export function mistakeOfJson(text: string): string | null {
  if (text.trim() === '') return null
  try {
    JSON.parse(text)
    return null
  } catch (error) {
    return texts.notJson((error as Error).message)
  }
}
