import type { AgentDocument, GraphNode } from '../../src/graph/ir'
import { isNodeType, NODE_TYPES } from '../../src/graph/node-types'
import { isObject } from '../../src/graph/read'
import { texts } from '../texts/canvas'
import { type Places, pieces } from '../texts/words'

/** A piece of what a node's face says: words, a value somebody chose, or a slot that is still empty. */
export type Piece = { text: string } | { value: string } | { slot: string }

type Sentence = readonly Piece[]

const { sentences, slots, values } = texts
const RULES: Record<string, string> = texts.rules

/** What a node does, as a sentence with its values: “Ask **qwen3** with **ticket**”. */
export function sentenceOf(node: GraphNode, document: AgentDocument): Sentence {
  const { config } = node
  switch (node.type) {
    case 'input':
      return worded(sentences.input, { modality: value(config.modality ?? 'text') })
    case 'output':
      return worded(sentences.output, { input: inputOf(node, document) })
    case 'llm':
      return worded(sentences.llm, {
        model: model(config.model, document),
        question: question(config, node, document),
      })
    case 'tool':
      return toolCall(config, document)
    case 'mcp_tool':
      return worded(sentences.mcp_tool, {
        tool: filled(config.tool, slots.tool),
        server: filled(config.server ?? config.connection, slots.server),
      })
    case 'rag':
      return worded(sentences.rag, {
        source: filled(config.source, slots.source),
        query: template(config.query, node, document),
      })
    case 'router':
      return worded(sentences.router, {
        branches: value(values.branches(node.ports.out.map(({ id }) => id))),
        value: template(config.select, node, document),
      })
    case 'transform':
      return worded(sentences.transform, { expression: filled(config.expr, slots.expression) })
    case 'guardrail':
      return worded(sentences.guardrail, {
        input: inputOf(node, document),
        check: check(config.check, document),
      })
    case 'ratelimit':
      return worded(sentences.ratelimit, {
        limit: filled(config.limit, slots.limit),
        window: filled(seconds(config.windowSeconds), slots.window),
      })
    case 'quota':
      return worded(sentences.quota, {
        budget: filled(config.budgetTokens, slots.budget),
        window: filled(seconds(config.windowSeconds), slots.window),
      })
    case 'transcribe':
    case 'speak':
    case 'imagine':
      return worded(sentences[node.type], {
        input: inputOf(node, document),
        model: model(config.model, document),
      })
    case 'human':
      return worded(sentences.human, { question: filled(config.prompt, slots.question) })
    case 'subgraph':
    case 'map':
      return worded(sentences[node.type], {
        agent: filled(config.agent, slots.agent),
        input: inputOf(node, document),
      })
    case 'loop':
      return worded(sentences.loop, {
        agent: filled(config.agent, slots.agent),
        times: filled(config.maxIterations, slots.times),
      })
    default:
      return worded(sentences.unknown, {})
  }
}

const worded = <const Text extends string>(text: Text, at: Record<Places<Text>, Piece>): Sentence =>
  pieces(text, at)
    .filter((piece) => piece !== '')
    .map((piece) => (typeof piece === 'string' ? { text: piece } : piece))

export const plainText = (sentence: Sentence): string =>
  sentence
    .map((piece) => ('text' in piece ? piece.text : 'value' in piece ? piece.value : `[${piece.slot}]`))
    .join('')

/** How people call a node: by its label, or by its type where its id is only that, as “Model 2” for `llm_2`. */
export function titleOf({ id, label, type }: Pick<GraphNode, 'id' | 'label' | 'type'>): string {
  if (label?.trim()) return label.trim()
  if (!isNodeType(type) || !id.startsWith(type)) return id
  const count = /^(?:_(\d+))?$/.exec(id.slice(type.length))
  if (!count) return id
  return count[1] ? `${NODE_TYPES[type].label} ${count[1]}` : NODE_TYPES[type].label
}

const SHOWN_CHARACTERS = 60

function value(given: unknown): Piece {
  const text = (typeof given === 'string' ? given : (JSON.stringify(given) ?? '')).replace(/\s+/g, ' ').trim()
  return { value: text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text }
}

const isEmpty = (given: unknown) => given === undefined || given === null || given === ''

const filled = (given: unknown, slot: string): Piece => (isEmpty(given) ? { slot } : value(given))

function model(key: unknown, { models }: AgentDocument): Piece {
  if (typeof key !== 'string' || key === '') return { slot: slots.model }
  return Object.hasOwn(models, key) ? value(models[key]!.model) : { slot: slots.unknownModel(key) }
}

function tool(key: unknown, { tools }: AgentDocument): Piece {
  if (typeof key !== 'string' || key === '') return { slot: slots.tool }
  const binding = Object.hasOwn(tools, key) ? tools[key] : undefined
  return value(binding?.kind === 'builtin' ? binding.ref : key)
}

function toolCall(config: Record<string, unknown>, document: AgentDocument): Sentence {
  const called = tool(config.tool, document)
  const args = config.args ?? config.urlTemplate
  const names = isObject(args) ? Object.keys(args) : null
  return names?.length === 0 || isEmpty(args)
    ? worded(sentences.tool, { tool: called })
    : worded(sentences.toolWith, { tool: called, args: value(names?.join(', ') ?? args) })
}

const seconds = (given: unknown): unknown => {
  if (typeof given !== 'number') return given
  if (given % 86_400 === 0) return values.days(given / 86_400)
  if (given % 3_600 === 0) return values.hours(given / 3_600)
  return given % 60 === 0 ? values.minutes(given / 60) : `${given} s`
}

function check(given: unknown, document: AgentDocument): Piece {
  const { type, rule, model: by } = isObject(given) ? given : {}
  if (type === 'model') return isObject(by) ? model(by.model, document) : { slot: slots.check }
  return isObject(rule) ? filled(RULES[String(rule.kind)] ?? rule.kind, slots.rule) : { slot: slots.check }
}

/** What the last message of the person says. */
function question(config: Record<string, unknown>, node: GraphNode, document: AgentDocument): Piece {
  const messages = Array.isArray(config.messages) ? config.messages : []
  const last = messages.findLast((message) => isObject(message) && message.role === 'user') ?? messages.at(-1)
  const content = isObject(last) ? last.content : undefined
  const text = Array.isArray(content)
    ? content.map((part) => (isObject(part) ? (part.text ?? values.picture) : '')).join(' ')
    : content
  return isEmpty(text) ? { slot: slots.question } : template(text, node, document)
}

/** A text with `$in` in it, in which references are called by what they stand for. */
function template(given: unknown, node: GraphNode, document: AgentDocument): Piece {
  if (given === null || given === undefined) return inputOf(node, document)
  if (given === '') return { slot: slots.text }
  const text = String(given).replace(/\$in((?:\.[A-Za-z0-9_]+)*)/g, (_, path: string) => {
    const [port = 'in', ...fields] = path.split('.').slice(1)
    return [sourceOf(node, port, document) ?? port, ...fields].join('.')
  })
  return value(text)
}

function inputOf(node: GraphNode, document: AgentDocument): Piece {
  const port = node.ports.in.find(({ role }) => role === 'data')
  const source = port && sourceOf(node, port.id, document)
  return source === undefined ? { slot: slots.input } : value(source)
}

/** The title of what feeds a port. */
function sourceOf(node: GraphNode, port: string, { nodes, edges }: AgentDocument): string | undefined {
  const edge = edges.find(
    ({ target, targetHandle, channel }) => target === node.id && targetHandle === port && channel === 'data',
  )
  const source = edge && nodes.find(({ id }) => id === edge.source)
  return source && titleOf(source)
}
