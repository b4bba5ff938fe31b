import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { compilePattern, PatternError } from '#graph/pattern'

const ours = (source: string, flags: string, text: string) => {
  const match = compilePattern(source, flags).find(text)
  return match && [match.start, text.slice(match.start, match.end), ...match.groups]
}
const theirs = (source: string, flags: string, text: string) => {
  const match = new RegExp(source, flags).exec(text)
  return match && [match.index, ...match]
}

test.each([
  ['a', '', 'xxa'],
  ['^\\s*select\\b', 'i', '  SELECT name'],
  ['(a*)+', '', 'b'],
  ['(a|ab)(c|bcd)(d*)', '', 'abcd'],
  ['<.+?>', '', '<a><b>'],
  ['x{2,3}?', '', 'xxxx'],
  ['a{,2}', '', 'a{,2}'],
  ['[^\\]a-c-]+', '', 'abc-]xyz'],
  ['^b$', 'm', 'a\nb\nc'],
  ['\\Bb', '', 'b ab'],
  ['(?<year>\\d{4})-(?<month>\\d\\d)', '', 'on 2024-05-06'],
  ['[^]', '', '\n'],
  ['[]', '', 'a'],
  ['\\u00e9|\\x41|\\cJ', '', 'é'],
  ['É', 'i', 'é'],
  ['a.c', 's', 'a\nc'],
  ['', '', 'abc'],
  ['a||b', '', 'b'],
  ['{', '', '{'],
  [']', '', ']'],
  ['$^', '', ''],
])('/%s/%s finds in %j what JavaScript finds', (source, flags, text) => {
  expect(ours(source, flags, text)).toEqual(theirs(source, flags, text))
})

test.each([
  ['(z)((a+)?(b+)?(c))*', 'zaacbbbcac', [0, 'zaacbbbcac', 'z', 'ac', 'a', 'bbb', 'c']],
  ['.', '😀', [0, '😀']],
  ['.', '\r', [0, '\r']],
  ['\\s', '\u00a0', null],
])('/%s/ finds in %j what RE2 finds, where JavaScript is peculiar', (source, text, found) => {
  expect(ours(source, '', text)).toEqual(found as never)
})

describe('any pattern', () => {
  const unit = fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\w', '\\b', '^', '$', 'é', '\\n')
  const { pattern } = fc.letrec<{ pattern: string; piece: string }>((tie) => ({
    pattern: fc
      .array(fc.array(tie('piece'), { maxLength: 3 }), { minLength: 1, maxLength: 3 })
      .map((branches) => branches.map((pieces) => pieces.join('')).join('|')),
    piece: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      unit,
      fc
        .tuple(
          fc.oneof(
            fc.constantFrom('a', 'b', '.', '[ab]'),
            tie('pattern').map((inner) => `(${inner})`),
            tie('pattern').map((inner) => `(?:${inner})`),
          ),
          fc.constantFrom('', '*', '+', '?', '{2}', '{1,2}', '{0,}', '*?', '+?', '??'),
        )
        .map((parts) => parts.join('')),
    ),
  }))
  const text = fc
    .array(fc.constantFrom('a', 'b', 'é', '\n', ' '), { maxLength: 8 })
    .map((parts) => parts.join(''))

  test('finds what JavaScript finds', () => {
    fc.assert(
      fc.property(pattern, fc.constantFrom('', 'i', 'm', 's'), text, (source, flags, given) => {
        // Of repeated groups the two engines remember different rounds, and prefer different empty ones.
        fc.pre(!/\)[*+?{]/.test(source))
        expect(ours(source, flags, given)).toEqual(theirs(source, flags, given))
      }),
      { numRuns: 3_000 },
    )
  })
})

test.each([
  ['(a+)+$', 'a'.repeat(50_000)],
  ['^(a|a)*$', `${'a'.repeat(50_000)}b`],
  ['(x+x+)+y', 'x'.repeat(50_000)],
])('/%s/ does not backtrack', (source, text) => {
  compilePattern(source).find(text)
})

test('a search that could take more steps than are left is not begun', () => {
  expect(() => compilePattern('a{0,900}b').find('a'.repeat(1_000_000))).toThrow(PatternError)
})

test('many searches that each look to the end of the text come to their end', () => {
  const pattern = compilePattern('a(.*c)?')
  const text = 'a'.repeat(300_000)
  const startedAt = performance.now()
  expect(() => {
    for (let at = 0; at < text.length; at++) pattern.find(text, at)
  }).toThrow(PatternError)
  expect(performance.now() - startedAt).toBeLessThan(10_000)
})

test('a text of megabytes can be searched through', () => {
  const pattern = compilePattern('[\\w.]+@[\\w.]+\\.com')
  const text = 'some words, ann@example.com among them. '.repeat(50_000)
  let found = 0
  for (let at = 0, match = pattern.find(text); match; match = pattern.find(text, at)) {
    at = match.end
    found++
  }
  expect(found).toBe(50_000)
})

test.each([
  ['(', 'no regular expression'],
  ['(?=a)', 'look-ahead'],
  ['(?<!a)b', 'look-behind'],
  ['(a)\\1', 'a back-reference'],
  ['(a{1000}){1000}', 'too large a repetition'],
  ['a'.repeat(3_000), 'too long'],
])('%s is refused: %s', (source) => {
  expect(() => compilePattern(source)).toThrow(PatternError)
})
