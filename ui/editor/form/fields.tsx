import type { ReactNode } from 'react'
import { isObject, type Shape } from '../../../src/graph/read'
import type { Mode } from '../../canvas/references'
import { Input } from '../../kit/input'
import { Select } from '../../kit/select'
import { Switch } from '../../kit/switch'
import { JsonField } from './json-field'
import { MapField } from './map-field'
import { MessagesField } from './messages-field'
import { useNode } from './node-context'
import { ChildAgentField, ChildVersionField, ModelField, ToolField, ToolsField } from './pickers'
import { SchemaForm } from './schema-form'
import { TemplateField } from './template-field'
import { titleOfKey } from './words'

export interface FieldProps {
  shape: Shape
  value: unknown
  /** `undefined` takes the value back. */
  onChange: (value: unknown) => void
  path: string
  name: string
}

/** Fields that are more than their JSON type, by node type and pointer. */
const SPECIAL: Record<string, (props: FieldProps) => ReactNode> = {
  'llm/model': ModelField,
  'transcribe/model': ModelField,
  'speak/model': ModelField,
  'imagine/model': ModelField,
  'guardrail/check/model/model': ModelField,
  'llm/messages': MessagesField,
  'llm/tools': ToolsField,
  'tool/tool': ToolField,
  'subgraph/agent': ChildAgentField,
  'loop/agent': ChildAgentField,
  'map/agent': ChildAgentField,
  'subgraph/version': ChildVersionField,
  'loop/version': ChildVersionField,
  'map/version': ChildVersionField,
}

/** How texts take `$in`; others are texts and nothing else. */
const TEMPLATES: Record<string, Mode> = {
  'rag/query': 'inline',
  'tool/urlTemplate': 'inline',
  'tool/idempotencyKey': 'inline',
  'tool/headers': 'inline',
  'tool/args': 'whole',
  'mcp_tool/args': 'whole',
  'ratelimit/keyExpr': 'whole',
  'quota/keyExpr': 'whole',
  'router/select': 'expression',
  'transform/expr': 'expression',
  'loop/condition': 'expression',
}

/** The control for a value: by what it means where that is known, else by its schema. */
export function FieldFor(props: FieldProps) {
  const { node } = useNode()
  const { shape, value } = props
  const place = `${node.type}${props.path}`
  const Special = SPECIAL[place]
  if (Special) return <Special {...props} />
  const mode = TEMPLATES[place]
  if (isOpenMap(shape)) return <MapField {...props} mode={mode} />
  if (shape.enum) return <ChoiceField {...props} />
  const type = [shape.type ?? 'any'].flat().find((one) => one !== 'null')
  switch (type) {
    case 'string':
      return mode ? <TemplateText {...props} mode={mode} /> : <TextField {...props} />
    case 'integer':
    case 'number':
      return <NumberField {...props} />
    case 'boolean':
      return <BooleanField {...props} />
    case 'object':
      if (shape.properties) return <ObjectField {...props} value={value} />
      return <JsonField {...props} />
    default:
      return <JsonField {...props} />
  }
}

/** Arguments and headers: pairs of a name and a value. */
const isOpenMap = (shape: Shape) =>
  typeof shape.additionalProperties === 'object' || /^Arguments/.test(shape.description ?? '')

const isNullable = ({ type }: Shape) => Array.isArray(type) && type.includes('null')

function TextField({ shape, value, onChange }: FieldProps) {
  const { readOnly } = useNode()
  return (
    <Input
      value={typeof value === 'string' ? value : ''}
      readOnly={readOnly}
      placeholder={typeof shape.default === 'string' ? shape.default : undefined}
      onChange={({ target }) => onChange(target.value === '' && isNullable(shape) ? undefined : target.value)}
    />
  )
}

function TemplateText({ shape, value, onChange, name, mode }: FieldProps & { mode: Mode }) {
  const { reading, readOnly } = useNode()
  return (
    <TemplateField
      value={typeof value === 'string' ? value : ''}
      onChange={(text) => onChange(text === '' && isNullable(shape) ? undefined : text)}
      mode={mode}
      reading={reading}
      label={titleOfKey(name)}
      lines={mode === 'expression' ? 3 : 1}
      readOnly={readOnly}
    />
  )
}

function NumberField({ shape, value, onChange }: FieldProps) {
  const { readOnly } = useNode()
  return (
    <Input
      type="number"
      readOnly={readOnly}
      value={typeof value === 'number' ? value : ''}
      step={[shape.type].flat().includes('integer') ? 1 : 'any'}
      min={shape.minimum}
      max={shape.maximum}
      placeholder={typeof shape.default === 'number' ? String(shape.default) : undefined}
      onChange={({ target }) => onChange(target.value === '' ? undefined : target.valueAsNumber)}
    />
  )
}

function BooleanField({ value, shape, onChange }: FieldProps) {
  const { readOnly } = useNode()
  return <Switch checked={Boolean(value ?? shape.default)} disabled={readOnly} onChange={onChange} />
}

function ChoiceField({ shape, value, onChange }: FieldProps) {
  const { readOnly } = useNode()
  const options = (shape.enum ?? []).filter((one) => one !== null).map(String)
  return (
    <Select
      value={String(value ?? shape.default ?? '')}
      onChange={onChange}
      disabled={readOnly}
      options={options.map((one) => ({ value: one, label: titleOfKey(one) }))}
    />
  )
}

/** An object that may be there or not is there as soon as one writes into it. */
function ObjectField({ shape, value, onChange, path }: FieldProps) {
  const given = isObject(value) ? value : {}
  return <SchemaForm shape={shape} value={given} onChange={(next) => onChange(next)} path={path} />
}
