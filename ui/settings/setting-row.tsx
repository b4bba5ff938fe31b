import { Lock, RotateCcw } from 'lucide-react'
import type { Setting } from '../../src/control/settings/schema'
import { Badge } from '../kit/badge'
import { Button } from '../kit/button'
import { Field } from '../kit/field'
import { Worded } from '../kit/worded'
import { texts as settings } from '../texts/settings'
import { RESET } from './edits'
import { APPLIES, amount, labelOf, rangeOf } from './labels'
import { ValueEditor } from './value-editor'

const texts = settings.row

interface SettingRowProps {
  setting: Setting
  /** What was changed and is not saved yet. */
  edit: unknown
  problem: string | undefined
  /** `undefined` takes the change back. */
  onEdit: (value: unknown) => void
}

/** One setting: what it is, where its value comes from, and the control to change it. */
export function SettingRow({ setting, edit, problem, onEdit }: SettingRowProps) {
  const resetting = edit === RESET
  return (
    <Field
      row
      className="px-4 py-4"
      label={labelOf(setting.key)}
      error={problem}
      aside={
        <>
          <Source setting={setting} changed={edit !== undefined} />
          {setting.env_capped && <Badge tone="warn">{texts.capped}</Badge>}
          <WayBack setting={setting} changed={edit !== undefined} onEdit={onEdit} />
        </>
      }
      hint={<About setting={setting} />}
    >
      {resetting ? (
        <p className="flex min-h-8 items-center text-sm text-muted">
          {texts.resetting(shown(setting.default, setting))}
        </p>
      ) : (
        <ValueEditor setting={setting} edit={edit} onEdit={onEdit} />
      )}
    </Field>
  )
}

/** Takes a change back, or goes back to the default. */
function WayBack({
  setting,
  changed,
  onEdit,
}: Pick<SettingRowProps, 'setting' | 'onEdit'> & { changed: boolean }) {
  if (changed) {
    return (
      <Button size="sm" variant="ghost" className="-my-1" onClick={() => onEdit(undefined)}>
        {texts.undo}
      </Button>
    )
  }
  if (!isStored(setting) || setting.env_pinned) return null
  return (
    <Button
      size="sm"
      variant="ghost"
      className="-my-1"
      icon={<RotateCcw aria-hidden className="size-3" />}
      onClick={() => onEdit(RESET)}
      aria-label={texts.resetOne(labelOf(setting.key))}
    >
      {texts.reset}
    </Button>
  )
}

const isStored = ({ stored_value, stored_invalid }: Setting) =>
  stored_invalid || (stored_value !== null && stored_value !== undefined)

function Source({ setting, changed }: { setting: Setting; changed: boolean }) {
  if (changed) return <Badge tone="accent">{texts.changed}</Badge>
  if (setting.env_pinned)
    return (
      <Badge tone="warn" icon={<Lock aria-hidden />}>
        {settings.sources.env}
      </Badge>
    )
  return setting.source === 'stored' ? (
    <Badge tone="good">{settings.sources.stored}</Badge>
  ) : (
    <Badge>{settings.sources[setting.source]}</Badge>
  )
}

function About({ setting }: { setting: Setting }) {
  const { key, description, env_var: variable } = setting
  return (
    <div className="flex flex-col gap-0.5">
      <p>
        {description} {range(setting)} {APPLIES[setting.apply]}
      </p>
      {setting.env_pinned && (
        <p>
          <Worded text={texts.locked} with={{ variable: <code className="text-text">{variable}</code> }} />
        </p>
      )}
      {setting.env_capped && setting.env_cap_value !== null && (
        <p>
          <Worded
            text={texts.cappedBy}
            with={{
              variable: <code className="text-text">{variable}</code>,
              most: shown(setting.env_cap_value, setting),
            }}
          />
        </p>
      )}
      {setting.stored_invalid && <p className="font-medium text-warn">{texts.invalid}</p>}
      <p>
        <code className="text-faint">{key}</code>
      </p>
    </div>
  )
}

function range({ key, type, constraints: { min, max } }: Setting): string | null {
  return (type === 'int' || type === 'float') && min !== null && max !== null
    ? texts.range(...rangeOf(min, max, key))
    : null
}

function shown(value: unknown, { key }: Setting): string {
  if (value === null || value === undefined || value === '') return settings.values.nothing
  if (Array.isArray(value)) return value.length === 0 ? settings.values.none : value.join(', ')
  if (typeof value === 'number') return amount(value, key)
  if (typeof value === 'boolean') return value ? settings.values.on : settings.values.off
  return typeof value === 'string' ? value : settings.values.nothing
}
