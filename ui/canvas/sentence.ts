import type { AgentDocument, GraphNode } from '../../src/graph/ir'
import { isNodeType, NODE_TYPES } from '../../src/graph/node-types'
import { isObject } from '../../src/graph/read'

/** A piece of what a node's face says: words, a value somebody chose, or a slot that is still empty. */
export type Piece = { text: string } | { value: string } | { slot: string }

type Sentence = readonly Piece[]

/** What a node does, as a sentence with its values: “Ask **qwen3** with **ticket**”. */
export function sentenceOf(node: GraphNode, document: AgentDocument): Sentence {
  const { config } = node
  const subject = () => inputOf(node, document)
  switch (node.type) {
    case 'input':
      return [words('Takes '), value(config.modality ?? 'text')]
    case 'output':
      return [words('Gives '), subject()]
    case 'llm':
      return [words('Ask '), model(config.model, document), words(' with '), question(config, node, document)]
    case 'tool':
      return [words('Call '), tool(config.tool, document), ...withArgs(config.args ?? config.urlTemplate)]
    case 'mcp_tool':
      return [
        words('Call '),
        filled(config.tool, 'tool'),
        words(' of '),
        filled(config.server ?? config.connection, 'server'),
      ]
    case 'rag':
      return [
        words('Look in '),
        filled(config.source, 'source'),
        words(' for '),
        template(config.query, node, document),
      ]
    case 'router':
      return [words('Choose '), value(names(node)), words(' by '), template(config.select, node, document)]
    case 'transform':
      return [words('Make '), filled(config.expr, 'expression')]
    case 'guardrail':
      return [words('Let '), subject(), words(' pass if '), check(config.check, document)]
    case 'ratelimit':
      return [
        words('At most '),
        filled(config.limit, 'limit'),
        words(' in '),
        filled(seconds(config.windowSeconds), 'window'),
      ]
    case 'quota':
      return [
        words('At most '),
        filled(config.budgetTokens, 'budget'),
        words(' tokens in '),
        filled(seconds(config.windowSeconds), 'window'),
      ]
    case 'transcribe':
      return [words('Write down '), subject(), words(' with '), model(config.model, document)]
    case 'speak':
      return [words('Say '), subject(), words(' with '), model(config.model, document)]
    case 'imagine':
      return [words('Draw '), subject(), words(' with '), model(config.model, document)]
    case 'human':
      return [words('Ask a person: '), filled(config.prompt, 'question')]
    case 'subgraph':
      return [words('Run '), filled(config.agent, 'agent'), words(' with '), subject()]
    case 'loop':
      return [
        words('Repeat '),
        filled(config.agent, 'agent'),
        words(' up to '),
        filled(config.maxIterations, 'times'),
        words(' times'),
      ]
    case 'map':
      return [words('Run '), filled(config.agent, 'agent'), words(' for each of '), subject()]
    default:
      return [words('Cannot be run')]
  }
}

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

const words = (text: string): Piece => ({ text })

const SHOWN_CHARACTERS = 60

function value(given: unknown): Piece {
  const text = (typeof given === 'string' ? given : (JSON.stringify(given) ?? '')).replace(/\s+/g, ' ').trim()
  return { value: text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text }
}

const isEmpty = (given: unknown) => given === undefined || given === null || given === ''

const filled = (given: unknown, slot: string): Piece => (isEmpty(given) ? { slot } : value(given))

function model(key: unknown, { models }: AgentDocument): Piece {
  if (typeof key !== 'string' || key === '') return { slot: 'model' }
  return Object.hasOwn(models, key) ? value(models[key]!.model) : { slot: `model “${key}”` }
}

function tool(key: unknown, { tools }: AgentDocument): Piece {
  if (typeof key !== 'string' || key === '') return { slot: 'tool' }
  const binding = Object.hasOwn(tools, key) ? tools[key] : undefined
  return value(binding?.kind === 'builtin' ? binding.ref : key)
}

const withArgs = (args: unknown): Piece[] =>
  isEmpty(args) || (isObject(args) && Object.keys(args).length === 0)
    ? []
    : [words(' with '), value(isObject(args) ? Object.keys(args).join(', ') : args)]

const names = ({ ports }: GraphNode): string => ports.out.map(({ id }) => id).join(' or ')

const seconds = (given: unknown): unknown => {
  if (typeof given !== 'number') return given
  if (given % 86_400 === 0) return given === 86_400 ? 'a day' : `${given / 86_400} days`
  if (given % 3_600 === 0) return given === 3_600 ? 'an hour' : `${given / 3_600} hours`
  return given % 60 === 0 ? (given === 60 ? 'a minute' : `${given / 60} minutes`) : `${given} s`
}

function check(given: unknown, document: AgentDocument): Piece {
  const { type, rule, model: by } = isObject(given) ? given : {}
  if (type === 'model') return isObject(by) ? model(by.model, document) : { slot: 'check' }
  return isObject(rule) ? filled(RULES[String(rule.kind)] ?? rule.kind, 'rule') : { slot: 'check' }
}

const RULES: Record<string, string> = {
  regex: 'it matches a pattern',
  length: 'it is short enough',
  allow: 'it is on the list',
  deny: 'it is not on the list',
  json_schema: 'it has the keys',
  pii: 'it has no personal data',
}

/** What the last message of the person says. */
function question(config: Record<string, unknown>, node: GraphNode, document: AgentDocument): Piece {
  const messages = Array.isArray(config.messages) ? config.messages : []
  const last = messages.findLast((message) => isObject(message) && message.role === 'user') ?? messages.at(-1)
  const content = isObject(last) ? last.content : undefined
  const text = Array.isArray(content)
    ? content.map((part) => (isObject(part) ? (part.text ?? 'a picture') : '')).join(' ')
    : content
  return isEmpty(text) ? { slot: 'question' } : template(text, node, document)
}

/** A text with `$in` in it, in which references are called by what they stand for. */
function template(given: unknown, node: GraphNode, document: AgentDocument): Piece {
  if (given === null || given === undefined) return inputOf(node, document)
  if (given === '') return { slot: 'text' }
  const text = String(given).replace(/\$in((?:\.[A-Za-z0-9_]+)*)/g, (_, path: string) => {
    const [port = 'in', ...fields] = path.split('.').slice(1)
    return [sourceOf(node, port, document) ?? port, ...fields].join('.')
  })
  return value(text)
}

function inputOf(node: GraphNode, document: AgentDocument): Piece {
  const port = node.ports.in.find(({ role }) => role === 'data')
  const source = port && sourceOf(node, port.id, document)
  return source === undefined ? { slot: 'input' } : value(source)
}

/** The title of what feeds a port. */
function sourceOf(node: GraphNode, port: string, { nodes, edges }: AgentDocument): string | undefined {
  const edge = edges.find(
    ({ target, targetHandle, channel }) => target === node.id && targetHandle === port && channel === 'data',
  )
  const source = edge && nodes.find(({ id }) => id === edge.source)
  return source && titleOf(source)
}
