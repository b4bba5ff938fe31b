import { describe, expect, test } from 'bun:test'
import { parse, validate } from '#graph/validate'
import { document, edge, node, of, told } from './support'

describe('rule 0, the shape', () => {
  const without = (field: string) => {
    const { [field]: _, ...rest } = document() as Record<string, unknown>
    return rest
  }
  test.each(['schemaVersion', 'id', 'name', 'version'])('%s is required', (field) => {
    expect(validate(without(field))).toEqual([
      expect.objectContaining({ code: 'invalid_shape', message: `The document lacks "${field}".`, path: '' }),
    ])
  })
  test.each<[string, Record<string, unknown>, string]>([
    ['an unknown key', { entry: 'a' }, '/entry'],
    ['an id with a space', { id: 'agent x' }, '/id'],
    ['an empty id', { id: '' }, '/id'],
    ['an id of 129 characters', { id: 'a'.repeat(129) }, '/id'],
    ['an id that ends with a line break', { id: 'agent.x\n' }, '/id'],
    ['an empty version', { version: '' }, '/version'],
    ['a version of 65 characters', { version: '1'.repeat(65) }, '/version'],
    ['a number as version', { version: 1 }, '/version'],
    ['nodes as a map', { nodes: {} }, '/nodes'],
    ['edges as a map', { edges: {} }, '/edges'],
    ['models as a list', { models: [] }, '/models'],
    ['null instead of a list', { nodes: null }, '/nodes'],
    ['a layout that is no object', { view: [] }, '/view'],
    ['metadata that is no object', { metadata: 'x' }, '/metadata'],
    ['a field in two spellings', { schema_version: '1.0' }, '/schema_version'],
    ['a binding that does not exist', { models: { m: { binding: 'gpu', model: 'x' } } }, '/models/m/binding'],
    ['a binding without a model', { models: { m: { binding: 'mlx' } } }, '/models/m'],
    [
      'a binding with a modality',
      { models: { m: { binding: 'mlx', model: 'x', modality: 'text' } } },
      '/models/m/modality',
    ],
    [
      'a source that does not exist',
      { models: { m: { binding: 'mlx', model: 'x', source: 'ftp' } } },
      '/models/m/source',
    ],
    ['a tool of no known kind', { tools: { t: { kind: 'soap' } } }, '/tools/t/kind'],
    ['a builtin tool without a name', { tools: { t: { kind: 'builtin' } } }, '/tools/t'],
    ['an http tool without a connection', { tools: { t: { kind: 'http' } } }, '/tools/t'],
    [
      'a key of another kind of tool',
      { tools: { t: { kind: 'builtin', ref: 'echo', server: 's' } } },
      '/tools/t/server',
    ],
    ['an mcp tool without a server', { tools: { t: { kind: 'mcp', tool: 'x' } } }, '/tools/t'],
    [
      'an mcp tool with both',
      { tools: { t: { kind: 'mcp', tool: 'x', server: 's', connection: 'c' } } },
      '/tools/t',
    ],
    ['a key with a slash', { tools: { 'a/b~': { kind: 'soap' } } }, '/tools/a~1b~0/kind'],
    ['a node that is no object', { nodes: ['x'] }, '/nodes/0'],
    ['a node without a kind', { nodes: [{ id: 'a', type: 'input' }] }, '/nodes/0'],
    ['a node with an unknown key', { nodes: [{ ...node('a', 'input'), entry: true }] }, '/nodes/0/entry'],
    ['a config that is a list', { nodes: [{ ...node('a', 'input'), config: [] }] }, '/nodes/0/config'],
    ['ports as a list', { nodes: [{ ...node('a', 'input'), ports: [] }] }, '/nodes/0/ports'],
    [
      'a port without an id',
      { nodes: [{ ...node('a', 'input'), ports: { out: [{}] } }] },
      '/nodes/0/ports/out/0',
    ],
    [
      'a role that does not exist',
      { nodes: [{ ...node('a', 'input'), ports: { out: [{ id: 'x', role: 'y' }] } }] },
      '/nodes/0/ports/out/0/role',
    ],
    [
      'an edge without a handle',
      { edges: [{ id: 'e', source: 'a', sourceHandle: 'b', target: 'c' }] },
      '/edges/0',
    ],
    [
      'a channel that does not exist',
      { edges: [edge('a.b', 'c.d', { channel: 'x' as never })] },
      '/edges/0/channel',
    ],
  ])('%s', (_, change, path) => {
    expect(told(document([], [], change))[0]).toBe(`invalid_shape ${path}`)
  })
  test.each([[null], [undefined], [1], ['x'], [[]], [true]])('%j is no document', (value) => {
    expect(told(value)).toHaveLength(1)
    expect(told(value)[0]).toStartWith('invalid_shape')
  })
  test('any schemaVersion is accepted', () => {
    expect(of([], [], { schemaVersion: '' })).toEqual([])
  })
  test('snake_case is read too', () => {
    const nodes = [node('a', 'input'), node('b', 'output')]
    const snake = { id: 'e', source: 'a', source_handle: 'out', target: 'b', target_handle: 'in' }
    const tools = { t: { kind: 'http', connection: 'c', url_template: '/', parameter_schema: null } }
    const { schemaVersion: schema_version, ...rest } = document(nodes, [snake], { tools, content_hash: 'x' })
    const { document: filled } = parse({ ...rest, schema_version })
    expect(filled).toMatchObject({
      schemaVersion: '1.0',
      contentHash: 'x',
      edges: [{ sourceHandle: 'out', targetHandle: 'in', channel: 'data', condition: null }],
      tools: { t: { urlTemplate: '/', headers: {}, timeoutSeconds: null } },
    })
  })
})

test('what may be left out is filled in, and config is kept as authored', () => {
  const { document: filled } = parse({
    schemaVersion: '1.0',
    id: 'agent.x',
    name: 'x',
    version: '1',
    models: { m: { binding: 'mlx', model: 'x' } },
    nodes: [{ id: 'a', type: 'input', kind: 'boundary', ports: { out: [{ id: 'out' }] } }],
  })
  expect(filled).toEqual({
    schemaVersion: '1.0',
    id: 'agent.x',
    name: 'x',
    version: '1',
    contentHash: null,
    models: { m: { binding: 'mlx', model: 'x', source: null, params: {} } },
    tools: {},
    nodes: [
      {
        id: 'a',
        type: 'input',
        kind: 'boundary',
        label: null,
        config: {},
        ports: { in: [], out: [{ id: 'out', type: 'any', required: true, role: 'data' }] },
      },
    ],
    edges: [],
    view: null,
    metadata: null,
  })
})
