import type { Shape } from '../../../src/graph/read'
import { classes } from '../../kit/classes'
import { Field } from '../../kit/field'
import { texts } from '../../texts/editor-panels'
import { FieldFor } from './fields'
import { useNode } from './node-context'
import { hintOf, titleOfKey } from './words'

interface SchemaFormProps {
  shape: Shape
  value: Record<string, unknown>
  onChange: (value: Record<string, unknown>, to: string) => void
  /** JSON pointer of the object within the config. */
  path: string
}

/** A form from a schema. What an author may leave out is below a fold until it is written down. */
export function SchemaForm({ shape, value, onChange, path }: SchemaFormProps) {
  const entries = Object.entries(shape.properties ?? {}).filter(([key]) => counts(path, key, value))
  const isMain = ([key, one]: [string, Shape]) =>
    isNeeded(shape, key, one) || key in value || MAIN.has(key) || path !== ''
  const main = entries.filter(isMain)
  const more = entries.filter((entry) => !isMain(entry))
  const row = ([key, one]: [string, Shape]) => (
    <SchemaField
      key={key}
      name={key}
      shape={one}
      holder={shape}
      value={value}
      onChange={onChange}
      path={path}
    />
  )
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {main.map(row)}
      {more.length > 0 && (
        <details className="group min-w-0">
          <summary className="cursor-pointer rounded-md py-1 text-xs font-medium text-muted hover:text-text">
            {texts.form.more(more.length)}
          </summary>
          <div className="flex flex-col gap-4 pt-3">{more.map(row)}</div>
        </details>
      )}
    </div>
  )
}

/** Of a check only the kind of it that is chosen. */
const counts = (path: string, key: string, { type = 'rule' }: Record<string, unknown>): boolean =>
  path !== '/check' || key === 'type' || key === type

/** Worth showing though they have a default. */
const MAIN = new Set([
  'args',
  'tools',
  'modality',
  'query',
  'check',
  'prompt',
  'version',
  'condition',
  'server',
])

const isNeeded = (holder: Shape, key: string, shape: Shape): boolean =>
  !('default' in shape) && (holder.required?.includes(key) ?? false)

interface SchemaFieldProps extends SchemaFormProps {
  name: string
  holder: Shape
}

function SchemaField({ name, shape, holder, value, onChange, path }: SchemaFieldProps) {
  const { problemAt } = useNode()
  const here = `${path}/${name}`
  const needed = isNeeded(holder, name, shape)
  function change(next: unknown) {
    // What is back at its default is not written down: config is hashed as authored.
    const { [name]: _, ...rest } = value
    const isDefault =
      next === undefined || (!needed && JSON.stringify(next) === JSON.stringify(shape.default))
    onChange(isDefault ? rest : { ...value, [name]: next }, here)
  }
  const isNested = shape.properties !== undefined
  const inner = <FieldFor shape={shape} value={value[name]} onChange={change} path={here} name={name} />
  if (isNested) {
    return (
      <fieldset className="flex min-w-0 flex-col gap-2">
        <legend className="text-sm font-medium">{titleOfKey(name)}</legend>
        <div className={classes('border-l-2 pl-3')}>{inner}</div>
      </fieldset>
    )
  }
  return (
    <Field
      label={titleOfKey(name)}
      hint={hintOf(name, shape.description)}
      error={problemAt(here)}
      required={needed}
    >
      {inner}
    </Field>
  )
}
