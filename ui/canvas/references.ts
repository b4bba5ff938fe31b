import type { AgentDocument, GraphNode } from '../../src/graph/ir'
import {
  type Inputs,
  isReference,
  renderInline,
  resolveReference,
  TemplateError,
  tokensOf,
} from '../../src/graph/template'
import { texts } from '../texts/canvas'
import { type Shape, shapeOf } from './shapes'

/** How a field takes `$in`: within its text, as a whole value, or in a JSON template or expression. */
export type Mode = 'inline' | 'whole' | 'expression'

/** What nodes put out in the last run, by out-port; those that did not run are not in it. */
export type Outputs = ReadonlyMap<string, Readonly<Record<string, unknown>>>

/** What a field can read: the ports of its node with their last values, and what is known of their shapes. */
export interface Reading {
  inputs: Inputs
  /** Ports whose value of the last run is known. */
  known: ReadonlySet<string>
  shapes: ReadonlyMap<string, Shape>
}

export function readingOf(document: AgentDocument, node: GraphNode, outputs: Outputs): Reading {
  const ports = node.ports.in.filter(({ role }) => role === 'data')
  const values = new Map<string, unknown>()
  const shapes = new Map<string, Shape>()
  for (const { id } of ports) {
    const edge = document.edges.find(
      (one) => one.target === node.id && one.targetHandle === id && one.channel === 'data',
    )
    if (!edge) continue
    const put = outputs.get(edge.source)
    if (put && Object.hasOwn(put, edge.sourceHandle)) values.set(id, put[edge.sourceHandle])
    const shape = shapeOf(document, edge.source, edge.sourceHandle)
    if (shape) shapes.set(id, shape)
  }
  return {
    inputs: { node: node.id, ports: node.ports.in.map(({ id }) => id), values },
    known: new Set(values.keys()),
    shapes,
  }
}

/** A reference in a text: where it is, and what it stands for, or why it would fail. */
export interface Mark {
  from: number
  to: number
  /** Why a run would fail here; null where it would not, as far as is known. */
  problem: string | null
  /** Of the last run; undefined where that is not known. */
  value: unknown
}

/** Every reference in a text. It is followed by the very code that runs it. */
export function marksIn(text: string, mode: Mode, reading: Reading): Mark[] {
  if (mode === 'inline') {
    return tokensOf(text).map(({ token, index }) => mark(token, index, reading))
  }
  const trimmed = text.trim()
  if (isReference(trimmed) || (mode === 'whole' && trimmed.startsWith('$in.'))) {
    return [mark(trimmed, text.indexOf(trimmed), reading)]
  }
  if (mode === 'whole' || !isJson(text)) return []
  return [...text.matchAll(/"(\$in(?:\.[A-Za-z0-9_]+)*)"/g)].map(({ 1: token, index }) =>
    mark(token!, index + 1, reading),
  )
}

function mark(token: string, from: number, { inputs, known, shapes }: Reading): Mark {
  const place = { from, to: from + token.length }
  const [port = 'in', ...fields] = token.split('.').slice(1)
  try {
    // What is no reference at all is told by rendering; a value comes with its type by following.
    renderInline(token, inputs)
    const value = known.has(port) ? resolveReference(token, inputs) : undefined
    const missing = known.has(port) ? null : missingIn(shapes.get(port), fields)
    return { ...place, value, problem: missing }
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    return { ...place, value: undefined, problem: error.message }
  }
}

/** A field that a node never puts out. Schemas written by people say what should be, so they prove nothing. */
function missingIn(shape: Shape | undefined, fields: readonly string[]): string | null {
  const [field] = fields
  if (field === undefined || !shape?.certain || Object.hasOwn(shape.fields, field)) return null
  return texts.reference.noField(field, Object.keys(shape.fields).join(', '))
}

export interface Completion {
  label: string
  /** Beside it: a value of the last run, or what it is. */
  detail: string
}

/** What may follow `$in` and the segments written so far: `[]` are the ports themselves. */
export function completions(path: readonly string[], { inputs, shapes }: Reading): Completion[] {
  const [port, ...fields] = path
  if (port === undefined) {
    return inputs.ports.map((label) => ({ label, detail: preview(inputs.values.get(label)) }))
  }
  const names = new Map<string, string>()
  let shape = shapes.get(port)
  for (const field of fields)
    shape = shape && Object.hasOwn(shape.fields, field) ? shape.fields[field] : undefined
  for (const name of Object.keys(shape?.fields ?? {})) names.set(name, '')
  const value = drill(inputs.values.get(port), fields)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    for (const [name, one] of Object.entries(value)) names.set(name, preview(one))
  }
  return [...names].map(([label, detail]) => ({ label, detail }))
}

/** As a run drills: text that is JSON is read. */
function drill(value: unknown, fields: readonly string[]): unknown {
  const holder = typeof value === 'string' && isJson(value) ? JSON.parse(value) : value
  const [field, ...rest] = fields
  if (field === undefined) return holder
  return typeof holder === 'object' && holder !== null && Object.hasOwn(holder, field)
    ? drill((holder as Record<string, unknown>)[field], rest)
    : undefined
}

const PREVIEW_CHARACTERS = 48

/** A value in a few characters; nothing where there is none. */
export function preview(value: unknown, characters = PREVIEW_CHARACTERS): string {
  if (value === undefined) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const flat = text.slice(0, 4 * characters).replace(/\s+/g, ' ')
  return flat.length > characters ? `${flat.slice(0, characters)}…` : flat
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
