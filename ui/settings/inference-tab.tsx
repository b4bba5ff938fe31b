import { RotateCcw } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Badge } from '../kit/badge'
import { Button } from '../kit/button'
import { Card } from '../kit/card'
import { Field } from '../kit/field'
import { Input } from '../kit/input'
import { useToast } from '../kit/toasts'
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
          toast('Saved. It counts at once.')
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
      <Card title="Capacity" flush>
        <Field
          row
          className="border-t px-4 py-4"
          label="Engines in memory at once"
          aside={
            <>
              <Badge tone={pinned ? 'warn' : maxResident.source === 'stored' ? 'good' : 'neutral'}>
                {{ env: 'environment', stored: 'set here', default: 'default' }[maxResident.source]}
              </Badge>
              {text === null && maxResident.source === 'stored' && (
                <Button
                  size="sm"
                  variant="ghost"
                  pending={change.isPending}
                  icon={<RotateCcw aria-hidden className="size-3" />}
                  onClick={() => save(null)}
                >
                  Reset to {maxResident.default}
                </Button>
              )}
            </>
          }
          hint={
            pinned
              ? `Locked by ${maxResident.envVar}: change it there and restart.`
              : 'Each holds a whole model in memory. One more than fits makes all of them slow. 1 to 16; lowering it frees engines as they become idle.'
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
            <p className="mr-auto text-xs text-muted">One change, not saved yet.</p>
            <Button
              onClick={() => {
                setText(null)
                change.reset()
              }}
            >
              Discard
            </Button>
            <Button type="submit" variant="primary" pending={change.isPending}>
              Save
            </Button>
          </footer>
        )}
      </Card>
    </form>
  )
}
