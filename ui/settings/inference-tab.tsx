import { RotateCcw } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Badge } from '../kit/badge'
import { Button } from '../kit/button'
import { Card } from '../kit/card'
import { Field } from '../kit/field'
import { Input } from '../kit/input'
import { useToast } from '../kit/toasts'
import { Worded } from '../kit/worded'
import { texts as common } from '../texts/common'
import { texts } from '../texts/settings'
import { useChangeInferenceSettings, useInferenceSettings } from './data'
import { Diagnostics } from './diagnostics'
import { SettingsFailed, SettingsLoading } from './platform-tab'

/** What the inference plane itself keeps; it is asked directly. */
export function InferenceTab() {
  const settings = useInferenceSettings()
  return (
    <div className="flex flex-col gap-6">
      {settings.isPending && <SettingsLoading />}
      {settings.error && <SettingsFailed error={settings.error} onRetry={() => void settings.refetch()} />}
      {settings.data && <Capacity maxResident={settings.data.maxResident} />}
      <Diagnostics />
    </div>
  )
}

type MaxResident = NonNullable<ReturnType<typeof useInferenceSettings>['data']>['maxResident']

function Capacity({ maxResident }: { maxResident: MaxResident }) {
  const change = useChangeInferenceSettings()
  const toast = useToast()
  const [text, setText] = useState<string | null>(null)
  const pinned = maxResident.envPinned

  function save(value: number | null) {
    change.mutate(
      { maxResident: value },
      {
        onSuccess: () => {
          setText(null)
          toast(texts.capacity.saved)
        },
      },
    )
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    save(Number(text))
  }

  return (
    <form onSubmit={submit} noValidate>
      <Card title={texts.capacity.title} flush>
        <Field
          row
          className="border-t px-4 py-4"
          label={texts.capacity.label}
          aside={
            <>
              <Badge tone={pinned ? 'warn' : maxResident.source === 'stored' ? 'good' : 'neutral'}>
                {texts.sources[maxResident.source]}
              </Badge>
              {text === null && maxResident.source === 'stored' && (
                <Button
                  size="sm"
                  variant="ghost"
                  pending={change.isPending}
                  icon={<RotateCcw aria-hidden className="size-3" />}
                  onClick={() => save(null)}
                >
                  {texts.capacity.reset(maxResident.default)}
                </Button>
              )}
            </>
          }
          hint={
            pinned ? (
              <Worded text={texts.row.locked} with={{ variable: maxResident.envVar }} />
            ) : (
              texts.capacity.hint
            )
          }
          error={change.error?.message}
        >
          <Input
            inputMode="numeric"
            value={text ?? String(maxResident.value)}
            disabled={pinned}
            onChange={(event) => setText(event.target.value)}
            className="max-w-24"
          />
        </Field>
        {text !== null && (
          <footer className="sticky bottom-0 flex flex-wrap items-center justify-end gap-2 border-t bg-canvas px-4 py-2.5">
            <p className="mr-auto text-xs text-muted">{texts.changes.unsaved(1)}</p>
            <Button
              onClick={() => {
                setText(null)
                change.reset()
              }}
            >
              {texts.changes.discard}
            </Button>
            <Button type="submit" variant="primary" pending={change.isPending}>
              {common.save}
            </Button>
          </footer>
        )}
      </Card>
    </form>
  )
}
