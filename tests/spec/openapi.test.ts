import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { Validator } from '@seriousme/openapi-schema-validator'
import Schema from 'typebox/schema'
import { NODE_TYPES, type NodeTypeName } from '#graph/node-types'
import { parse } from '#graph/validate'
import { INFERENCE_STATUSES, STATUS_BY_CODE } from '#kernel/errors'
import { document, LEAST_CONFIG, node } from '../graph/support'
import { openWorld, type World } from '../support/world'

interface Operation {
  operationId: string
  responses: Record<
    string,
    { description: string; content?: Record<string, { 'x-codes'?: string[]; schema?: unknown }> }
  >
}
type Document = { openapi: string; paths: Record<string, Record<string, Operation>> }

const PLANES = ['control', 'inference', 'gateway'] as const
let world: World
const documents: Partial<Record<(typeof PLANES)[number], Document>> = {}

beforeAll(async () => {
  world = await openWorld()
  for (const plane of PLANES)
    documents[plane] = (await (await fetch(`${world.urls[plane]}/openapi.json`)).json()) as Document
})
afterAll(() => world[Symbol.asyncDispose]())

for (const plane of PLANES) {
  const statuses = { ...STATUS_BY_CODE, ...(plane === 'inference' ? INFERENCE_STATUSES : {}) }
  const statusOf = (code: keyof typeof STATUS_BY_CODE) => statuses[code]

  const operations = () =>
    Object.entries(documents[plane]!.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({
        name: `${method.toUpperCase()} ${path}`,
        operation,
      })),
    )

  test(`${plane}: the document is valid OpenAPI 3.1`, async () => {
    expect(documents[plane]!.openapi).toBe('3.1.0')
    const { valid, errors } = await new Validator().validate(structuredClone(documents[plane]) as never)
    expect(errors ?? []).toEqual([])
    expect(valid).toBe(true)
  })

  test(`${plane}: every operation says what it answers, and has a name of its own`, () => {
    const silent = operations().filter(({ operation }) =>
      Object.entries(operation.responses).some(
        ([status, { content, description }]) =>
          status.startsWith('2') && !content && !/no body/i.test(description),
      ),
    )
    expect(silent.map(({ name }) => name)).toEqual([])
    const ids = operations().map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  test(`${plane}: every code stands under its own status`, () => {
    const wrong = operations().flatMap(({ name, operation }) =>
      Object.entries(operation.responses).flatMap(([status, { content }]) =>
        (content?.['application/json']?.['x-codes'] ?? [])
          // 422 where a model is registered, 503 where it is used (specification, part 7).
          .filter((code) => !(code === 'incomplete_weights' && status === '503'))
          // A provider's refusal keeps its own status (specification, part 6 rule 2).
          .filter((code) => code !== 'upstream_error')
          .filter((code) => statusOf(code as keyof typeof STATUS_BY_CODE) !== Number(status))
          .map((code) => `${name}: ${code} under ${status}`),
      ),
    )
    expect(wrong).toEqual([])
  })

  test(`${plane}: paths are spelled as the specification spells them`, () => {
    const odd = Object.keys(documents[plane]!.paths).filter((path) => /~|\/:/.test(path))
    expect(odd).toEqual([])
  })
}

describe('the agent document, as the API describes it', () => {
  const components = () => (documents.control as unknown as { components: { schemas: object } }).components
  const fits = (value: unknown) => {
    const text = JSON.stringify({ $defs: components().schemas, $ref: '#/components/schemas/AgentDocument' })
    return Schema.Check(JSON.parse(text.replaceAll('#/components/schemas/', '#/$defs/')), value)
  }
  const withConfig = (type: NodeTypeName, config: object) =>
    document([{ ...node('n', type), config: { ...LEAST_CONFIG[type], ...config } }])

  test('is what requests and answers name', () => {
    const at = (path: string, ...way: string[]) =>
      way.reduce<unknown>(
        (part, key) => (part as Record<string, unknown>)[key],
        documents.control!.paths[path],
      )
    const json = ['content', 'application/json', 'schema', 'properties', 'ir']
    const named = { $ref: '#/components/schemas/AgentDocument' }
    expect(at('/agents', 'post', 'requestBody', ...json)).toEqual(named)
    expect(at('/graphs/runs', 'post', 'requestBody', ...json)).toEqual(named)
    const version = at('/agents/{id}/versions/{version}', 'get', 'responses', '200', ...json)
    expect(version).toMatchObject(named)
  })

  test.each(Object.keys(LEAST_CONFIG) as NodeTypeName[])('knows the config of %s', (type) => {
    expect(fits(withConfig(type, {}))).toBe(true)
    if (NODE_TYPES[type].executable) expect(fits(withConfig(type, { nobody_knows: 1 }))).toBe(false)
  })

  test('takes it as an author writes it, and as it is stored', () => {
    const authored = document([node('a', 'input')])
    expect(fits(authored)).toBe(true)
    expect(fits(parse(authored).document)).toBe(true)
    expect(fits({ ...authored, version: undefined })).toBe(false)
    expect(fits({ ...authored, entry: 'a' })).toBe(false)
  })
})

test('the committed documents are those that the planes answer', () => {
  const { exitCode, stdout } = Bun.spawnSync([process.execPath, 'build/openapi.ts', '--check'])
  expect(stdout.toString()).toBe('')
  expect(exitCode).toBe(0)
})
