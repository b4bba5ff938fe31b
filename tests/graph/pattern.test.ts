import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { compilePattern, PatternError, stepBudget } from '#graph/pattern'

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
  ['(a*)*', '', 'b'],
  ['(a*)+', '', 'b'],
  ['(?:|a)*', '', 'aaa'],
  ['(a|ab)(c|bcd)(d*)', '', 'abcd'],
  ['(z)((a+)?(b+)?(c))*', '', 'zaacbbbcac'],
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
  ['.', '', '😀'],
  ['a.c', 's', 'a\nc'],
  ['', '', 'abc'],
  ['a||b', '', 'b'],
  ['{', '', '{'],
  [']', '', ']'],
  ['$^', '', ''],
])('/%s/%s finds in %j what JavaScript finds', (source, flags, text) => {
  expect(ours(source, flags, text)).toEqual(theirs(source, flags, text))
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
        // Nested deeper, repetitions of what may be empty can prefer another match.
        fc.pre((source.match(/\)[*+?{]/g) ?? []).length <= 2)
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
  compilePattern(source, '', stepBudget(text.length * 20)).find(text)
})

test('a search that takes too many steps is ended', () => {
  expect(() => compilePattern('a{0,900}b', '', stepBudget(10_000)).find('a'.repeat(5_000))).toThrow(
    PatternError,
  )
})

test.each([
  ['(', 'no regular expression'],
  ['(?=a)', 'look-ahead'],
  ['(?<!a)b', 'look-behind'],
  ['(a)\\1', 'a back-reference'],
  ['(?i:a)', 'inline flags'],
  ['(a{1000}){1000}', 'too large a repetition'],
  ['a'.repeat(3_000), 'too long'],
])('%s is refused: %s', (source) => {
  expect(() => compilePattern(source)).toThrow(PatternError)
})
