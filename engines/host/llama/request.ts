import { effortVariables } from '../../reasoning-effort'
import { invalid } from '../http'
import { OBJECT_GRAMMAR, schemaGrammar } from './grammar'
import { messagesOf } from './messages'
import { type Sampling, samplingOf } from './sampling'
import type { Conversation } from './template'

type Body = Record<string, unknown>

const MAX_STOPS = 16
const MAX_TOOLS = 256

export interface ChatRequest {
  /** Repeated in the answer. */
  model: unknown
  conversation: Conversation
  sampling: Sampling
  stops: string[]
  /** `null` for as many as the context holds. */
  maxTokens: number | null
  ignoreEnd: boolean
  stream: boolean
  /** A last chunk with the usage. */
  includeUsage: boolean
  /** Names of the tools that the answer may call. */
  tools: ReadonlySet<string>
  /** What the answer must be; `call` where it must be a call of a tool. */
  grammar: { kind: 'json' | 'call'; text: string } | null
}

interface Tool {
  name: string
  parameters: unknown
  whole: unknown
}

/** @throws {HostError} 400 naming the field */
export function chatRequest(body: Body): ChatRequest {
  if ((body.n ?? 1) !== 1) throw invalid('n: this engine gives one answer to a request.')
  if (body.logprobs === true || (body.top_logprobs ?? 0) !== 0) {
    throw invalid('logprobs: the built-in llama.cpp does not give them; llama-server does.')
  }
  const tools = toolsOf(body)
  const forced = forcedCall(body.tool_choice, tools)
  const callable = body.tool_choice === 'none' ? [] : tools
  return {
    model: body.model,
    conversation: {
      messages: messagesOf(body.messages),
      tools: callable.map(({ whole }) => whole),
      variables: { ...effortVariables(body.reasoning_effort), ...variablesOf(body.chat_template_kwargs) },
    },
    sampling: samplingOf(body),
    stops: stopsOf(body.stop),
    maxTokens: countOf(body, 'max_completion_tokens') ?? countOf(body, 'max_tokens'),
    ignoreEnd: body.ignore_eos === true,
    stream: body.stream === true,
    includeUsage: (body.stream_options as Body | undefined)?.include_usage === true,
    tools: new Set(callable.map(({ name }) => name)),
    grammar: forced ? { kind: 'call', text: forced } : formatGrammar(body.response_format),
  }
}

function toolsOf({ tools }: Body): Tool[] {
  if (tools === undefined || tools === null) return []
  if (!Array.isArray(tools) || tools.length > MAX_TOOLS) {
    throw invalid(`tools: must be a list of at most ${MAX_TOOLS}.`)
  }
  return tools.map((whole: Body | null, index) => {
    const one = whole?.function as Body | undefined
    if (typeof one?.name !== 'string') throw invalid(`tools[${index}].function.name: is required.`)
    return { name: one.name, parameters: one.parameters, whole }
  })
}

/** The grammar of a call that must be made; `null` where the model decides. */
function forcedCall(choice: unknown, tools: Tool[]): string | null {
  if (choice === undefined || choice === null || choice === 'auto' || choice === 'none') return null
  const name = ((choice as Body).function as Body | undefined)?.name
  if (choice !== 'required' && typeof name !== 'string') {
    throw invalid('tool_choice: must be auto, none, required or the name of a function.')
  }
  const wanted = choice === 'required' ? tools : tools.filter((tool) => tool.name === name)
  if (wanted.length === 0)
    throw invalid(`tool_choice: asks for ${name ?? 'a tool'}, and tools has none such.`)
  return callGrammar(wanted)
}

/** References in the parameters of a tool start at its own schema, so each is a grammar and a name of its own. */
function callGrammar(tools: Tool[]): string {
  const calls = tools.map(({ name, parameters }) => ({
    type: 'object',
    properties: { name: { const: name }, arguments: rebased(parameters ?? { type: 'object' }, name) },
    required: ['name', 'arguments'],
  }))
  const definitions = Object.fromEntries(
    tools.map(({ name, parameters }) => [name, rebased(parameters ?? {}, name)]),
  )
  const grammar = schemaGrammar({ anyOf: calls, tools: definitions })
  return grammar.replace(/^root ::= (.*)$/m, 'root ::= "\\n"? ($1) "\\n"?')
}

function rebased(schema: unknown, tool: string): unknown {
  if (Array.isArray(schema)) return schema.map((one) => rebased(one, tool))
  if (typeof schema !== 'object' || schema === null) return schema
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) =>
      key === '$ref' && typeof value === 'string'
        ? [key, value.replace(/^#/, `#/tools/${encodeURIComponent(tool)}`)]
        : [key, rebased(value, tool)],
    ),
  )
}

function formatGrammar(format: unknown): ChatRequest['grammar'] {
  if (format === undefined || format === null) return null
  const { type, json_schema, schema } = format as Body
  switch (type) {
    case 'text':
      return null
    case 'json_object':
      return { kind: 'json', text: schema === undefined ? OBJECT_GRAMMAR : schemaGrammar(schema) }
    case 'json_schema':
      return { kind: 'json', text: schemaGrammar((json_schema as Body | undefined)?.schema ?? schema) }
    default:
      throw invalid('response_format.type: must be text, json_object or json_schema.')
  }
}

function stopsOf(stop: unknown): string[] {
  const stops = stop === undefined || stop === null ? [] : [stop].flat()
  if (stops.length > MAX_STOPS || !stops.every((one) => typeof one === 'string')) {
    throw invalid(`stop: must be a text, or a list of at most ${MAX_STOPS}.`)
  }
  return stops.filter((one) => one !== '')
}

/** llama-server's -1 and no number at all mean the same. */
function countOf(body: Body, name: string): number | null {
  const value = body[name] ?? -1
  if (Number.isInteger(value) && (value as number) >= -1) return value === -1 ? null : (value as number)
  throw invalid(`${name}: must be a whole number from 0.`)
}

function variablesOf(variables: unknown): Body {
  if (variables === undefined || variables === null) return {}
  if (typeof variables === 'object' && !Array.isArray(variables)) return variables as Body
  throw invalid('chat_template_kwargs: must be an object.')
}
