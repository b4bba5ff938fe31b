import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { TSchema } from 'typebox'
import Value from 'typebox/value'
import { AgentDocument } from '#graph/ir'
import { configOf, isNodeType, NODE_TYPES, type NodeTypeName } from '#graph/node-types'
import { read } from '#graph/read'
import { parse } from '#graph/validate'
import { document, json, key, LEAST_CONFIG, node } from './support'

const names = Object.keys(NODE_TYPES) as NodeTypeName[]
const declares = { tools: { echo: { kind: 'builtin', ref: 'echo' } } }
const problemsOf = (type: NodeTypeName, config: unknown) =>
  parse(document([{ ...node('n', type), config }], [], declares)).problems.map(
    ({ code, path }) => `${code} ${path}`,
  )

test('there are 18 executable types and 6 that are only declared', () => {
  const executable = names.filter((name) => NODE_TYPES[name].executable)
  expect<string[]>(executable.sort()).toEqual(
    'guardrail human imagine input llm loop map mcp_tool output quota rag ratelimit router speak subgraph tool transcribe transform'.split(
      ' ',
    ),
  )
  expect<string[]>(names.filter((name) => !NODE_TYPES[name].executable).sort()).toEqual(
    'agent code condition iterator memory retriever'.split(' '),
  )
  expect(names.filter((name) => NODE_TYPES[name].durableOnly).sort()).toEqual([
    'human',
    'loop',
    'map',
    'subgraph',
  ])
})

test.each(names)('%s with the least config is valid', (type) => {
  expect(problemsOf(type, LEAST_CONFIG[type])).toEqual([])
})

/** Each row of the specification's table: what may be left out and what it is then; what is taken; what is refused. */
const ROWS: [NodeTypeName, field: string, omitted: unknown, good: unknown[], bad: unknown[]][] = [
  ['input', 'modality', 'text', ['text', 'audio', 'image', 'video', 'json', 'file'], ['smell', null, 1]],
  ['input', 'schema', null, [{}, null, { type: 'object' }], ['x', []]],
  ['output', 'modality', 'text', ['text', 'audio', 'image', 'json'], ['video', 'file']],
  ['output', 'schema', null, [{}, null], [1]],
  ['llm', 'model', undefined, ['small'], ['', 1, null]],
  [
    'llm',
    'messages',
    undefined,
    [
      [],
      [{ role: 'system', content: 'a' }],
      [{ role: 'assistant', content: [{ type: 'text', text: 'a' }] }],
      [{ role: 'user', content: [{ type: 'image_url', imageUrl: { url: '$in', detail: 'low' } }] }],
      [{ role: 'user', content: [{ type: 'image_url', image_url: { url: '$in' } }] }],
    ],
    [
      'x',
      [{ role: 'tool', content: 'a' }],
      [{ role: 'user' }],
      [{ role: 'user', content: 1 }],
      [{ role: 'user', content: 'a', name: 'b' }],
      [{ role: 'user', content: [{ type: 'video', url: 'a' }] }],
      [{ role: 'user', content: [{ type: 'text' }] }],
      [{ role: 'user', content: [{ type: 'image_url', imageUrl: {}, image_url: {} }] }],
    ],
  ],
  ['llm', 'params', {}, [{ temperature: 0 }], [null, []]],
  ['llm', 'tools', [], [['echo']], ['echo', [1], [''], null]],
  [
    'llm',
    'toolChoice',
    'auto',
    ['auto', 'none', 'required', { type: 'function', function: { name: 'echo' } }],
    ['always', null, { type: 'function' }, { type: 'x', function: { name: 'echo' } }],
  ],
  ['llm', 'maxToolIterations', 8, [1, 100], [1.5, '8', null]],
  ['llm', 'maxToolResultChars', null, [0, 100, null], [-1, 'x']],
  ['tool', 'tool', undefined, ['echo'], ['', null]],
  ['tool', 'args', {}, [{ value: '$in' }], [[], null]],
  ['tool', 'method', null, ['POST', null], [1]],
  ['tool', 'urlTemplate', null, ['/x/$in.a', null], [1]],
  ['tool', 'headers', {}, [{ a: 'b' }], [{ a: 1 }, null]],
  ['tool', 'bodyTemplate', null, [{ a: 1 }, [1], 'x', 1, null], []],
  ['tool', 'timeoutSeconds', null, [0.5, 30, null], [0, -1, 1e9, '3']],
  ['tool', 'responseMap', null, ['$.a.b[0]', null], [1]],
  ['tool', 'idempotencyKey', null, ['{runId}', null], [1]],
  ['tool', 'connection', null, ['conn_1', null], [1]],
  ['tool', 'description', null, ['x', null], [1]],
  ['tool', 'parameterSchema', null, [{ type: 'object' }, null], ['x']],
  ['mcp_tool', 'tool', undefined, ['query'], ['', null]],
  ['mcp_tool', 'args', {}, [{ a: 1 }], ['x']],
  ['mcp_tool', 'description', null, ['x', null], [1]],
  ['router', 'select', undefined, ['$in.in.a', '$in.a > 1'], ['', 1]],
  ['guardrail', 'onBlock', {}, [{ a: 1 }], [null]],
  ['transform', 'expr', undefined, ['{}', '$in'], ['', {}]],
  ['rag', 'source', undefined, ['rag_1'], ['', null]],
  ['rag', 'query', null, ['$in', null], [1]],
  ['rag', 'topK', undefined, [1, 50], [0, 51, 1.5, null]],
  ['rag', 'minSimilarity', null, [-1, 0.5, 1, null], [-1.1, 1.1]],
  ['rag', 'description', null, ['x', null], [1]],
  ['ratelimit', 'keyExpr', undefined, ['$in', ''], [1]],
  ['ratelimit', 'limit', undefined, [0, 5], [-1, 1.5]],
  ['ratelimit', 'windowSeconds', undefined, [1, 3600], [0, 0.5]],
  ['ratelimit', 'policy', 'deny', ['deny', 'wait'], ['drop']],
  ['quota', 'keyExpr', undefined, ['$in'], [1]],
  ['quota', 'budgetTokens', undefined, [0, 5], [-1]],
  ['quota', 'windowSeconds', undefined, [60], [0]],
  ['quota', 'source', 'spans', ['spans'], ['x']],
  ['transcribe', 'model', undefined, ['small'], ['']],
  ['transcribe', 'params', {}, [{ language: 'en' }], [null]],
  ['speak', 'params', {}, [{ voice: 'a' }], [null]],
  ['imagine', 'params', {}, [{ size: '1x1' }], [null]],
  ['human', 'prompt', null, ['x', null], [1]],
  ['human', 'inputSchema', null, [{}, null], ['x']],
  ['human', 'timeout', null, [0, 1.5, null], [-1, 'x']],
  ['human', 'onTimeout', 'fail', ['fail', 'default'], ['skip']],
  ['human', 'default', null, ['x', {}, null], []],
  ['subgraph', 'agent', undefined, ['agent.x'], ['']],
  ['subgraph', 'maxDepth', 8, [1], [1.5, null]],
  ['loop', 'maxIterations', undefined, [1], [1.5, null]],
  ['loop', 'condition', null, ['$in.in.done', null], [1]],
  ['map', 'concurrency', null, [1, null], [0, 1.5]],
  ['map', 'onError', 'fail_fast', ['fail_fast', 'collect'], ['stop']],
]

describe.each(ROWS)('%s.%s', (type, field, omitted, good, bad) => {
  const least = LEAST_CONFIG[type]
  const { [field]: _, ...without } = least

  test(omitted === undefined && field !== 'topK' ? 'is required' : 'may be left out', () => {
    if (omitted === undefined && field !== 'topK') {
      expect(problemsOf(type, without)).toEqual(['invalid_config /nodes/0/config'])
    } else {
      expect(problemsOf(type, without)).toEqual([])
      expect((configOf(type, { config: without }) as Record<string, unknown>)[field]).toEqual(omitted)
    }
  })
  test.each(good.map((value) => [value]))('takes %j', (value) => {
    expect(problemsOf(type, { ...least, [field]: value })).toEqual([])
  })
  test.each(bad.map((value) => [value]))('refuses %j', (value) => {
    const [first] = problemsOf(type, { ...least, [field]: value })
    expect(first).toStartWith(`invalid_config /nodes/0/config/${field}`)
  })
})

describe('guardrail checks', () => {
  const rule = { kind: 'regex', spec: { pattern: 'a' } }
  const model = { model: 'small', prompt: 'Is it safe?' }
  test.each([
    [
      'each kind of rule',
      ['regex', 'length', 'allow', 'deny', 'json_schema', 'pii'].map((kind) => ({ rule: { kind } })),
    ],
    ['both checks', [{ type: 'rule', rule, model }]],
  ])('%s', (_, checks) => {
    for (const check of checks) expect(problemsOf('guardrail', { check })).toEqual([])
  })
  test('the answer that passes is yes, unless it says otherwise', () => {
    expect(configOf('guardrail', { config: { check: { type: 'model', model } } }).check.model?.passOn).toBe(
      'yes',
    )
  })
  test.each([
    [{ type: 'human' }, '/nodes/0/config/check/type'],
    [{ rule: { kind: 'vibe' } }, '/nodes/0/config/check/rule/kind'],
    [{ rule: { spec: {} } }, '/nodes/0/config/check/rule'],
    [{ rule, model: { model: 'small' } }, '/nodes/0/config/check/model'],
    [{ rule, extra: 1 }, '/nodes/0/config/check/extra'],
  ])('%j is refused', (check, path) => {
    expect(problemsOf('guardrail', { check })).toEqual([`invalid_config ${path}`])
  })
})

test.each([
  [{ server: 'a' }, true],
  [{ connection: 'a' }, true],
  [{ server: 'a', connection: null }, true],
  [{ server: 'a', connection: 'b' }, false],
  [{}, false],
])('mcp_tool with %j: %p', (which, valid) => {
  expect(problemsOf('mcp_tool', { tool: 't', ...which }).length === 0).toBe(valid)
})

describe('retry and timeout', () => {
  const fallible = names.filter((name) => NODE_TYPES[name].fallible)
  test('what reaches outside may be tried again', () => {
    expect<string[]>(fallible.sort()).toEqual(
      'guardrail imagine llm mcp_tool rag speak tool transcribe'.split(' '),
    )
  })
  test.each(fallible)('%s takes both', (type) => {
    const config = { ...LEAST_CONFIG[type], retry: { attempts: 3 }, timeoutSeconds: 5 }
    expect(problemsOf(type, config)).toEqual([])
    expect(configOf(type, { config })).toMatchObject({ retry: { attempts: 3, backoffMs: 500 } })
  })
  test.each(names.filter((name) => !fallible.includes(name) && NODE_TYPES[name].executable))(
    '%s takes none',
    (type) => {
      expect(problemsOf(type, { ...LEAST_CONFIG[type], retry: { attempts: 3 } })).toEqual([
        'invalid_config /nodes/0/config/retry',
      ])
    },
  )
  test.each([
    { attempts: 6 },
    { attempts: 0 },
    {},
    { attempts: 2, backoffMs: -1 },
    { attempts: 2, jitter: 1 },
  ])('%j is refused', (retry) => {
    expect(problemsOf('llm', { ...LEAST_CONFIG.llm, retry })).toHaveLength(1)
  })
})

test.each(names.filter((name) => NODE_TYPES[name].executable))(
  '%s refuses a key it does not know',
  (type) => {
    expect(problemsOf(type, { ...LEAST_CONFIG[type], surprise: 1 })).toEqual([
      'invalid_config /nodes/0/config/surprise',
    ])
  },
)

test('config is not read in snake_case, and the hint says how to write it', () => {
  const { problems } = parse(document([node('n', 'llm', { max_tool_iterations: 1 })]))
  expect(problems).toHaveLength(1)
  expect(problems[0]!.hint).toBe('Did you mean "maxToolIterations"?')
})

describe('the schemas', () => {
  const KNOWN = new Set(
    'type anyOf discriminator properties required additionalProperties items enum const minLength maxLength pattern description minimum maximum exclusiveMinimum default x-snake-case x-aliases x-like'.split(
      ' ',
    ),
  )
  const schemas: [string, TSchema][] = [
    ['AgentDocument', AgentDocument],
    ...names.map((name): [string, TSchema] => [name, NODE_TYPES[name].config]),
  ]

  test.each(schemas)('%s uses only keywords that are read', (_, schema) => {
    const visit = (value: Record<string, unknown>) => {
      for (const keyword of Object.keys(value)) expect(KNOWN).toContain(keyword)
      const { properties = {}, items, anyOf = [], additionalProperties } = value as Record<string, object>
      const inner = [...Object.values(properties), ...(anyOf as object[]), items, additionalProperties]
      for (const one of inner) if (typeof one === 'object') visit(one as Record<string, unknown>)
    }
    visit(schema as Record<string, unknown>)
  })

  /** Values near what the schema wants: its own keys and choices, mixed with anything. */
  const nearly = (schema: unknown): fc.Arbitrary<unknown> => {
    const words = [...new Set(JSON.stringify(schema).match(/[A-Za-z_]+/g))]
    const leaf = fc.oneof(fc.constantFrom(...words), fc.integer({ min: -1, max: 60 }), json(0))
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 4 }, leaf, fc.array(tie('value'), { maxLength: 3 }), tie('object')),
      object: fc.dictionary(fc.oneof(fc.constantFrom(...words), key), tie('value'), {
        maxKeys: 6,
        noNullPrototype: true,
      }),
    }))
    return value
  }

  test.each(schemas)('%s is judged as TypeBox judges it', (name, schema) => {
    const least = isNodeType(name) ? LEAST_CONFIG[name] : document([node('n', 'llm')])
    const near = fc
      .tuple(nearly(schema), fc.boolean())
      .map(([value, mix]) =>
        mix && typeof value === 'object' && !Array.isArray(value) ? { ...least, ...value } : value,
      )
    fc.assert(
      fc.property(near, (given) => {
        const { value, mismatches } = read(schema, given)
        // What is reported as no known key, or as said twice, is left out of what was read.
        const told = mismatches.filter(({ message }) => !/is no known key|says again/.test(message))
        expect(told.length === 0).toBe(Value.Check(schema, value))
      }),
      { numRuns: 300 },
    )
  })

  test('defaults are not shared between two documents', () => {
    const config = () => configOf('llm', { config: LEAST_CONFIG.llm })
    config().tools.push('echo')
    config().params.temperature = 1
    expect(config()).toMatchObject({ tools: [], params: {} })
  })

  test('reading what was read changes nothing', () => {
    for (const [name, schema] of schemas) {
      const least = isNodeType(name) ? LEAST_CONFIG[name] : document([node('n', 'llm')])
      const once = read(schema, least).value
      expect(read(schema, once)).toEqual({ value: once, mismatches: [] })
    }
  })
})
