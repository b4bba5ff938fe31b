import { tryParse } from '#kernel/json'
import { isTooDeep } from '../depth'
import type { Call, HttpAnswer, ToolPort } from '../ports'
import { isObject } from '../read'
import { type Inputs, renderInline, resolveTemplate } from '../template'
import type { HttpCall } from '../tools'

const DEFAULT_TIMEOUT_SECONDS = 30

interface Request {
  http: HttpCall
  inputs: Inputs
  nodeId: string
  /** Tells the calls of one tool loop apart. */
  keySuffix?: string
}

/** Sends what an HTTP tool describes. Any status is a result. @throws {TemplateError} or what the port throws */
export async function callHttp(
  tools: Pick<ToolPort, 'http'>,
  { http, inputs, nodeId, keySuffix = '' }: Request,
  call: Call,
): Promise<unknown> {
  const answer = await tools.http(
    {
      connection: http.connection,
      method: (http.method ?? 'GET').toUpperCase(),
      url: renderInline(http.urlTemplate ?? '', inputs),
      headers: Object.fromEntries(
        Object.entries(http.headers).map(([name, value]) => [name, renderInline(value, inputs)]),
      ),
      idempotencyKey:
        idempotencyKey(http.idempotencyKey, inputs, call.runId, nodeId, keySuffix) ??
        call.idempotencyKey ??
        null,
      body: http.bodyTemplate === null ? undefined : resolveTemplate(http.bodyTemplate, inputs),
      timeoutSeconds: http.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS,
    },
    call,
  )
  return mapped(http.responseMap, parsed(answer))
}

function idempotencyKey(
  template: string | null,
  inputs: Inputs,
  runId: string,
  nodeId: string,
  suffix: string,
): string | null {
  if (template === null) return null
  const names: Record<string, string> = { '{runId}': runId, '{nodeId}': nodeId }
  // An id is no template: its dollar signs stay what they are.
  const filled = template.replace(/\{runId\}|\{nodeId\}/g, (name) => names[name]!.replaceAll('$', '$$$$'))
  return renderInline(filled, inputs) + suffix
}

function parsed({ status, headers, body }: HttpAnswer) {
  const value = tryParse(body)
  return { status, body: value === undefined || isTooDeep(value) ? body : value, headers }
}

/** With a map such as `$.a.b[0]` only that part of the body; all of the body where there is no such part. */
function mapped(map: string | null, answer: ReturnType<typeof parsed>): unknown {
  if (map === null) return answer
  const found = follow(map, answer.body)
  return found === undefined ? answer.body : found
}

const STEP = /\.([^.[\]]+)|\[(\d+)\]|\["([^"\]]*)"\]|\['([^'\]]*)'\]/y

function follow(map: string, body: unknown): unknown {
  const path = map.trim()
  let value = body
  if (!path.startsWith('$')) return undefined
  STEP.lastIndex = 1
  while (STEP.lastIndex < path.length) {
    const match = STEP.exec(path)
    if (!match) return undefined
    const [, name, index, quoted, single] = match
    value = index === undefined ? fieldOf(value, name ?? quoted ?? single!) : itemOf(value, Number(index))
    if (value === undefined) return undefined
  }
  return value
}

const fieldOf = (value: unknown, name: string): unknown =>
  isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined

const itemOf = (value: unknown, index: number): unknown => (Array.isArray(value) ? value[index] : undefined)
