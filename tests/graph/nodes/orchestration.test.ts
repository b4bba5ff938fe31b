import { describe, expect, test } from 'bun:test'
import { failure, play } from '../run-support'
import { type AuthoredNode, edge, node } from '../support'

/** One node between an input and nothing: what it put on which port. */
const alone = async (made: AuthoredNode, input: unknown, more: Parameters<typeof play>[2] = {}) => {
  const played = await play([node('a', 'input'), made], [edge('a.out', `n.${made.ports.in[0]!.id}`)], {
    input,
    ...more,
  })
  return { ...played, outputs: played.io.get('n')?.outputs }
}

describe('a router', () => {
  const router = (select: string) => {
    const made = node('n', 'router', { select })
    made.ports.out = [{ id: 'yes' }, { id: 'no' }]
    return made
  }

  test.each([
    ['a reference', '$in.in.way', { way: 'yes' }, 'yes'],
    ['a reference into text', '$in.in.way', '{"way":"no"}', 'no'],
    ['the whole input', '$in', 'no', 'no'],
    ['an expression', '$in.in.n > 3 ? "yes" : "no"', { n: 4 }, 'yes'],
  ])('forwards its value by %s', async (_, select, input, branch) => {
    expect((await alone(router(select), input)).outputs).toEqual({ [branch]: input })
  })

  test('decides by a port for control, and forwards what its other port holds', async () => {
    const decided = router('$in.verdict')
    decided.ports.in = [{ id: 'in' }, { id: 'verdict', role: 'control' }]
    const { io } = await play(
      [node('a', 'input'), node('v', 'transform', { expr: '"no"' }), decided],
      [edge('a.out', 'v.in'), edge('a.out', 'n.in'), edge('v.out', 'n.verdict')],
      { input: 'the question' },
    )
    expect(io.get('n')!.outputs).toEqual({ no: 'the question' })
  })

  test.each([
    ['a port that is not there', '$in', 'maybe', '"maybe"'],
    ['no text', '$in.in.way', { way: 1 }, '"1"'],
    ['nothing', '$in', null, 'nothing'],
    ['a name from elsewhere', '$in', 'constructor', '"constructor"'],
    ['a field that is not there', '$in.in.nope', {}, '"nope"'],
    ['an expression that fails', '1 +', {}, 'expression'],
    ['a clock', '$now()', {}, '$now'],
  ])('that selects %s fails the run', async (_, select, input, told) => {
    const error = failure(await alone(router(select), input))
    expect(error).toMatchObject({ code: 'router_error', status: 422 })
    expect(error.message).toContain(told)
    expect(error.message).toContain('"n"')
  })
})

describe('a transform', () => {
  const transform = (expr: string) => node('n', 'transform', { expr })

  test.each([
    ['a template', '{"a": ["$in.in.n", "n $in.in.n"], "b": 1}', { n: 2 }, { a: [2, 'n $in.in.n'], b: 1 }],
    ['a literal', '5', null, 5],
    ['an expression', '$sum($in.in.items[price > 10].price)', { items: [{ price: 20 }, { price: 5 }] }, 20],
    ['an expression that finds nothing', '$in.in.nope', {}, null],
  ])('makes a value by %s', async (_, expr, input, out) => {
    expect((await alone(transform(expr), input)).outputs).toEqual({ out })
  })

  test.each([
    ['a template with a field that is not there', '"$in.in.nope"', {}],
    ['a template with a port that is not there', '"$in.x"', {}],
    ['what is neither', '{"a": ', {}],
    ['randomness', '$random()', {}],
    ['an endless loop', '($f := function($n) { $f($n + 1) }; $f(0))', {}],
  ])('by %s fails the run', async (_, expr, input) => {
    expect(failure(await alone(transform(expr), input))).toMatchObject({
      code: 'transform_error',
      status: 422,
    })
  })
})

describe('a rule', () => {
  const rule = (kind: string, spec: object, onBlock = {}) =>
    node('n', 'guardrail', { check: { rule: { kind, spec } }, onBlock })
  const card = '4111 1111 1111 1111'

  test.each<[string, object, unknown, 'pass' | 'block']>([
    ['regex', { pattern: '^SELECT' }, 'SELECT 1', 'pass'],
    ['regex', { pattern: 'LECT' }, 'SELECT 1', 'pass'],
    ['regex', { pattern: '^SELECT' }, 'DROP', 'block'],
    ['regex', { pattern: 'drop', mode: 'deny' }, 'drop it', 'block'],
    ['regex', { pattern: 'drop', mode: 'deny' }, 'keep it', 'pass'],
    ['regex', { pattern: '' }, 'x', 'block'],
    ['regex', { pattern: '', mode: 'deny' }, 'x', 'pass'],
    ['regex', { pattern: '"n":1' }, { n: 1 }, 'pass'],
    ['length', { max: 3 }, 'abc', 'pass'],
    ['length', { max: 3 }, 'abcd', 'block'],
    ['length', { min: 2, max: 3 }, 'a', 'block'],
    ['length', { max: 1 }, '😀', 'pass'],
    ['length', {}, 'any', 'pass'],
    ['allow', { values: ['a', 'b'] }, 'a', 'pass'],
    ['allow', { values: ['a'] }, 'A', 'block'],
    ['allow', { values: [5] }, 5, 'pass'],
    ['allow', {}, 'a', 'block'],
    ['deny', { values: ['a'] }, 'a', 'block'],
    ['deny', { values: ['a'] }, 'ab', 'pass'],
    ['json_schema', { required: ['verdict'] }, { verdict: null }, 'pass'],
    ['json_schema', { required: ['verdict'] }, '{"verdict": "ok"}', 'pass'],
    ['json_schema', { required: ['verdict'] }, '{"other": 1}', 'block'],
    ['json_schema', { required: ['toString'] }, {}, 'block'],
    ['json_schema', { required: [] }, '[1]', 'block'],
    ['json_schema', {}, 'no JSON', 'block'],
    ['pii', {}, 'call me', 'pass'],
    ['pii', {}, 'write to jo.doe+x@mail.example.org', 'block'],
    ['pii', {}, 'ssn 123-45-6789.', 'block'],
    ['pii', {}, 'order 123-45-67890', 'pass'],
    ['pii', {}, card, 'block'],
    ['pii', {}, card.replaceAll(' ', ''), 'block'],
    ['pii', {}, '4111-1111-1111-1', 'block'],
    ['pii', {}, '123456789012', 'pass'],
    ['pii', {}, { nested: [card] }, 'block'],
    ['pii', { patterns: ['secret'] }, 'a secret', 'block'],
    ['pii', { patterns: ['secret'] }, card, 'pass'],
  ])('%s %j of %j: %s', async (kind, spec, input, port) => {
    expect((await alone(rule(kind, spec), input)).outputs).toEqual({ [port]: input })
  })

  test('that blocks may put something else in place', async () => {
    const { outputs } = await alone(rule('length', { max: 1 }, { blocked: true }), 'long')
    expect(outputs).toEqual({ block: { blocked: true } })
  })

  test('whose pattern is none ends the run: nothing goes past it', async () => {
    expect(failure(await alone(rule('regex', { pattern: '(' }), 'x'))).toMatchObject({
      code: 'template_error',
    })
  })
})

describe('a model that checks', () => {
  const guard = (rest = {}) => {
    const made = node('n', 'guardrail', {
      check: { type: 'model', model: { model: 'small', prompt: 'Is it polite?', ...rest } },
    })
    return { ...made, kind: 'activity' }
  }

  test.each([
    ['yes', {}, 'pass'],
    [' Yes, it is.', {}, 'pass'],
    ['No.', {}, 'block'],
    ['', {}, 'block'],
    ['<think>yes</think>no', {}, 'block'],
    ['OK', { passOn: 'Ok' }, 'pass'],
  ])('and answers %j: %j %s', async (answer, rest, port) => {
    const { outputs, asked, text, events, spans } = await alone(guard(rest), { a: 1 }, { answers: [answer] })
    expect(outputs).toEqual({ [port]: { a: 1 } })
    expect(asked.chat).toEqual([
      { model: 'small-chat', messages: [{ role: 'user', content: 'Is it polite?\n\nInput:\n{"a":1}' }] },
    ])
    // Its verdict is not what the run says.
    expect(text).toBe('')
    expect(events.some(({ type }) => type === 'streaming' || type === 'reasoning')).toBe(false)
    expect(spans).toContain('n/model.generate ok')
  })

  test('and fails ends the run', async () => {
    const { error } = await alone(guard(), 'x', { answers: [new Error('down')] })
    expect(error!.message).toBe('down')
  })
})

describe('a rate limit', () => {
  const limit = (config: object) =>
    node('n', 'ratelimit', { keyExpr: 'all', limit: 2, windowSeconds: 60, ...config })
  const counting = () => {
    const hits: { key: string; window: number; windowSeconds: number }[] = []
    return { hits, counters: { hit: async (hit: (typeof hits)[number]) => hits.push(hit) } }
  }

  test('lets so many through in a window, then says why not', async () => {
    const { hits, counters } = counting()
    const outputs = []
    for (const _ of [1, 2, 3]) outputs.push((await alone(limit({}), 'x', { counters })).outputs)
    expect(outputs).toEqual([
      { allow: 'x' },
      { allow: 'x' },
      { deny: { denied: true, reason: 'rate limit exceeded (2/60s)' } },
    ])
    expect(hits[0]).toEqual({
      key: 'agent.test:n:all',
      window: Math.floor(1_000_000 / 60_000),
      windowSeconds: 60,
    })
  })

  test.each([
    ['$in.in.user', { user: 'jo' }, 'jo'],
    ['$in.in.user', {}, '$in.in.user'],
    ['user $in', 'x', 'user $in'],
    ['$in', { a: 1 }, '{"a":1}'],
  ])('counts by key %s', async (keyExpr, input, key) => {
    const { hits, counters } = counting()
    await alone(limit({ keyExpr }), input, { counters })
    expect(hits[0]!.key).toBe(`agent.test:n:${key}`)
  })
})

test.each([
  [99, { allow: 'x' }],
  [100, { deny: { denied: true, reason: 'token budget exceeded (100/60s)' } }],
])('a quota of 100 tokens, of which %d are used', async (used, outputs) => {
  const asked: unknown[] = []
  const counters = {
    usedTokens: async (request: unknown) => {
      asked.push(request)
      return used
    },
  }
  const played = await alone(node('n', 'quota', { budgetTokens: 100 }), 'x', { counters })
  expect(played.outputs).toEqual(outputs as never)
  expect(asked).toEqual([{ agentId: 'agent.test', since: 940_000 }])
})
