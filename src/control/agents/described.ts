import { AgentDocument, GraphNode } from '#graph/ir'
import { NODE_TYPES } from '#graph/node-types'

type Schema = Record<string, unknown>

/**
 * The agent document for the description of the API, as JSON Schema: from the very schemas that documents are read with.
 * Those say what a filled document looks like; what an author may leave out is not required here.
 */
export function documentSchemas(): Record<string, Schema> {
  const document = authored(AgentDocument) as Schema & { properties: Schema }
  return {
    AgentDocument: {
      ...document,
      description: 'An agent. Fields are read in snake_case, too. `docs/agent-document.md` has the rules.',
      properties: { ...document.properties, nodes: { type: 'array', items: ref('AgentNode'), default: [] } },
    },
    AgentNode: {
      ...(authored(GraphNode) as Schema),
      allOf: Object.keys(NODE_TYPES).map((type) => ({
        if: { properties: { type: { const: type } } },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema, in an object that nobody awaits
        then: { properties: { config: ref(configName(type)) } },
      })),
    },
    ...Object.fromEntries(
      Object.entries(NODE_TYPES).map(([type, { description, config }]) => [
        configName(type),
        { ...(authored(config) as Schema), description },
      ]),
    ),
  }
}

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

const configName = (type: string) => `NodeConfig_${type}`

/** Ours alone: what only `graph/read.ts` makes of a schema. */
const OUR_KEYWORDS = ['x-snake-case', 'x-aliases', 'x-like', 'discriminator']

function authored(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(authored)
  if (typeof schema !== 'object' || schema === null) return schema
  const { required, properties = {}, ...rest } = schema as { required?: string[]; properties?: Schema }
  const demanded = required?.filter((name) => !hasDefault(properties[name]))
  return {
    ...Object.fromEntries(
      Object.entries(rest)
        .filter(([keyword]) => !OUR_KEYWORDS.includes(keyword))
        // A default or a list of choices is a value, not a schema.
        .map(([keyword, value]) => [keyword, SCHEMAS.includes(keyword) ? authored(value) : value]),
    ),
    ...('properties' in schema && {
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, property]) => [name, authored(property)]),
      ),
    }),
    ...(demanded && demanded.length > 0 && { required: demanded }),
  }
}

const SCHEMAS = ['items', 'anyOf', 'additionalProperties']

const hasDefault = (property: unknown): boolean =>
  typeof property === 'object' && property !== null && 'default' in property
