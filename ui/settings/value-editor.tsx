import type { Setting } from '../../src/control/settings/schema'
import { Input, Textarea } from '../kit/input'
import { Select } from '../kit/select'
import { Switch } from '../kit/switch'
import { texts as settings } from '../texts/settings'
import { editorValue, type HeaderRow, type RegistryRow } from './edits'
import { amount, labelOf, unitOf } from './labels'
import { RowsEditor } from './rows-editor'

const texts = settings.editors

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
          placeholder={setting.constraints.nullable ? texts.notSet : undefined}
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
          placeholder={texts.onePerLine}
          spellCheck={false}
          disabled={locked}
          onChange={(event) => onEdit(event.target.value)}
        />
      )
    case 'list[registry]':
      return (
        <RowsEditor
          label={labelOf(setting.key)}
          words={texts.registries}
          rows={value as RegistryRow[]}
          columns={[
            { name: 'id', label: texts.registries.columns.id },
            { name: 'label', label: texts.registries.columns.label },
            { name: 'url', label: texts.registries.columns.url },
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
            ? texts.bytes(amount(parsed, setting.key))
            : settings.units[unit]}
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
          ? texts.headers.unreadable
          : set
            ? texts.headers.stored(names.join(', '))
            : texts.headers.none}
      </p>
      <RowsEditor
        label={labelOf(setting.key)}
        words={texts.headers}
        rows={rows}
        columns={[
          { name: 'name', label: texts.headers.columns.name },
          { name: 'value', label: texts.headers.columns.value, secret: true },
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
