import { type FormEvent, useState } from 'react'
import type { Setting } from '../../src/control/settings/schema'
import { Button } from '../kit/button'
import { Card } from '../kit/card'
import { ErrorNotice, Notice } from '../kit/notices'
import { useToast } from '../kit/toasts'
import { texts as common } from '../texts/common'
import { texts } from '../texts/settings'
import { useChangeSettings } from './data'
import { type Edits, problemsByKey, readEdits } from './edits'
import { labelOf } from './labels'
import { SettingRow } from './setting-row'

interface SettingsGroupProps {
  title: string
  description?: string
  settings: Setting[]
}

/** Settings that are saved together: all of the changes, or none. */
export function SettingsGroup({ title, description, settings }: SettingsGroupProps) {
  const save = useChangeSettings()
  const toast = useToast()
  const [edits, setEdits] = useState<Edits>(new Map())
  const [problems, setProblems] = useState<Record<string, string>>({})

  function edit(key: string, value: unknown) {
    setEdits((now) => {
      const next = new Map(now)
      if (value === undefined) next.delete(key)
      else next.set(key, value)
      return next
    })
    setProblems(({ [key]: _, ...others }) => others)
  }

  function submit(event: FormEvent) {
    event.preventDefault()
    const { changes, problems: found } = readEdits(settings, edits)
    setProblems(found)
    if (Object.keys(found).length > 0) return
    save.mutate(changes, {
      onSuccess: () => {
        setEdits(new Map())
        toast(texts.changes.saved(title))
      },
      onError: (error) => setProblems(problemsByKey(error, [...edits.keys()])),
    })
  }

  return (
    <form onSubmit={submit} noValidate>
      <Card title={title} description={description} flush>
        <div className="divide-y divide-line border-t">
          {settings.map((setting) => (
            <SettingRow
              key={setting.key}
              setting={setting}
              edit={edits.get(setting.key)}
              problem={problems[setting.key]}
              onEdit={(value) => edit(setting.key, value)}
            />
          ))}
        </div>
        <Outcome save={save} />
        {edits.size > 0 && (
          <footer className="sticky bottom-0 flex flex-wrap items-center justify-end gap-2 border-t bg-canvas px-4 py-2.5">
            <p className="mr-auto text-xs text-muted">{texts.changes.unsaved(edits.size)}</p>
            <Button
              onClick={() => {
                setEdits(new Map())
                setProblems({})
                save.reset()
              }}
            >
              {texts.changes.discard}
            </Button>
            <Button type="submit" variant="primary" pending={save.isPending}>
              {common.save}
            </Button>
          </footer>
        )}
      </Card>
    </form>
  )
}

function Outcome({ save }: { save: ReturnType<typeof useChangeSettings> }) {
  const late = Object.entries(save.data?.apply_errors ?? {})
  if (save.error) return <ErrorNotice error={save.error} title={texts.changes.failed} className="mx-4 mb-4" />
  if (late.length === 0) return null
  return (
    <div className="px-4 pb-4">
      <Notice tone="warn">
        {late.map(([key, message]) => (
          <p key={key}>
            {labelOf(key)}: {message}
          </p>
        ))}
      </Notice>
    </div>
  )
}
