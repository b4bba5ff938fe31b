import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { NodeTypeName } from '../../../src/graph/node-types'
import { BUILTINS } from '../../../src/graph/nodes/builtins'
import { isObject } from '../../../src/graph/read'
import { useAgentChoices } from '../../agents/data'
import { declareModel, declareTool, dropModel } from '../../canvas/edit/bindings'
import { setConfig } from '../../canvas/edit/nodes'
import { MODALITIES } from '../../canvas/edit/starters'
import { Button } from '../../kit/button'
import { Combobox } from '../../kit/combobox'
import { Input } from '../../kit/input'
import { Select } from '../../kit/select'
import { Switch } from '../../kit/switch'
import { texts as panels } from '../../texts/editor-panels'
import { useAgentOf } from '../data'
import type { FieldProps } from './fields'
import { useNode } from './node-context'

const texts = panels.form
const bordered = 'w-full justify-between border-line-strong! bg-surface shadow-card'

/** A registered model of the right kind; choosing one declares it in the document. */
export function ModelField({ value, path }: FieldProps) {
  const { document, node, models, edit, readOnly } = useNode()
  const modalities = MODALITIES[node.type as NodeTypeName] ?? ['chat', 'vision']
  const fitting = models.filter(({ modality }) => modalities.includes(modality))
  const key = typeof value === 'string' ? value : ''
  const declared = Object.hasOwn(document.models, key) ? document.models[key]!.model : null
  const isListed = fitting.some(({ logicalId }) => logicalId === declared)
  const options = [
    ...fitting.map(({ logicalId, modality }) => ({ value: logicalId, label: logicalId, hint: modality })),
    ...(declared !== null && !isListed
      ? [{ value: declared, label: declared, hint: texts.model.unregistered }]
      : []),
  ]
  function choose(logicalId: string) {
    const model = fitting.find((one) => one.logicalId === logicalId)
    if (!model) return
    const { document: grown, key: chosen } = declareModel(document, model)
    edit(dropModel(setConfig(grown, node.id, withAt(node.config, path, chosen)), key))
  }
  return (
    <Combobox
      label={texts.model.label}
      value={declared}
      onChange={choose}
      options={options}
      disabled={readOnly}
      placeholder={texts.model.placeholder}
      className={bordered}
      empty={texts.model.empty}
      footer={
        <Button asChild variant="ghost" size="sm" className="w-full justify-start">
          <Link to="/registries">{texts.model.add}</Link>
        </Button>
      }
    />
  )
}

/** A value put at a pointer; what lies above it is made where it is not there. */
function withAt(config: Record<string, unknown>, path: string, value: unknown): Record<string, unknown> {
  const [, key, ...rest] = path.split('/')
  if (key === undefined) return config
  const inner = config[key]
  const next = rest.length === 0 ? value : withAt(isObject(inner) ? inner : {}, `/${rest.join('/')}`, value)
  return { ...config, [key]: next }
}

/** Tools that the model may call: those of the document, and the built-in ones. */
export function ToolsField({ value, onChange }: FieldProps) {
  const { document, node, edit, readOnly } = useNode()
  const chosen = Array.isArray(value) ? value.map(String) : []
  const builtins = Object.keys(BUILTINS).filter(
    (ref) => !Object.values(document.tools).some((tool) => tool.kind === 'builtin' && tool.ref === ref),
  )
  function add(ref: string) {
    const { document: grown, key } = declareTool(document, ref, { kind: 'builtin', ref })
    edit(setConfig(grown, node.id, { ...node.config, tools: [...chosen, key] }))
  }
  const toggle = (key: string, on: boolean) =>
    onChange(on ? [...chosen, key] : chosen.filter((one) => one !== key))
  return (
    <ul className="flex flex-col gap-1.5">
      {[...new Set([...Object.keys(document.tools), ...chosen])].map((key) => (
        <ToolRow
          key={key}
          name={key}
          on={chosen.includes(key)}
          disabled={readOnly}
          onChange={(on) => toggle(key, on)}
        />
      ))}
      {builtins.map((ref) => (
        <ToolRow key={ref} name={ref} on={false} disabled={readOnly} onChange={() => add(ref)} />
      ))}
    </ul>
  )
}

interface ToolRowProps {
  name: string
  on: boolean
  disabled: boolean
  onChange: (on: boolean) => void
}

const ToolRow = ({ name, on, disabled, onChange }: ToolRowProps) => (
  <li className="flex items-center gap-2 text-sm">
    <Switch aria-label={texts.tools.mayCall(name)} checked={on} disabled={disabled} onChange={onChange} />
    <code className="min-w-0 truncate text-xs">{name}</code>
  </li>
)

/** One tool, by its key in the document or by its built-in name. */
export function ToolField({ value, onChange }: FieldProps) {
  const { document, readOnly } = useNode()
  const declared = Object.entries(document.tools).filter(([, { kind }]) => kind !== 'mcp')
  const options = [
    ...Object.entries(BUILTINS).map(([name, { description }]) => ({
      value: name,
      label: name,
      hint: description,
    })),
    ...declared
      .filter(([key]) => !Object.hasOwn(BUILTINS, key))
      .map(([key, { kind }]) => ({ value: key, label: key, hint: kind })),
  ]
  const chosen = typeof value === 'string' ? value : ''
  const known = options.some((option) => option.value === chosen) || chosen === ''
  return (
    <Select
      value={chosen}
      disabled={readOnly}
      onChange={onChange}
      options={known ? options : [...options, { value: chosen, label: chosen, hint: texts.tools.unknown }]}
    />
  )
}

export function ChildAgentField({ value, onChange }: FieldProps) {
  const agents = useAgentChoices()
  const { readOnly } = useNode()
  return (
    <Combobox
      label={texts.agent.label}
      value={typeof value === 'string' && value !== '' ? value : null}
      onChange={onChange}
      disabled={readOnly}
      className={bordered}
      options={agents.map(({ id, name }) => ({ value: id, label: name, hint: id }))}
      placeholder={texts.agent.placeholder}
      empty={texts.agent.empty}
    />
  )
}

/** A child is pinned to one version, so that it never changes behind its parent’s back. */
export function ChildVersionField({ value, onChange }: FieldProps) {
  const { node, readOnly } = useNode()
  const [byHand, setByHand] = useState(false)
  const id = typeof node.config.agent === 'string' ? node.config.agent : ''
  const { data: agent } = useAgentOf(id)
  const chosen = typeof value === 'string' ? value : ''
  const versions = agent?.versions.map(({ version }) => version) ?? []
  if (byHand || versions.length === 0) {
    return (
      <Input
        value={chosen}
        readOnly={readOnly}
        onFocus={() => setByHand(true)}
        onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
      />
    )
  }
  return (
    <Select
      value={versions.includes(chosen) ? chosen : ''}
      disabled={readOnly}
      onChange={onChange}
      options={versions.map((version) => ({ value: version, label: version }))}
    />
  )
}
