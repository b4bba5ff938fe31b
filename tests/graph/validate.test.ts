import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { capabilityNodes, firstUnexecutable, needsDurable, validate } from '#graph/validate'
import { document, edge, fed, http, json, key, node, of, parsed, told, validDocument } from './support'

describe('all problems at once', () => {
  test('in the order of the rules, each with its place', () => {
    const nodes = [
      { ...node('a', 'input'), extra: 1 },
      node('b', 'router', { select: 1 }),
      { ...node('c', 'llm', { model: 'big' }), kind: 'boundary' },
      { ...node('d', 'output'), type: 'sink' },
      fed(node('e', 'output')),
      node('a', 'input'),
    ]
    const edges = [{ ...edge('b.out', 'c.in'), color: 'red' }, edge('x.out', 'c.in')]
    const problems = validate(document(nodes, edges))
    expect(problems.map(({ code, node_id, edge_id, path }) => [code, node_id ?? edge_id, path])).toEqual([
      ['invalid_shape', 'a', '/nodes/0/extra'],
      ['invalid_shape', 'b.out-c.in', '/edges/0/color'],
      ['duplicate_node_id', 'a', '/nodes/5/id'],
      ['unknown_type', 'd', '/nodes/3/type'],
      ['kind_mismatch', 'c', '/nodes/2/kind'],
      ['invalid_config', 'b', '/nodes/1/config/select'],
      ['unknown_model', 'c', '/nodes/2/config/model'],
      ['unknown_node', 'x.out-c.in', '/edges/1/source'],
    ])
    for (const { message, hint } of problems) {
      expect(message).toMatch(/\.$/)
      expect(hint.length).toBeGreaterThan(5)
    }
  })
  test('an edge that could not be read leaves no port unfed', () => {
    const nodes = [node('a', 'input'), fed(node('b', 'output'))]
    expect(of(nodes, [{ ...edge('a.out', 'b.in'), channel: 'wire' }])).toEqual([
      'invalid_shape /edges/0/channel',
    ])
  })
  test('ports that could not be read have no wrong handles', () => {
    const broken = { ...node('a', 'input'), ports: { out: [{ id: 'out', role: 'x' }] } }
    expect(of([broken, node('b', 'output')], [edge('a.out', 'b.in')])).toEqual([
      'invalid_shape /nodes/0/ports/out/0/role',
    ])
  })
  test('at most 1,000, each message short', () => {
    const long = 'x'.repeat(100_000)
    const nodes = Array.from({ length: 3_000 }, () => ({
      ...node('a', 'llm', { [long]: 1, model: long }),
      [long]: 1,
    }))
    const problems = validate(document(nodes))
    expect(problems).toHaveLength(1_000)
    for (const { message, hint, path } of problems)
      expect(message.length + hint.length + path.length).toBeLessThan(1_500)
  })
})

test('a node that cannot run is accepted, and named', () => {
  const nodes = [node('a', 'input'), node('b', 'memory'), node('c', 'code')]
  expect(of(nodes)).toEqual([])
  expect(firstUnexecutable(parsed(document(nodes)))?.id).toBe('b')
  expect(firstUnexecutable(parsed(document([node('a', 'input')])))).toBeUndefined()
})

test.each(['human', 'subgraph', 'loop', 'map'] as const)('%s needs a durable run', (type) => {
  expect(needsDurable(parsed(document([node('a', type)])))).toBe(true)
  expect(needsDurable(parsed(document([node('a', 'llm')])))).toBe(false)
})

test('nodes that are offered to a model are known', () => {
  const value = document(
    [node('t', 'rag'), node('m', 'llm')],
    [edge('t.use', 'm.tools', { channel: 'tool' })],
  )
  expect([...capabilityNodes(parsed(value))]).toEqual(['t'])
})

describe('whatever it is given', () => {
  test('it never throws, on any JSON', () => {
    fc.assert(
      fc.property(json(4), (value) => {
        expect(validate(value).length).toBeGreaterThan(0)
      }),
      { numRuns: 2_000 },
    )
  })

  test('nor on a valid document with some of its values replaced', () => {
    const anywhere = fc.array(fc.tuple(fc.nat(), fc.oneof(json(2), key)), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(validDocument, anywhere, (value, changes) => {
        let broken: unknown = value
        for (const [choice, replacement] of changes) broken = replaced(broken, choice, replacement)
        for (const { code, message, hint, path } of validate(broken)) {
          expect([typeof code, typeof message, typeof hint, typeof path]).toEqual(Array(4).fill('string'))
        }
      }),
      { numRuns: 2_000 },
    )
  })

  test('nor on what is no JSON', () => {
    fc.assert(
      fc.property(
        fc.anything({ withBigInt: true, withDate: true, withMap: true, withTypedArray: true }),
        (value) => {
          validate(value)
          validate(document([value], [value], { metadata: { value } }))
        },
      ),
    )
  })

  const circular: Record<string, unknown> = {}
  circular.a = circular
  circular.b = [circular, circular]
  test.each<[string, unknown]>([
    ['nested objects', JSON.parse(`${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`)],
    ['nested lists', JSON.parse('['.repeat(5_000) + ']'.repeat(5_000))],
    ['itself', circular],
    ['itself as a config', document([{ ...node('a', 'input'), config: circular }])],
    ['a million values', document([], [], { metadata: { list: Array(1_000_000).fill(0) } })],
    ['a sparse list', document(Array(3))],
    ['undefined', document([], [], { metadata: { a: undefined } })],
    ['NaN', document([], [], { metadata: { a: Number.NaN } })],
    ['a function', document([], [], { metadata: { a: () => 1 } })],
  ])('%s', (_, value) => {
    expect(told(value)).toEqual(['invalid_shape '])
  })

  test('keys such as __proto__ are keys, and stay', () => {
    const value = JSON.parse(
      JSON.stringify(document([], [], { models: {} })).replace(
        '"models":{}',
        '"models":{"__proto__":{"binding":"mlx","model":"m"},"constructor":{"binding":"mlx","model":"c"}},"metadata":{"__proto__":{"x":1}}',
      ),
    )
    const filled = parsed(value)
    expect(Object.keys(filled.models)).toEqual(['__proto__', 'constructor'])
    expect(JSON.stringify(filled.metadata)).toBe('{"__proto__":{"x":1}}')
    expect(told({ ...value, nodes: [node('a', 'llm', { model: '__proto__' })] })).toEqual([])
    expect(told(JSON.parse(JSON.stringify(document()).replace('{', '{"__proto__":{"id":"x"},')))).toEqual([
      'invalid_shape /__proto__',
    ])
  })
})

function replaced(value: unknown, choice: number, replacement: unknown): unknown {
  if (typeof value !== 'object' || value === null) return replacement
  const keys = Object.keys(value)
  if (keys.length === 0 || choice % 7 === 0) return replacement
  const chosen = keys[choice % keys.length]!
  const entries = Object.entries(value).map(([name, item]) =>
    name === chosen ? [name, replaced(item, Math.floor(choice / keys.length), replacement)] : [name, item],
  )
  return Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries)
}

describe('1,000 nodes take at most 50 ms', () => {
  const indexes = Array.from({ length: 1_000 }, (_, index) => index)
  const chain = indexes.slice(1).map((index) => edge(`n${index - 1}.out`, `n${index}.in`))
  const long = 'x'.repeat(100_000)
  test.each<[string, unknown]>([
    [
      'in a chain',
      document(
        indexes.map((index) => fed(node(`n${index}`, index ? 'llm' : 'input'))),
        chain,
      ),
    ],
    [
      'in a ring',
      document(
        indexes.map((index) => node(`n${index}`, 'transform')),
        [...chain, edge('n999.out', 'n0.in')],
      ),
    ],
    [
      'in 500 rings',
      document(
        indexes.map((index) => node(`n${index}`, 'transform')),
        indexes.map((index) => edge(`n${index}.out`, `n${index ^ 1}.in`)),
      ),
    ],
    [
      'without any of their models',
      document(
        indexes.map((index) => node(`n${index}`, 'llm')),
        [],
        { models: {} },
      ),
    ],
    ['of one id', document(indexes.map(() => node('n', 'llm')))],
    ['of an unknown type', document(indexes.map((index) => ({ ...node(`n${index}`, 'llm'), type: long })))],
    [
      'with endless ids',
      document(
        indexes.map((index) => node(`${long}${index}`, 'llm')),
        indexes.map(() => edge(`${long}.a`, `${long}.b`)),
      ),
    ],
    ['that are numbers', document(indexes)],
    [
      'with 50 unknown keys each',
      document(
        indexes.map((index) =>
          node(
            `n${index}`,
            'llm',
            Object.fromEntries(indexes.slice(0, 50).map((key) => [`maxToolKey${key}`, key])),
          ),
        ),
      ),
    ],
    [
      'with templates of a million characters',
      document(
        indexes.map((index) =>
          node(`n${index}`, 'llm', { messages: [{ role: 'user', content: '$in.a '.repeat(150_000) }] }),
        ),
      ),
    ],
    [
      'that all list the same broken tools',
      document(
        indexes.map((index) =>
          node(`n${index}`, 'llm', { tools: ['t', 'u', 't', 'v'], maxToolIterations: 0 }),
        ),
        [],
        { tools: { t: http({ urlTemplate: '/$in.a$in.b', description: long }) } },
      ),
    ],
    [
      'each wired to each of its neighbours',
      document(
        indexes.map((index) => node(`n${index}`, 'tool')),
        indexes.flatMap((index) =>
          [1, 2, 3, 4].map((step) =>
            edge(`n${index}.use`, `n${(index + step) % 1000}.in`, { channel: 'tool' }),
          ),
        ),
      ),
    ],
  ])('%s', (_, value) => {
    // The processor's time, and the best of a few: the machine does other things too.
    const times = indexes.slice(0, 8).map(() => {
      const before = process.cpuUsage()
      validate(value)
      const { user, system } = process.cpuUsage(before)
      return (user + system) / 1_000
    })
    expect(Math.min(...times)).toBeLessThan(50)
  })
})
