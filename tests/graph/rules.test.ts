import { describe, expect, test } from 'bun:test'
import { validate } from '#graph/validate'
import { document, edge, fed, http, LEAST_CONFIG, node, of } from './support'

test('a chain of input, model and output is valid', () => {
  const nodes = [node('a', 'input'), fed(node('b', 'llm')), fed(node('c', 'output'))]
  expect(of(nodes, [edge('a.out', 'b.in'), edge('b.out', 'c.in')])).toEqual([])
})

test('rule 1: a duplicate node id', () => {
  expect(of([node('a', 'input'), node('b', 'output'), node('a', 'output')])).toEqual([
    'duplicate_node_id /nodes/2/id',
  ])
})

test('rule 1: the id that the run has in its trace', () => {
  expect(of([node('_root', 'input'), node('root', 'input'), node('_root2', 'input')])).toEqual([
    'duplicate_node_id /nodes/0/id',
  ])
})

test.each(['input ', '', 'constructor', '__proto__', 'toString'])('rule 2: %j is no type', (type) => {
  expect(of([{ ...node('a', 'input'), type }])).toEqual(['unknown_type /nodes/0/type'])
})

describe('rule 3, the kind', () => {
  test('must match the type', () => {
    expect(of([{ ...node('a', 'llm'), kind: 'boundary' }])).toEqual(['kind_mismatch /nodes/0/kind'])
    expect(of([{ ...node('a', 'llm'), kind: 'magic' }])).toEqual(['kind_mismatch /nodes/0/kind'])
  })
  test.each([
    [{}, 'orchestration'],
    [{ check: { type: 'rule', rule: { kind: 'pii' } } }, 'orchestration'],
    [{ check: { type: 'model', model: { model: 'small', prompt: 'ok?' } } }, 'activity'],
  ])('of a guardrail with %j is %s', (config, kind) => {
    const guardrail = node('a', 'guardrail', config)
    expect(of([{ ...guardrail, kind }])).toEqual([])
    const other = kind === 'activity' ? 'orchestration' : 'activity'
    expect(of([{ ...guardrail, kind: other }])).toEqual(['kind_mismatch /nodes/0/kind'])
  })
})

test('rule 4: the config of a type', () => {
  expect(of([node('a', 'router', { select: 1 })])).toEqual(['invalid_config /nodes/0/config/select'])
})

describe('rule 5, declared models', () => {
  test.each(['llm', 'transcribe', 'speak', 'imagine'] as const)('of %s', (type) => {
    expect(of([node('a', type, { model: 'big' })])).toEqual(['unknown_model /nodes/0/config/model'])
    expect(of([node('a', type, { model: 'constructor' })])).toEqual(['unknown_model /nodes/0/config/model'])
  })
  test('of a guardrail that asks a model', () => {
    const check = { type: 'model', model: { model: 'big', prompt: 'ok?' } }
    expect(of([{ ...node('a', 'guardrail', { check }), kind: 'activity' }])).toEqual([
      'unknown_model /nodes/0/config/check/model/model',
    ])
  })
  test('a model check that is not used needs none', () => {
    const check = { rule: { kind: 'pii' }, model: { model: 'big', prompt: 'ok?' } }
    expect(of([node('a', 'guardrail', { check })])).toEqual([])
  })
})

test.each([
  [{}, 'orchestration'],
  [{ check: {} }, 'orchestration'],
  [{ check: { rule: null } }, 'orchestration'],
  [{ check: { type: 'model', rule: { kind: 'pii' } } }, 'activity'],
])('rule 6: a guardrail with %j lacks its check', (config, kind) => {
  expect(of([{ ...node('a', 'guardrail'), config, kind }])).toEqual(['check_missing /nodes/0/config/check'])
})

describe('rule 7, child agents', () => {
  test.each(['subgraph', 'loop', 'map'] as const)(
    '%s pins exactly one of version and contentHash',
    (type) => {
      const { version: _, ...child } = LEAST_CONFIG[type]
      const problems = (config: object) => of([{ ...node('a', type), config: { ...child, ...config } }])
      expect(problems({ version: '1' })).toEqual([])
      expect(problems({ contentHash: 'sha256:x', version: null })).toEqual([])
      expect(problems({})).toEqual(['invalid_pin /nodes/0/config'])
      expect(problems({ version: '1', contentHash: 'sha256:x' })).toEqual(['invalid_pin /nodes/0/config'])
    },
  )
  test.each(['subgraph', 'loop', 'map'] as const)('%s goes at least one level deep', (type) => {
    expect(of([node('a', type, { maxDepth: 0 })])).toEqual(['out_of_range /nodes/0/config/maxDepth'])
  })
  test('a loop turns at least once', () => {
    expect(of([node('a', 'loop', { maxIterations: 0 })])).toEqual([
      'out_of_range /nodes/0/config/maxIterations',
    ])
  })
})

describe('rule 8, an llm that lists tools', () => {
  const tools = {
    echo: { kind: 'builtin', ref: 'echo' },
    city: http(),
    sql: { kind: 'mcp', tool: 'q', server: 's' },
  }
  const llm = (config: Record<string, unknown>, more: Record<string, unknown> = {}) =>
    of([node('a', 'llm', config)], [], { tools: { ...tools, ...more } })

  test('declared tools are fine', () => {
    expect(
      llm({ tools: ['echo', 'city', 'sql'], toolChoice: { type: 'function', function: { name: 'city' } } }),
    ).toEqual([])
  })
  test.each<[string, Record<string, unknown>, string]>([
    [
      'no turns left for them',
      { tools: ['echo'], maxToolIterations: 0 },
      'out_of_range /nodes/0/config/maxToolIterations',
    ],
    ['a tool listed twice', { tools: ['echo', 'sql', 'echo'] }, 'duplicate_tool /nodes/0/config/tools/2'],
    ['a tool that is not declared', { tools: ['echo', 'nope'] }, 'unknown_tool /nodes/0/config/tools/1'],
    ['a tool named like a method', { tools: ['toString'] }, 'unknown_tool /nodes/0/config/tools/0'],
    [
      'a choice that is not listed',
      { tools: ['echo'], toolChoice: { type: 'function', function: { name: 'city' } } },
      'tool_choice_not_listed /nodes/0/config/toolChoice',
    ],
  ])('%s', (_, config, problem) => {
    expect(llm(config)).toEqual([problem])
  })
  test('without tools, maxToolIterations is not looked at', () => {
    expect(llm({ maxToolIterations: 0 })).toEqual([])
  })
  test.each<[string, Record<string, unknown>, string[]]>([
    ['no description', { description: null }, ['tool_not_self_describing']],
    ['no schema', { parameterSchema: null }, ['tool_not_self_describing']],
    ['a slot that is not declared', { urlTemplate: '/$in.city/$in.street' }, ['slot_mismatch']],
    ['a slot in the body that is not declared', { bodyTemplate: { a: ['$in.zip'] } }, ['slot_mismatch']],
    ['a property that is not used', { urlTemplate: '/' }, ['slot_mismatch']],
    ['both', { urlTemplate: '/$in.street' }, ['slot_mismatch', 'slot_mismatch']],
    [
      'a property used only inside other text of the body',
      { urlTemplate: '/', bodyTemplate: { q: 'in $in.city' } },
      ['slot_mismatch'],
    ],
    ['a property used in the body', { urlTemplate: '/', bodyTemplate: { q: '$in.city' } }, []],
    ['a bare $in, which uses them all', { urlTemplate: '/', bodyTemplate: '$in' }, []],
    [
      'a bare $in and an undeclared slot',
      { urlTemplate: '/$in.street', bodyTemplate: '$in' },
      ['slot_mismatch'],
    ],
    ['no slots and no properties', { urlTemplate: '/', parameterSchema: { type: 'object' } }, []],
  ])('an http tool with %s', (_, rest, codes) => {
    expect(llm({ tools: ['city'] }, { city: http(rest) })).toEqual(codes.map((code) => `${code} /tools/city`))
  })
})

describe('rule 9, the ends of an edge', () => {
  const nodes = [node('a', 'input'), node('b', 'output')]
  test.each([
    ['no such source', edge('x.out', 'b.in'), 'unknown_node /edges/0/source'],
    ['no such target', edge('a.out', 'x.in'), 'unknown_node /edges/0/target'],
    ['no such out-port', edge('a.x', 'b.in'), 'unknown_handle /edges/0/sourceHandle'],
    ['no such in-port', edge('a.out', 'b.x'), 'unknown_handle /edges/0/targetHandle'],
    ['an in-port as a source', edge('b.in', 'b.in'), 'unknown_handle /edges/0/sourceHandle'],
  ])('%s', (_, one, problem) => {
    expect(of(nodes, [one])[0]).toBe(problem)
  })
})

test('rule 10: two data edges into one port', () => {
  const nodes = [node('a', 'input'), node('b', 'input'), node('c', 'output')]
  expect(of(nodes, [edge('a.out', 'c.in'), edge('b.out', 'c.in')])).toEqual([
    'port_taken /edges/1/targetHandle',
  ])
  expect(of(nodes, [edge('a.out', 'c.in'), edge('b.out', 'c.in', { channel: 'control' })])).toEqual([])
})

describe('rule 11, tool edges', () => {
  const nodes = [node('a', 'input'), node('t', 'tool'), node('m', 'llm')]
  const wired = (more: unknown[] = [], which: unknown[] = nodes, rest = {}) =>
    of(which, [edge('t.use', 'm.tools', { channel: 'tool' }), ...more], rest)

  test.each(['tool', 'mcp_tool', 'rag'] as const)('a %s can be offered to a model', (type) => {
    expect(wired([], [node('t', type), node('m', 'llm')])).toEqual([])
  })
  test('nothing else can', () => {
    const edges = [edge('a.out', 'm.tools', { channel: 'tool' })]
    expect(of(nodes, edges)).toEqual(['invalid_tool_edge /edges/0/source'])
  })
  test('only to an llm', () => {
    const edges = [edge('t.use', 'o.in', { channel: 'tool' })]
    expect(of([node('t', 'tool'), node('o', 'output')], edges)).toEqual(['invalid_tool_edge /edges/0/target'])
  })
  test('only into a port for tools', () => {
    expect(of(nodes, [edge('t.use', 'm.in', { channel: 'tool' })])).toEqual([
      'invalid_tool_edge /edges/0/targetHandle',
    ])
  })
  test.each(['data', 'control'] as const)('a %s edge cannot lead into it', (channel) => {
    expect(of(nodes, [edge('a.out', 'm.tools', { channel })])).toEqual(['tool_port_misused /edges/0/channel'])
  })
  test('what is offered is no step', () => {
    expect(wired([edge('a.out', 't.in')])).toEqual(['capability_and_step /nodes/1'])
    expect(wired([edge('t.out', 'm.in', { channel: 'control' })])).toEqual(['capability_and_step /nodes/1'])
  })
  test('an http tool that is offered describes itself', () => {
    const tool = (config: object) => [node('t', 'tool', { tool: 'city', ...config }), node('m', 'llm')]
    expect(wired([], tool({}), { tools: { city: http() } })).toEqual([])
    expect(wired([], tool({}), { tools: { city: http({ description: null }) } })).toEqual([
      'tool_not_self_describing /nodes/0/config',
    ])
    expect(wired([], tool({ description: 'x' }), { tools: { city: http({ description: null }) } })).toEqual(
      [],
    )
    expect(wired([], tool({ urlTemplate: '/' }), { tools: { city: http() } })).toEqual([
      'slot_mismatch /nodes/0/config',
    ])
    expect(wired([], tool({ tool: 'x', connection: 'c' }))).toEqual([
      'tool_not_self_describing /nodes/0/config',
    ])
  })
  test('a wired tool can be the named choice', () => {
    const choice = { tools: ['echo'], toolChoice: { type: 'function', function: { name: 't' } } }
    const tools = { echo: { kind: 'builtin', ref: 'echo' } }
    expect(wired([], [node('t', 'tool'), node('m', 'llm', choice)], { tools })).toEqual([])
  })
})

describe('rule 12, required in-ports', () => {
  test('must be fed by a data edge', () => {
    expect(of([fed(node('a', 'output'))])).toEqual(['port_not_fed /nodes/0/ports/in/0'])
    const control = [edge('a.out', 'b.in', { channel: 'control' })]
    expect(of([node('a', 'input'), fed(node('b', 'output'))], control)).toEqual([
      'port_not_fed /nodes/1/ports/in/0',
    ])
  })
  test('of an input need not be fed', () => {
    const input = { ...node('a', 'input'), ports: { in: [{ id: 'in' }], out: [{ id: 'out' }] } }
    expect(of([input])).toEqual([])
  })
  test('of a node that is offered to a model need not be fed', () => {
    const nodes = [fed(node('t', 'tool')), node('m', 'llm')]
    expect(of(nodes, [edge('t.use', 'm.tools', { channel: 'tool' })])).toEqual([])
  })
  test('a port for tools is fed by a tool edge', () => {
    const llm = node('m', 'llm')
    const strict = { ...llm, ports: { ...llm.ports, in: [{ id: 'tools', role: 'tool' as const }] } }
    expect(of([node('t', 'tool'), strict])).toEqual(['port_not_fed /nodes/1/ports/in/0'])
    expect(of([node('t', 'tool'), strict], [edge('t.use', 'm.tools', { channel: 'tool' })])).toEqual([])
  })
})

describe('rule 13, cycles', () => {
  const ring = (ids: string[], channel: 'data' | 'control' = 'data') =>
    ids.map((id, index) => edge(`${id}.out`, `${ids[(index + 1) % ids.length]}.in`, { channel }))
  const nodes = ['a', 'b', 'c', 'd'].map((id) => node(id, 'transform'))

  test.each(['data', 'control'] as const)('over %s edges are refused, and named', (channel) => {
    const [problem, ...others] = validate(document(nodes, ring(['a', 'b', 'c'], channel)))
    expect(others).toEqual([])
    expect(problem).toMatchObject({ code: 'cycle', hint: expect.stringContaining('loop node') })
    expect(problem!.message).toMatch(/"a" → "b" → "c" → "a"|"b" → "c" → "a" → "b"|"c" → "a" → "b" → "c"/)
  })
  test('of one node', () => {
    expect(of(nodes, ring(['c']))).toEqual(['cycle /nodes/2'])
  })
  test('each of several', () => {
    expect(of(nodes, [...ring(['a', 'b']), ...ring(['c', 'd'])])).toEqual([
      'cycle /nodes/0',
      'cycle /nodes/2',
    ])
  })
  test('a long one is shortened', () => {
    const many = Array.from({ length: 50 }, (_, index) => node(`n${index}`, 'transform'))
    const [{ message } = { message: '' }] = validate(document(many, ring(many.map(({ id }) => id))))
    expect(message.length).toBeLessThan(150)
  })
  test('tool edges are no part of one', () => {
    const pair = [node('t', 'tool'), node('m', 'llm')]
    expect(of(pair, [edge('t.use', 'm.tools', { channel: 'tool' })])).toEqual([])
  })
})
