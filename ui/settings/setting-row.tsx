import { Lock, RotateCcw } from 'lucide-react'
import type { Setting } from '../../src/control/settings/schema'
import { Badge } from '../kit/badge'
import { Button } from '../kit/button'
import { Field } from '../kit/field'
import { RESET } from './edits'
import { APPLIES, amount, labelOf, rangeText } from './labels'
import { ValueEditor } from './value-editor'

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
          {setting.env_capped && <Badge tone="warn">capped</Badge>}
          <WayBack setting={setting} changed={edit !== undefined} onEdit={onEdit} />
        </>
      }
      hint={<About setting={setting} />}
    >
      {resetting ? (
        <p className="flex min-h-8 items-center text-sm text-muted">
          Goes back to the default: {shown(setting.default, setting)}
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
        Undo
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
      aria-label={`Reset ${labelOf(setting.key)} to the default`}
    >
      Reset
    </Button>
  )
}

const isStored = ({ stored_value, stored_invalid }: Setting) =>
  stored_invalid || (stored_value !== null && stored_value !== undefined)

function Source({ setting, changed }: { setting: Setting; changed: boolean }) {
  if (changed) return <Badge tone="accent">changed</Badge>
  if (setting.env_pinned)
    return (
      <Badge tone="warn" icon={<Lock aria-hidden />}>
        environment
      </Badge>
    )
  return setting.source === 'stored' ? (
    <Badge tone="good">set here</Badge>
  ) : (
    <Badge>{setting.source === 'env' ? 'environment' : 'default'}</Badge>
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
          Locked by <code className="text-text">{variable}</code>: change it there and restart.
        </p>
      )}
      {setting.env_capped && setting.env_cap_value !== null && (
        <p>
          <code className="text-text">{variable}</code> allows at most {shown(setting.env_cap_value, setting)}
          .
        </p>
      )}
      {setting.stored_invalid && (
        <p className="font-medium text-warn">
          The stored value does not count any more: save another, or reset it.
        </p>
      )}
      <p>
        <code className="text-faint">{key}</code>
      </p>
    </div>
  )
}

function range({ key, type, constraints: { min, max } }: Setting): string | null {
  return (type === 'int' || type === 'float') && min !== null && max !== null
    ? `Any number ${rangeText(min, max, key)}.`
    : null
}

function shown(value: unknown, { key }: Setting): string {
  if (value === null || value === undefined || value === '') return 'nothing'
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ')
  if (typeof value === 'number') return amount(value, key)
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  return typeof value === 'string' ? value : 'nothing'
}
