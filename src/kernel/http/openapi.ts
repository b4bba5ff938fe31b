import type { AnyElysia } from 'elysia'
import { type ErrorCode, STATUS_BY_CODE, type Statuses } from '../errors'
import { publicPath } from './paths'

type Schema = Record<string, unknown>
interface Hooks {
  body?: Schema
  query?: Schema
  params?: Schema
  response?: Schema | Record<string, Schema>
  detail?: Record<string, unknown> & { summary?: string; description?: string; tags?: string[] }
}

interface Options {
  title: string
  version: string
  /** Schema of every error answer of this plane. */
  errorSchema: Schema
  /** Further schemas by name. A route's schema with the option `x-schema` stands for the one of that name. */
  schemas?: Record<string, Schema>
  secured: boolean
  /** Of the codes whose status is another one on this plane. */
  statuses?: Statuses
}

/** Kinds of routes that are not part of the documented interface. */
const HIDDEN = /^\/openapi\.json$/

/** An OpenAPI 3.1 document of a plane, from the very schemas and options its routes are checked with. */
export function openApiDocument(app: AnyElysia, options: Options) {
  const { title, version, errorSchema, schemas = {}, secured } = options
  const paths: Record<string, Record<string, unknown>> = {}
  for (const { method, path, hooks } of app.routes) {
    if (HIDDEN.test(path)) continue
    const shown = publicPath(path)
    paths[shown] ??= {}
    paths[shown][method.toLowerCase()] = operation(method, path, shown, (hooks ?? {}) as Hooks, options)
  }
  return {
    openapi: '3.1.0',
    info: { title, version },
    paths,
    components: {
      schemas: { Error: plain(errorSchema), ...schemas },
      ...(secured ? { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } } : {}),
    },
  }
}

/** A provider's refusal keeps its own status, whatever that is: no list of ours can name them all. */
const REFUSAL = {
  description: "The provider's own status and message, with the code `upstream_error`.",
  content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
}

function operation(
  method: string,
  path: string,
  shown: string,
  hooks: Hooks,
  { secured, statuses = {} }: Options,
) {
  const { detail = {} } = hooks
  const parameters = [...pathParameters(shown, hooks.params), ...queryParameters(hooks.query)]
  const codes = errorCodes(method, path, hooks)
  return {
    operationId: `${method.toLowerCase()}_${path.replace(/[^A-Za-z0-9]+/g, '_').replace(/^_|_$/g, '')}`,
    tags: [path.split('/')[1] || 'root'],
    ...detail,
    ...(secured ? { security: detail['x-role'] ? [{ bearer: [] }] : [] } : {}),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(hooks.body ? { requestBody: requestBody(hooks.body) } : {}),
    responses: {
      ...responses(answers(hooks.response), failures(codes, statuses)),
      ...(codes.includes('upstream_error') ? { default: REFUSAL } : {}),
    },
  }
}

/** Which codes follow from a route's options, and which it names itself. */
function errorCodes(method: string, path: string, { body, query, params, detail = {} }: Hooks): ErrorCode[] {
  const codes = new Set<ErrorCode>((detail['x-errors'] as ErrorCode[] | undefined) ?? [])
  if (detail['x-role']) codes.add('unauthorized').add('forbidden')
  if (body || query || params) codes.add((detail['x-invalid'] as ErrorCode | undefined) ?? 'validation_error')
  // Whatever a parameter may be, a character that cannot be stored is refused.
  if (path.includes(':')) codes.add('validation_error')
  if (body && method !== 'GET') codes.add('invalid_json').add('payload_too_large')
  return [
    ...codes.add('internal_error').add('host_not_allowed').add('origin_not_allowed').add('shutting_down'),
  ]
}

function pathParameters(shown: string, params: Schema | undefined) {
  const properties = (params?.properties ?? {}) as Record<string, Schema>
  return [...shown.matchAll(/\{([^}]+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: plain(properties[name!] ?? { type: 'string' }),
  }))
}

function queryParameters(query: Schema | undefined) {
  const required = (query?.required ?? []) as string[]
  return Object.entries((query?.properties ?? {}) as Record<string, Schema>).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    schema: plain(schema),
  }))
}

const requestBody = (body: Schema) => ({
  required: true,
  content: { [(body.contentType as string) ?? 'application/json']: { schema: plain(body) } },
})

interface Answer {
  description: string
  content?: Record<string, { schema: Schema; 'x-codes'?: ErrorCode[] }>
}

/** A status that a route describes itself and that is also one of an error may have either body, and any code. */
function responses(own: Record<string, Answer>, errors: Record<string, Answer>): Record<string, Answer> {
  const both = Object.keys(own).filter((status) => status in errors)
  const merged = both.map((status): [string, Answer] => {
    const description = `${own[status]!.description} Or ${errors[status]!.description}.`
    const schemas = [own[status]!, errors[status]!].flatMap(
      ({ content }) => content?.['application/json']?.schema ?? [],
    )
    return [status, { description, content: { 'application/json': { schema: { anyOf: schemas } } } }]
  })
  return { ...errors, ...own, ...Object.fromEntries(merged) }
}

function answers(response: Hooks['response']): Record<string, Answer> {
  if (!response) return { 200: { description: 'Done.' } }
  const byStatus = (
    'type' in response || 'anyOf' in response || '$ref' in response ? { 200: response } : response
  ) as Record<string, Schema>
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, schema]) => {
      const description = (schema.description as string | undefined) ?? 'The answer.'
      if (schema.type === 'void' || schema.type === 'undefined') return [status, { description }]
      return [
        status,
        {
          description,
          content: { [(schema.contentType as string) ?? 'application/json']: { schema: plain(schema) } },
        },
      ]
    }),
  )
}

function failures(codes: ErrorCode[], statuses: Statuses): Record<string, Answer> {
  const byStatus: Record<number, ErrorCode[]> = {}
  for (const code of codes) {
    const status = statuses[code] ?? STATUS_BY_CODE[code]
    byStatus[status] ??= []
    byStatus[status].push(code)
  }
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, list]) => [
      status,
      {
        description: list.map((code) => `\`${code}\``).join(', '),
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, 'x-codes': list } },
      },
    ]),
  )
}

/** A TypeBox schema is JSON Schema but for its symbols, which JSON does not carry. */
const plain = (schema: Schema): Schema =>
  JSON.parse(JSON.stringify({ ...schema, contentType: undefined }), (_, part) =>
    typeof part?.['x-schema'] === 'string' ? named(part) : part,
  )

const named = ({ 'x-schema': name, description }: Schema): Schema => ({
  $ref: `#/components/schemas/${name}`,
  ...(description !== undefined && { description }),
})
