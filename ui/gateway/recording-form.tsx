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
import { texts as common } from '../texts/common'
import { texts as gatewayTexts } from '../texts/gateway'
import { useGatewayConfig, useSaveConfig } from './data'
import { type Draft, draftOf, readDraft } from './recording'

const texts = gatewayTexts.recording
const LEVELS = (['off', 'metadata', 'full'] as const).map((value) => ({ value, ...texts.levels[value] }))
const PROJECTS = (['off', 'basename', 'path'] as const).map((value) => ({ value, ...texts.projects[value] }))

/** What one gateway records. */
export function RecordingForm({ gateway }: { gateway: Gateway }) {
  const config = useGatewayConfig(gateway.id)
  if (config.error && !config.data) {
    return <ErrorNotice error={config.error} title={texts.failed} onRetry={() => void config.refetch()} />
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
      () => toast(texts.saved(gateway.name)),
      () => undefined,
    )
  }

  return (
    <form onSubmit={submit} noValidate>
      <Card flush title={texts.title(gateway.name)} description={texts.description}>
        <div className="flex flex-col divide-y divide-line border-t [&>*]:p-4">
          <Field row label={texts.observer} hint={texts.observerHint}>
            <Switch checked={draft.observer} onChange={(observer) => set({ observer })} />
          </Field>
          <Field row label={texts.level} hint={texts.levels[draft.record_level].hint}>
            <Select
              value={draft.record_level}
              onChange={(level) => set({ record_level: level })}
              options={LEVELS}
            />
          </Field>
          <Field row label={texts.project} hint={texts.projectHint}>
            <Select
              value={draft.project_attribution}
              onChange={(project) => set({ project_attribution: project })}
              options={PROJECTS}
            />
          </Field>
          <Field row label={texts.keys} hint={texts.keysHint} error={shown.keys}>
            <Textarea
              rows={3}
              spellCheck={false}
              value={draft.keys}
              onChange={(event) => set({ keys: event.target.value })}
            />
          </Field>
          <Field row label={texts.patterns} hint={texts.patternsHint} error={shown.patterns}>
            <Textarea
              rows={3}
              spellCheck={false}
              className="font-mono"
              value={draft.patterns}
              onChange={(event) => set({ patterns: event.target.value })}
            />
          </Field>
          <Field row label={texts.contentBytes} hint={texts.contentBytesHint} error={shown.max_content_bytes}>
            <Input
              inputMode="numeric"
              value={draft.max_content_bytes}
              onChange={(event) => set({ max_content_bytes: event.target.value })}
            />
          </Field>
          <div className="flex flex-col items-end gap-3">
            {save.error && <ErrorNotice error={save.error} title={texts.saveFailed} className="w-full" />}
            <Button type="submit" variant="primary" pending={save.isPending}>
              {common.save}
            </Button>
          </div>
        </div>
      </Card>
    </form>
  )
}
