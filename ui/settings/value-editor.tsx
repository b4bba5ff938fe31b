import type { Setting } from '../../src/control/settings/schema'
import { Input, Textarea } from '../kit/input'
import { Select } from '../kit/select'
import { Switch } from '../kit/switch'
import { editorValue, type HeaderRow, type RegistryRow } from './edits'
import { amount, labelOf, unitOf } from './labels'
import { RowsEditor } from './rows-editor'

interface ValueEditorProps {
  setting: Setting
  edit: unknown
  onEdit: (value: unknown) => void
}

/** The control for a setting's type, inside its `Field`. */
export function ValueEditor({ setting, edit, onEdit }: ValueEditorProps) {
  const value = edit ?? editorValue(setting)
  const locked = setting.env_pinned
  switch (setting.type) {
    case 'bool':
      return <Switch checked={value === true} onChange={onEdit} disabled={locked} />
    case 'enum':
      return (
        <Select value={value as string} onChange={onEdit} options={choicesOf(setting)} disabled={locked} />
      )
    case 'int':
    case 'float':
      return <NumberEditor setting={setting} value={value as string} onEdit={onEdit} />
    case 'str':
      return (
        <Input
          value={value as string}
          placeholder={setting.constraints.nullable ? 'Not set' : undefined}
          spellCheck={false}
          disabled={locked}
          onChange={(event) => onEdit(event.target.value)}
        />
      )
    case 'list[str]':
      return (
        <Textarea
          rows={3}
          value={value as string}
          placeholder="One per line"
          spellCheck={false}
          disabled={locked}
          onChange={(event) => onEdit(event.target.value)}
        />
      )
    case 'list[registry]':
      return (
        <RowsEditor
          label={labelOf(setting.key)}
          one="registry"
          rows={value as RegistryRow[]}
          columns={[
            { name: 'id', label: 'Id' },
            { name: 'label', label: 'Label' },
            { name: 'url', label: 'Address' },
          ]}
          disabled={locked}
          onChange={onEdit}
        />
      )
    case 'secret':
      return <SecretEditor setting={setting} rows={value as HeaderRow[]} onEdit={onEdit} />
  }
}

function NumberEditor({ setting, value, onEdit }: Omit<ValueEditorProps, 'edit'> & { value: string }) {
  const unit = unitOf(setting.key)
  const parsed = Number(value)
  return (
    <div className="flex items-center gap-2.5">
      <Input
        inputMode={setting.type === 'int' ? 'numeric' : 'decimal'}
        value={value}
        disabled={setting.env_pinned}
        onChange={(event) => onEdit(event.target.value)}
        className="max-w-36"
      />
      {unit && (
        <span className="text-xs text-muted">
          {unit === 'bytes' && value.trim() !== '' && parsed >= 1024
            ? `bytes, ${amount(parsed, setting.key)}`
            : unit}
        </span>
      )}
    </div>
  )
}

/** What is stored never comes back: only the names of the headers do, and new ones replace all. */
function SecretEditor({
  setting,
  rows,
  onEdit,
}: {
  setting: Setting
  rows: HeaderRow[]
  onEdit: (value: unknown) => void
}) {
  const { set, names, unreadable } = setting.value as { set: boolean; names: string[]; unreadable?: true }
  return (
    <div className="flex flex-col gap-2">
      <p className="text-sm text-muted">
        {unreadable
          ? 'Stored, but sealed with another key: enter them again.'
          : set
            ? `Stored: ${names.join(', ')}. New ones replace them all.`
            : 'None stored.'}
      </p>
      <RowsEditor
        label={labelOf(setting.key)}
        one="header"
        rows={rows}
        columns={[
          { name: 'name', label: 'Name' },
          { name: 'value', label: 'Value', secret: true },
        ]}
        disabled={setting.env_pinned}
        onChange={(next) => onEdit(next.length === 0 ? undefined : next)}
      />
    </div>
  )
}

/** A cap leaves the choices up to its own. */
function choicesOf({ constraints, env_capped, env_cap_value }: Setting) {
  const choices = constraints.choices ?? []
  const most = env_capped ? choices.indexOf(String(env_cap_value)) : choices.length
  return choices.map((value, rank) => ({ value, label: value, disabled: most >= 0 && rank > most }))
}
