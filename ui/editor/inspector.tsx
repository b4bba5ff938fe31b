import { Copy, Pin, PinOff, Play, Trash2 } from 'lucide-react'
import { lazy, Suspense, useMemo, useState } from 'react'
import { type AgentDocument, GraphNode } from '../../src/graph/ir'
import { isNodeType, NODE_TYPES } from '../../src/graph/node-types'
import type { Problem } from '../../src/graph/problem'
import { read, type Shape } from '../../src/graph/read'
import { renameNode, replaceNode, setConfig, setLabel } from '../canvas/edit/nodes'
import type { ListedModel } from '../canvas/edit/starters'
import type { NodeRun } from '../canvas/facts'
import { type Outputs, readingOf } from '../canvas/references'
import { titleOf } from '../canvas/sentence'
import { Button, IconButton } from '../kit/button'
import { Field } from '../kit/field'
import { Input } from '../kit/input'
import { Skeleton } from '../kit/placeholders'
import { Segmented } from '../kit/segmented'
import { texts } from '../texts/editor'
import { ValueView } from '../trace/value-view'
import { Connections } from './connections'
import { ExpressionResult } from './form/expression-result'
import { type NodeContext, NodeFormContext } from './form/node-context'
import { SchemaForm } from './form/schema-form'
import { PortsEditor } from './ports-editor'
import type { Restart } from './test/plan'

const JsonMirror = lazy(() => import('./code/json-mirror').then((it) => ({ default: it.JsonMirror })))

export interface InspectorProps {
  document: AgentDocument
  node: GraphNode
  problems: readonly Problem[]
  models: readonly ListedModel[]
  outputs: Outputs
  run: NodeRun | undefined
  readOnly: boolean
  look: Look
  looks: readonly Look[]
  onLook: (look: Look) => void
  pinned: boolean
  restart: Restart
  onEdit: (next: AgentDocument, to?: string | null) => void
  onRunFrom: () => void
  onPin: () => void
  onDuplicate: () => void
  onRemove: () => void
  onRenamed: (id: string) => void
}

export type Look = 'form' | 'json' | 'both'

/** One node in full: its form and its JSON in step with each other, its ports, its wires, and what it did last. */
export function Inspector(props: InspectorProps) {
  const { document, node, problems, models, outputs, readOnly, onEdit, look, looks, onLook } = props
  const reading = useMemo(() => readingOf(document, node, outputs), [document, node, outputs])
  const index = document.nodes.indexOf(node)
  const context: NodeContext = {
    document,
    node,
    reading,
    models,
    readOnly,
    edit: onEdit,
    problemAt: (path) =>
      problems.find((problem) => problem.path === `/nodes/${index}/config${path}`)?.message ?? null,
  }
  const shape = isNodeType(node.type) ? (NODE_TYPES[node.type].config as Shape) : null
  /** Told at the field itself. */
  const isAtField = (path: string) => {
    const [field, ...deeper] = path.split(`/nodes/${index}/config/`).slice(1)
    return field !== undefined && deeper.length === 0 && shape?.properties?.[field] !== undefined
  }
  const form = (
    <div className="flex min-w-0 flex-1 flex-col gap-5 p-4">
      <About {...props} />
      <Mistakes problems={problems.filter(({ path }) => !isAtField(path))} />
      <NodeFormContext.Provider value={context}>
        {shape?.properties && (
          <SchemaForm
            shape={shape}
            value={node.config}
            onChange={(config, to) => onEdit(setConfig(document, node.id, config), `${node.id}${to}`)}
            path=""
          />
        )}
        <ExpressionResult />
      </NodeFormContext.Provider>
      <PortsEditor document={document} node={node} readOnly={readOnly} onEdit={onEdit} />
      <Connections document={document} node={node} readOnly={readOnly} onEdit={onEdit} />
      <LastRun {...props} />
    </div>
  )
  const json = <NodeJson {...props} />
  return (
    <div className="flex min-w-0 flex-col">
      <div className="border-b px-4 py-2">
        <Segmented
          label={texts.inspector.look}
          hideLabel
          value={look}
          onChange={onLook}
          options={looks.map((value) => ({ value, label: texts.inspector.looks[value] }))}
        />
      </div>
      {look === 'both' ? (
        <div className="grid min-w-0 grid-cols-2 divide-x divide-line">
          {form}
          {json}
        </div>
      ) : look === 'form' ? (
        form
      ) : (
        json
      )}
    </div>
  )
}

function About({ document, node, readOnly, onEdit, onDuplicate, onRemove, onRenamed }: InspectorProps) {
  const [id, setId] = useState<string | null>(null)
  const taken = id !== null && id !== node.id && document.nodes.some((one) => one.id === id)
  function rename() {
    const next = id === null ? document : renameNode(document, node.id, id.trim())
    if (next !== document) {
      onEdit(next)
      onRenamed(id!.trim())
    }
    setId(null)
  }
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <div className="flex items-end gap-2">
        <Field label={texts.inspector.name} className="flex-1">
          <Input
            value={node.label ?? ''}
            placeholder={titleOf({ ...node, label: null })}
            readOnly={readOnly}
            onChange={({ target }) =>
              onEdit(setLabel(document, node.id, target.value || null), `${node.id}.label`)
            }
          />
        </Field>
        {!readOnly && (
          <>
            <IconButton
              label={texts.inspector.duplicate}
              icon={<Copy aria-hidden className="size-4" />}
              onClick={onDuplicate}
            />
            <IconButton
              label={texts.inspector.remove}
              icon={<Trash2 aria-hidden className="size-4" />}
              onClick={onRemove}
            />
          </>
        )}
      </div>
      <Field label={texts.inspector.id} error={taken ? texts.inspector.idTaken : undefined}>
        <Input
          className="font-mono text-xs"
          value={id ?? node.id}
          readOnly={readOnly}
          onChange={({ target }) => setId(target.value)}
          onBlur={rename}
          onKeyDown={({ key }) => key === 'Enter' && rename()}
        />
      </Field>
    </div>
  )
}

const Mistakes = ({ problems }: { problems: readonly Problem[] }) =>
  problems.length > 0 && (
    <ul
      aria-label={texts.inspector.problems}
      className="flex flex-col gap-2 rounded-lg bg-bad-soft px-3 py-2.5 text-sm"
    >
      {problems.map(({ message, hint }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list comes and goes as a whole
        <li key={index}>
          <p className="break-words">{message}</p>
          <p className="text-xs break-words text-muted">{hint}</p>
        </li>
      ))}
    </ul>
  )

/** The node as JSON, all of it. It counts as soon as it can be read as a node. */
function NodeJson({ document, node, readOnly, onEdit, onRenamed }: InspectorProps) {
  const [typed, setTyped] = useState<{
    text: string
    of: GraphNode
    wrong: { path: string; message: string; hint: string }[]
  } | null>(null)
  const isOurs = typed !== null && JSON.stringify(typed.of) === JSON.stringify(node)
  function write(text: string) {
    const { node: next, wrong } = readNode(text)
    setTyped({ text, of: next ?? node, wrong })
    if (!next) return
    const changed = replaceNode(document, node.id, next)
    onEdit(changed, `${node.id}.json`)
    if (next.id !== node.id && changed !== document) onRenamed(next.id)
  }
  return (
    <div className="min-w-0 flex-1" data-own-history>
      <Suspense fallback={<Skeleton className="h-60 w-full" />}>
        <JsonMirror
          value={isOurs ? typed.text : JSON.stringify(node, null, 2)}
          onChange={write}
          problems={isOurs ? typed.wrong : []}
          label={texts.nodeJson.label(titleOf(node))}
          readOnly={readOnly}
        />
      </Suspense>
      {isOurs && typed.wrong.length > 0 && (
        <p className="px-4 py-2 text-xs font-medium text-bad">
          {typed.wrong[0]!.message} {texts.nodeJson.notCounted}
        </p>
      )}
    </div>
  )
}

function readNode(text: string) {
  try {
    const { value, mismatches } = read(GraphNode, JSON.parse(text))
    const wrong = mismatches.map(({ path, message, hint }) => ({
      path,
      message: texts.nodeJson.mismatch(path.slice(1) || texts.nodeJson.node, message),
      hint,
    }))
    return { node: wrong.length === 0 ? (value as GraphNode) : null, wrong }
  } catch {
    return { node: null, wrong: [{ path: '', message: texts.nodeJson.notJson, hint: '' }] }
  }
}

/** What the node took and gave in the last run, and how to go on from here. */
function LastRun({ node, outputs, run, pinned, restart, readOnly, onRunFrom, onPin }: InspectorProps) {
  const values = Object.entries(outputs.get(node.id) ?? {})
  return (
    <section aria-label={texts.lastRun.title} className="flex min-w-0 flex-col gap-2">
      <h3 className="text-sm font-semibold">{texts.lastRun.title}</h3>
      {run ? (
        <p className="text-xs text-muted">{outcomeOf(run)}</p>
      ) : (
        <p className="text-xs text-muted">{texts.lastRun.empty}</p>
      )}
      {values.map(([port, value]) => (
        <ValueView key={port} label={port} value={value} />
      ))}
      {!readOnly && run && (
        <div className="flex flex-col gap-1.5">
          <div className="flex flex-wrap gap-2">
            <Button
              size="sm"
              disabled={'reason' in restart}
              icon={<Play aria-hidden className="size-3.5" />}
              onClick={onRunFrom}
            >
              {texts.lastRun.runFromHere}
            </Button>
            <Button
              size="sm"
              variant="ghost"
              aria-pressed={pinned}
              icon={
                pinned ? (
                  <PinOff aria-hidden className="size-3.5" />
                ) : (
                  <Pin aria-hidden className="size-3.5" />
                )
              }
              onClick={onPin}
            >
              {pinned ? texts.lastRun.release : texts.lastRun.keep}
            </Button>
          </div>
          {'reason' in restart && <p className="text-xs text-muted">{restart.reason}</p>}
        </div>
      )}
    </section>
  )
}

function outcomeOf({ status, tookMs, error }: NodeRun): string {
  const took = tookMs === null ? null : tookMs < 1_000 ? `${tookMs} ms` : `${(tookMs / 1_000).toFixed(1)} s`
  switch (status) {
    case 'running':
      return texts.lastRun.running
    case 'ok':
      return texts.lastRun.done(took)
    case 'err':
      return texts.lastRun.failed(error ?? texts.lastRun.noReason, took)
    case 'skipped':
      return texts.lastRun.skipped
  }
}
