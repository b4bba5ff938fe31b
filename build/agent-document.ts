import type { TSchema } from 'typebox'
import { AgentDocument, Edge, GraphNode, ModelBinding, Port, ToolBinding } from '../src/graph/ir'
import { NODE_TYPES, type NodeTypeName } from '../src/graph/node-types'
import { type Shape, typeText } from '../src/graph/read'

/**
 * Writes the tables of `docs/agent-document.md` from the schema and the table of node types, between the marks that
 * the page has for them; `--check` tells whether they still agree.
 */
const FILE = 'docs/agent-document.md'

async function main(check: boolean) {
  const page = await Bun.file(FILE).text()
  const written = Object.entries(PARTS).reduce((text, [name, part]) => fill(text, name, part()), page)
  if (written === page) return
  if (!check) {
    await Bun.write(FILE, written)
    return
  }
  console.error(
    `${FILE} no longer says what the code says: run \`node build/bun.mjs build/agent-document.ts\`.`,
  )
  process.exit(1)
}

function fill(page: string, name: string, part: string): string {
  const [begin, end] = [`<!-- begin ${name}: written by build/agent-document.ts -->`, `<!-- end ${name} -->`]
  const [from, to] = [page.indexOf(begin), page.indexOf(end)]
  if (from === -1 || to < from) throw new Error(`${FILE} has no place for "${name}".`)
  return `${page.slice(0, from + begin.length)}\n\n${part}\n\n${page.slice(to)}`
}

const PARTS: Record<string, () => string> = {
  envelope: () => fields(AgentDocument),
  'model binding': () => fields(ModelBinding),
  'tool bindings': () =>
    (ToolBinding as Shape)
      .anyOf!.map((one) => `\`kind: ${JSON.stringify(one.properties!.kind!.const)}\`\n\n${fields(one)}`)
      .join('\n\n'),
  node: () => fields(GraphNode),
  port: () => fields(Port),
  edge: () => fields(Edge),
  'node types': () =>
    table(
      ['Type', 'Kind', 'What it does', 'In-ports', 'Out-ports', 'Runs'],
      names().map((name) => {
        const { kind, description, ports, executable, durableOnly } = NODE_TYPES[name]
        const runs = executable ? (durableOnly ? 'durably only' : 'yes') : 'no'
        return [`\`${name}\``, kind, description, portNames(ports.in), portNames(ports.out), runs]
      }),
    ),
  configs: () =>
    names()
      .filter((name) => NODE_TYPES[name].executable)
      .map((name) => `### ${name}\n\n${NODE_TYPES[name].description}\n\n${fields(NODE_TYPES[name].config)}`)
      .join('\n\n'),
}

const names = () => Object.keys(NODE_TYPES) as NodeTypeName[]

const portNames = (ports: readonly { id: string; type: string; role: string; required: boolean }[]): string =>
  ports
    .map(({ id, type, role, required }) => {
      const notes = [type === 'error' && 'error', role !== 'data' && role, !required && 'optional']
      const said = notes.filter(Boolean).join(', ')
      return `\`${id}\`${said && ` (${said})`}`
    })
    .join(', ') || '–'

function fields(schema: TSchema): string {
  const { properties = {}, required = [] } = schema as Shape
  const rows = Object.entries(properties).map(([name, field]) => [
    `\`${name}\``,
    wanted(field),
    'default' in field ? `\`${JSON.stringify(field.default)}\`` : required.includes(name) ? 'required' : '–',
    field.description ?? '',
  ])
  return table(['Field', 'Value', 'Default', 'Meaning'], rows)
}

function wanted(field: Shape): string {
  const { minimum, maximum, exclusiveMinimum, maxLength } = field
  const bounds = [
    minimum !== undefined && `at least ${minimum}`,
    exclusiveMinimum !== undefined && `more than ${exclusiveMinimum}`,
    maximum !== undefined && `at most ${maximum}`,
    maxLength !== undefined && `at most ${maxLength} characters`,
  ].filter(Boolean)
  const type = field.type === undefined && !field.anyOf ? 'any JSON' : typeText(field)
  return [type, ...bounds].join(', ')
}

const table = (head: string[], rows: string[][]): string =>
  [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`)
    .join('\n')

await main(Bun.argv.includes('--check'))
