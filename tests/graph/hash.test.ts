import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { byCodePoint, canonicalJson, contentHash, stored } from '#graph/hash'
import { document, edge, json, node, parsed, validDocument } from './support'

const hashOf = (value: unknown) => contentHash(parsed(value))

test('the test vector of the specification', () => {
  const vector = {
    schemaVersion: '1.0',
    id: 'agt_01J9X8TRIVIAL',
    name: 'trivial-llm',
    version: '0.1.0',
    models: {
      default: { binding: 'mlx', model: 'triage-fast', params: { temperature: 0.2, maxTokens: 256 } },
    },
    tools: {},
    nodes: [
      { id: 'n_in', type: 'input', kind: 'boundary', ports: { out: [{ id: 'out', type: 'any' }] } },
      {
        id: 'n_llm',
        type: 'llm',
        kind: 'activity',
        config: { model: 'default', messages: [{ role: 'user', content: '$in' }] },
        ports: {
          in: [{ id: 'in' }],
          out: [
            { id: 'ok', type: 'any' },
            { id: 'err', type: 'error' },
          ],
        },
      },
      { id: 'n_out', type: 'output', kind: 'boundary', ports: { in: [{ id: 'in' }] } },
    ],
    edges: [
      { id: 'e1', source: 'n_in', sourceHandle: 'out', target: 'n_llm', targetHandle: 'in' },
      { id: 'e2', source: 'n_llm', sourceHandle: 'ok', target: 'n_out', targetHandle: 'in' },
    ],
  }
  expect(hashOf(vector)).toBe('sha256:7e8f9d839ed6ab9990024867f703a6e2b49ca1ec4cf4e37111583cebe7030966')
})

test.each([
  ['null', null, 'null'],
  ['numbers in their shortest form', [1, 1.5, 1e21, 1e-7, -0, 100], '[1,1.5,1e+21,1e-7,0,100]'],
  ['text as raw UTF-8', 'é😀\u2028"\\\n\u0001', '"é😀\u2028\\"\\\\\\n\\u0001"'],
  ['a lone surrogate, which has no UTF-8 form, as an escape', '\ud800', '"\\ud800"'],
  [
    'keys in code-point order at every level',
    { b: { z: 1, a: 2 }, a: [], '': 0 },
    '{"":0,"a":[],"b":{"a":2,"z":1}}',
  ],
  ['a key beyond U+FFFF after one below', { '😀': 1, '\uffff': 2, a: 3 }, '{"a":3,"\uffff":2,"😀":1}'],
  ['a key named __proto__', JSON.parse('{"a":1,"__proto__":2}'), '{"__proto__":2,"a":1}'],
])('canonical JSON writes %s', (_, value, expected) => {
  expect(canonicalJson(value)).toBe(expected)
})

test('code-point order is the order of UTF-32', () => {
  const points = (text: string) => [...text].map((character) => character.codePointAt(0)!)
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
      const [left, right] = [points(a), points(b)]
      const at = left.findIndex((point, index) => point !== right[index])
      const expected = at === -1 ? left.length - right.length : left[at]! - (right[at] ?? -1)
      expect(Math.sign(byCodePoint(a, b))).toBe(Math.sign(expected))
    }),
  )
})

/** The same value with the keys of every object in another order. */
function shuffled(value: unknown, seed: number): unknown {
  if (Array.isArray(value)) return value.map((item) => shuffled(item, seed))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([key, item]) => [key, shuffled(item, seed)] as const)
  const turn = entries.length === 0 ? 0 : seed % entries.length
  return Object.fromEntries([...entries.slice(turn), ...entries.slice(0, turn)].reverse())
}

describe('the hash of any document', () => {
  test('does not depend on key order, layout, or a hash that came with it', () => {
    fc.assert(
      fc.property(validDocument, fc.nat(20), json(2), (value, seed, layout) => {
        const view = { layout }
        const other = shuffled({ ...value, view, contentHash: 'sha256:preset' }, seed)
        expect(hashOf(other)).toBe(hashOf(value))
      }),
      { numRuns: 500 },
    )
  })

  test('does not depend on whether a default of the envelope is written', () => {
    fc.assert(
      fc.property(validDocument, (value) => {
        expect(hashOf(parsed(value))).toBe(hashOf(value))
      }),
      { numRuns: 300 },
    )
  })

  test('is the same once stored, and stored again', () => {
    fc.assert(
      fc.property(validDocument, (value) => {
        const once = stored(parsed(value))
        const again = stored(parsed(JSON.parse(JSON.stringify(once.ir))))
        expect(again.contentHash).toBe(once.contentHash)
        expect(JSON.stringify(again.ir)).toBe(JSON.stringify(once.ir))
        expect(once.ir.contentHash).toBe(once.contentHash)
        expect('view' in once.ir).toBe(false)
      }),
      { numRuns: 300 },
    )
  })

  test('changes with any other change', () => {
    fc.assert(
      fc.property(validDocument, fc.nat(), json(2), (value, choice, replacement) => {
        const before = parsed(value)
        const places = leaves({ ...before, view: null, contentHash: null }).filter(
          ([first]) => first !== 'view' && first !== 'contentHash',
        )
        const place = places[choice % places.length]!
        const after = structuredClone(before)
        const changed = put(after, place, replacement)
        fc.pre(changed)
        expect(contentHash(after)).not.toBe(contentHash(before))
      }),
      { numRuns: 1_000 },
    )
  })
})

type Path = (string | number)[]

/** The path of every value in it that holds no other. */
function leaves(value: unknown, path: Path = []): Path[] {
  const inner: [string | number, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : typeof value === 'object' && value !== null
      ? Object.entries(value)
      : []
  if (inner.length === 0) return [path]
  return inner.flatMap(([key, item]) => leaves(item, [...path, key]))
}

/** Whether that changed the value; -0 is 0 in JSON. */
function put(target: unknown, path: Path, value: unknown): boolean {
  let holder = target as Record<string | number, unknown>
  for (const step of path.slice(0, -1)) {
    holder = Object.getOwnPropertyDescriptor(holder, step)!.value as Record<string | number, unknown>
  }
  const last = path.at(-1)!
  const before = Object.getOwnPropertyDescriptor(holder, last)!.value
  Object.defineProperty(holder, last, { value, enumerable: true, configurable: true, writable: true })
  return JSON.stringify(before) !== JSON.stringify(value) && !sameContent(before, value)
}

const sameContent = (a: unknown, b: unknown): boolean => canonicalJson(a) === canonicalJson(b)

describe('config is hashed as authored', () => {
  const withConfig = (config: Record<string, unknown>) => document([node('a', 'input', config)])

  test('a default that is written counts as a change', () => {
    expect(hashOf(withConfig({ modality: 'text' }))).not.toBe(hashOf(withConfig({})))
  })
  test('the defaults of a tool binding do not', () => {
    const tools = (rest: object) =>
      document([], [], { tools: { t: { kind: 'http', connection: 'c', ...rest } } })
    expect(hashOf(tools({ headers: {}, method: null, bodyTemplate: null }))).toBe(hashOf(tools({})))
  })
  test('the spelling of envelope fields does not', () => {
    const { source, sourceHandle, target, targetHandle, ...rest } = edge('a.out', 'b.in')
    const nodes = [node('a', 'input'), node('b', 'output')]
    const { schemaVersion, ...camel } = document(nodes, [edge('a.out', 'b.in')])
    const snake = {
      ...camel,
      schema_version: schemaVersion,
      edges: [{ ...rest, source, source_handle: sourceHandle, target, target_handle: targetHandle }],
    }
    expect(hashOf(snake)).toBe(hashOf({ ...camel, schemaVersion }))
  })
})
