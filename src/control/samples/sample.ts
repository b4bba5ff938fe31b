import type { AgentDocument, ModelBinding, Port } from '#graph/ir'
import { NODE_TYPES } from '#graph/node-types'

/** A model that whoever installs the sample chooses. */
interface Slot {
  label: string
  description: string
  /** Null is a chat model. */
  modality: string | null
  /** Generation parameters that the document gives the chosen model. */
  params?: Record<string, unknown>
}

export interface Sample {
  id: string
  title: string
  description: string
  capabilities: string[]
  /** Ready to be sent as the input of a run; null where only the caller can bring one, such as a recording. */
  inputExample: unknown
  slots: Record<string, Slot>
  nodes: PlacedNode[]
  edges: AgentDocument['edges']
  /** Runs durably only. */
  durable?: boolean
  /** Agents that it runs as its children, by what follows the sample's id in theirs. */
  children?: Record<string, Pick<Sample, 'nodes' | 'edges'>>
  /** Made disabled, unless the agent has triggers already. */
  trigger?: { kind: 'schedule'; config: { cron: string; input: unknown } }
}

export interface ChosenModel {
  logical_id: string
  binding: ModelBinding['binding']
}

type PlacedNode = AgentDocument['nodes'][number] & { at: { column: number; row: number } }
type PortOf = string | (Pick<Port, 'id'> & Partial<Port>)

/** Samples never change once installed: other content is another version. */
export const SAMPLE_VERSION = '1.0.0'

/** Room on the canvas for a node and the edges beside it, in pixels. */
const COLUMN_WIDTH = 300
const ROW_HEIGHT = 170

export const agentIdOf = ({ id }: Pick<Sample, 'id'>): string => `agent.sample-${id}`
export const agentNameOf = ({ id }: Pick<Sample, 'id'>): string => `sample-${id}`

/** Names of its agents, children first; the last is its own. */
export const partsOf = ({ id, children = {} }: Sample): string[] => [
  ...Object.keys(children).map((child) => `${id}-${child}`),
  id,
]

/** Its agent documents on these models, a model for each slot; children first. */
export const documentsOf = (sample: Sample, models: Record<string, ChosenModel>): AgentDocument[] => [
  ...Object.entries(sample.children ?? {}).map(([child, graph]) =>
    documentOf(sample, `${sample.id}-${child}`, graph, models),
  ),
  documentOf(sample, sample.id, sample, models),
]

function documentOf(
  { id: sampleId, slots }: Sample,
  id: string,
  { nodes, edges }: Pick<Sample, 'nodes' | 'edges'>,
  models: Record<string, ChosenModel>,
): AgentDocument {
  const positions = nodes.map(({ id, at }) => [
    id,
    { position: { x: at.column * COLUMN_WIDTH, y: at.row * ROW_HEIGHT } },
  ])
  return {
    schemaVersion: '1.0',
    id: agentIdOf({ id }),
    name: agentNameOf({ id }),
    version: SAMPLE_VERSION,
    contentHash: null,
    models: Object.fromEntries(
      Object.entries(slots).map(([slot, { params = {} }]) => [slot, bound(models[slot]!, params)]),
    ),
    tools: {},
    nodes: nodes.map(({ at, ...node }) => node),
    edges,
    view: { nodes: Object.fromEntries(positions) },
    metadata: { sample: sampleId },
  }
}

/** How a node pins a child of its sample. */
export const childPin = (sampleId: string, child: string) => ({
  agent: agentIdOf({ id: `${sampleId}-${child}` }),
  version: SAMPLE_VERSION,
})

const bound = ({ logical_id, binding }: ChosenModel, params: Record<string, unknown>): ModelBinding => ({
  binding,
  model: logical_id,
  source: null,
  params,
})

/** Parameters of a chat model. Thinking aloud makes small local models slow and eats their tokens. */
export const chat = (temperature: number, maxTokens: number): Record<string, unknown> => ({
  temperature,
  maxTokens,
  chat_template_kwargs: { enable_thinking: false },
})

/** Carries the reason when a node fails. */
export const ERROR_PORT = { id: 'err', type: 'error' }

interface NodeOptions {
  label: string
  /** Where it stands on the canvas, from the top left. */
  at: [column: number, row: number]
  config?: Record<string, unknown>
  /** Only where they are not those of the type. */
  in?: PortOf[]
  out?: PortOf[]
}

export function node(id: string, type: keyof typeof NODE_TYPES, options: NodeOptions): PlacedNode {
  const { kind, ports } = NODE_TYPES[type]
  return {
    id,
    type,
    kind,
    label: options.label,
    config: options.config ?? {},
    ports: {
      in: options.in?.map(port) ?? ports.in.filter(isData),
      out: options.out?.map(port) ?? ports.out.filter(isData),
    },
    at: { column: options.at[0], row: options.at[1] },
  }
}

/** A turn of a chat model: who it is, and what it is asked. */
export const llm = (
  id: string,
  model: string,
  { system, user, ...options }: Omit<NodeOptions, 'config'> & { system: string; user: unknown },
): PlacedNode =>
  node(id, 'llm', {
    ...options,
    config: {
      model,
      messages: [
        { role: 'system', content: system },
        { role: 'user', content: user },
      ],
    },
  })

/** `question.out > answer.in`: from an out-port to an in-port. */
export const edges = (...ways: string[]): Sample['edges'] =>
  ways.map((way, index) => {
    const [source, sourceHandle, target, targetHandle] = way.split(/ > |\./) as [
      string,
      string,
      string,
      string,
    ]
    const id = `e${index + 1}`
    return { id, source, sourceHandle, target, targetHandle, channel: 'data', condition: null }
  })

const port = (name: PortOf): Port => ({
  type: 'any',
  required: true,
  role: 'data',
  ...(typeof name === 'string' ? { id: name } : name),
})

/** No sample here offers a node to a model, so the ports for that would only be clutter. */
const isData = ({ role }: Port): boolean => role === 'data'
