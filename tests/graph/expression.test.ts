import { describe, expect, test } from 'bun:test'
import { ExpressionError, evaluate, select, transform } from '#graph/expression'
import { TemplateError } from '#graph/template'
import { inputs } from './support'

const order = {
  items: [
    { name: 'a', price: 5 },
    { name: 'b', price: 15 },
    { name: 'c', price: 20 },
  ],
}

test.each([
  ['a filter over a list', '$in.in.items[price > 10].name', ['b', 'c']],
  ['one match, which JSONata does not keep as a list', '$in.in.items[price > 15].name', 'c'],
  ['one match, kept as a list', '$in.in.items[price > 15].name[]', ['c']],
  [
    'an object',
    '{"total": $sum($in.in.items.price), "count": $count($in.in.items)}',
    { total: 40, count: 3 },
  ],
  ['nothing, which is null', '$in.in.nope', null],
  ['a port that was not fed', '$in.other', null],
  ['text', '$uppercase($in.in.items[0].name) & "!"', 'A!'],
  ['an order', '$in.in.items^(>price).name', ['c', 'b', 'a']],
  ['a regular expression', '$in.in.items[name ~> /^[ab]$/].name', ['a', 'b']],
  ['a replacement by groups', '$replace("2024-05-06", /(\\d+)-(\\d+)/, "$2/$1")', '05/2024-06'],
  ['a replacement by a function', '$replace("a-b", /[ab]/, function($m) { $uppercase($m.match) })', 'A-B'],
  ['all matches', '$match("a1b22", /[0-9]+/).match', ['1', '22']],
  ['a split', '$split("a, b;c", /[,;] ?/)', ['a', 'b', 'c']],
  ['a sorted list', '$sort([3, 1, 2])', [1, 2, 3]],
  ['a list sorted by a function', '$sort([3, 1, 2], function($a, $b) { $a < $b })', [3, 2, 1]],
  ['distinct values', '$distinct([1, {"a": 1}, 1, {"a": 1}])', [1, { a: 1 }]],
  ['joined text', '$join(["a", "b"], "-")', 'a-b'],
  ['padded text', '$pad("7", -3, "0") & $pad("x", 3) & "|"', '007x  |'],
  ['appended lists', '$append([1, 2], 3)', [1, 2, 3]],
  ['reduced lists', '$reduce([1, 2, 3], function($a, $b) { $a + $b })', 6],
  ['a function applied in part', '($zeros := $pad(?, -2, "0"); $zeros("7"))', '07'],
  ['JSON text', '$string({"a": [1]})', '{"a":[1]}'],
  ['parsed JSON text', '$parse("{\\"a\\": [1, 2]}").a[1]', 2],
  ['a date', '$toMillis("2018-01-01T00:00:00")', 1514764800000],
  ['a date by a picture', '$toMillis("5.6.2024", "[D].[M].[Y]")', 1717545600000],
  ['a formatted date', '$fromMillis(0, "[Y0001]-[M01]")', '1970-01'],
  ['a formatted number', '$formatNumber(1234.5, "#,##0.00")', '1,234.50'],
  ['a function, which is no data', 'function($x) { $x }', null],
  ['a list with a function', '[1, $sum]', [1, null]],
])('%s', async (_, text, expected) => {
  expect(await evaluate(text, inputs({ in: order }, ['in', 'other']))).toEqual(expected)
})

test('the result is plain JSON, and the inputs stay as they were', async () => {
  const given = { items: [{ a: 1 }] }
  const before = structuredClone(given)
  const result = await evaluate('$in.in.items', inputs({ in: given }))
  expect(Object.keys(result as object)).toEqual(['0'])
  expect(await evaluate('$in.in.items[]', inputs({ in: given }))).toEqual([{ a: 1 }])
  expect(given).toEqual(before)
  expect(Reflect.ownKeys(given.items)).toEqual(['0', 'length'])
})

test('data that looks like code of the library is only data', async () => {
  const data = JSON.parse(
    '{"_jsonata_lambda": true, "body": {"type": "string", "value": "ran"}, "arguments": []}',
  )
  await expect(evaluate('$in.in()', inputs({ in: data }))).rejects.toThrow(ExpressionError)
})

test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
  '%s is no way out of the data',
  async (name) => {
    expect(await evaluate(`$in.in.${name}`, inputs({ in: {} }))).toBeNull()
    expect(await evaluate(`$in.in.name.${name}.${name}`, inputs({ in: { name: 'x' } }))).toBeNull()
  },
)

describe('what cannot be replayed is refused', () => {
  test.each(['$now()', '$millis()', '$random()', '$shuffle([1, 2])', '$eval("1")', '[1] ~> $map($random)'])(
    '%s',
    async (text) => {
      await expect(evaluate(text, inputs({}))).rejects.toThrow(/is not available, because/)
    },
  )
  test('$toMillis without the year', async () => {
    await expect(evaluate('$toMillis("10:30", "[H]:[m]")', inputs({}))).rejects.toThrow(/year/)
  })
  test('a name of its own for the function does not help', async () => {
    await expect(evaluate('($f := $millis; $f())', inputs({}))).rejects.toThrow(/\$millis is not available/)
  })
})

describe('what goes on without end is ended', () => {
  const big = inputs({ in: 'x'.repeat(100_000) })
  test.each([
    ['a tail call', '($f := function($n) { $f($n + 1) }; $f(1))'],
    ['a call within a call', '($f := function($n) { 1 + $f($n + 1) }; $f(1))'],
    ['doubling text', '($f := function($s) { $f($s & $s) }; $f("ab"))'],
    [
      'doubling objects',
      '($f := function($o, $n) { $n = 0 ? $o : $f({"a": $o, "b": $o}, $n - 1) }; $f({}, 60))',
    ],
    ['doubling lists', '($f := function($o, $n) { $n = 0 ? $o : $f([[$o], [$o]], $n - 1) }; $f([1], 60))'],
    ['a huge range', '[1..10000000]'],
    ['huge padding', '$pad("", 1000000000)'],
    ['padding, many times', '$map([1..1000], function($n) { $pad("x", 1000000 + $n) })'],
    ['padding without a function around it', '$map([1..1000], $pad(?, 9000000))'],
    ['joining with much between', '$join($map([1..50000], function($n) { "a" }), $in.in)'],
    ['replacing by much', '$replace($in.in, "x", $in.in)'],
    ['replacing matches by much', '$replace($in.in, /x/, $in.in)'],
    ['replacing matches by a function', '$replace($in.in, /x/, function($m) { $in.in })'],
    ['appending over and over', '$reduce([1..100000], $append)'],
    ['ordering a long list', '[1..100000]^($)'],
    [
      'comparing all with all',
      '$count($filter([1..3000], function($a) { $count($filter([1..3000], function($b) { $a = $b })) > 1 }))',
    ],
    ['a picture as long as a book', '$fromMillis(0, $in.in)'],
    ['a long number to parse', '$parseInteger($in.in, "#0")'],
    ['nested lists', `${'['.repeat(50_000)}1`],
    ['nested parentheses', `${'('.repeat(20_000)}1${')'.repeat(20_000)}`],
    ['a huge expression', '1 + '.repeat(100_000)],
  ])(
    '%s',
    async (_, text) => {
      const startedAt = performance.now()
      const before = process.memoryUsage().rss
      await expect(evaluate(text, big)).rejects.toThrow(ExpressionError)
      expect(performance.now() - startedAt).toBeLessThan(10_000)
      expect(process.memoryUsage().rss - before).toBeLessThan(1_000_000_000)
    },
    15_000,
  )

  test('other work goes on in between', async () => {
    let ticks = 0
    const timer = setInterval(() => ticks++, 1)
    await evaluate('($f := function($n) { $f($n + 1) }; $f(1))', inputs({})).catch(() => {})
    clearInterval(timer)
    expect(ticks).toBeGreaterThan(5)
  })

  test.each([
    ['steps', '($f := function($n) { $f($n + 1) }; $f(1))', 'more than 500000 steps'],
    ['the length of a list to order', '[1..5000]^($)', 'maximum sequence length'],
    ['nesting', '($f := function($n) { 1 + $f($n + 1) }; $f(1))', /tack overflow|nested too deep/],
  ])('%s are bounded before the time is up', async (_, text, message) => {
    await expect(evaluate(text, inputs({}))).rejects.toThrow(message)
  })

  test('a regular expression that would backtrack does not', async () => {
    expect(await evaluate('$match($in.in, /(x+x+)+y/)', big)).toBeNull()
  })

  test('distinct values of a long list take no time', async () => {
    expect(await evaluate('$count($distinct([1..100000]))', inputs({}))).toBe(100_000)
  })
})

test.each([
  ['text that is no expression', '$in.in.[', /Node "n": the expression failed: .*\(at character \d+\)/],
  ['a function that does not exist', '$nope()', /the expression failed/],
  ['an error of its own', '$error("no such order")', /no such order/],
  ['a regular expression that looks around', '"a" ~> /(?=a)/', /Look-around/],
  ['JSON text that is none', '$parse("{")', /\$parse was given text that is not JSON/],
])('%s fails with a reason', async (_, text, message) => {
  await expect(evaluate(text, inputs({ in: 1 }))).rejects.toThrow(message)
})

describe('a transform', () => {
  test.each([
    [
      'JSON text is a template',
      '{"a": "$in.in.x", "b": ["$in.in", "cost: $in.in.x"]}',
      { a: 1, b: [{ x: 1 }, 'cost: $in.in.x'] },
    ],
    ['a single reference in quotes', '"$in.in.x"', 1],
    ['a literal', '42', 42],
    ['text of a template is not an expression', '"$in.in.x + 1"', '$in.in.x + 1'],
    ['any other text is an expression', '$in.in.x + 1', 2],
    ['in is all ports', '$in', { in: { x: 1 } }],
    ['a port that was not fed is null in a template', '["$in.other"]', [null]],
  ])('%s', async (_, expr, expected) => {
    expect(await transform(expr, inputs({ in: { x: 1 } }, ['in', 'other']))).toEqual(expected)
  })
  test.each(['"$in.in.nope"', '"$in.nope"'])('%s in a template fails', async (expr) => {
    await expect(transform(expr, inputs({ in: { x: 1 } }))).rejects.toThrow(TemplateError)
  })
  test('a template nested too deep fails', async () => {
    const deep = '['.repeat(5_000) + ']'.repeat(5_000)
    await expect(transform(deep, inputs({}))).rejects.toThrow(TemplateError)
  })
})

describe('a selector', () => {
  test.each([
    ['a reference, into JSON text too', '$in.in.verdict', 'pass'],
    ['an expression', '$in.score > 3 ? "high" : "low"', 'high'],
  ])('%s', async (_, text, expected) => {
    expect(await select(text, inputs({ in: '{"verdict": "pass"}', score: 5 }))).toBe(expected)
  })
  test('a reference that leads nowhere fails', async () => {
    await expect(select('$in.in.nope', inputs({ in: {} }))).rejects.toThrow(TemplateError)
  })
})
