import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { type Split, thinkSplitter } from '#graph/think'

function split(pieces: string[]): Split {
  const splitter = thinkSplitter()
  const total = { text: '', reasoning: '' }
  for (const { text, reasoning } of [...pieces.map(splitter.push), splitter.flush()]) {
    total.text += text
    total.reasoning += reasoning
  }
  return total
}

/** The rules once more, over the whole answer at once. */
function rules(answer: string): Split {
  const [, blank, block, rest] = /^(\s*)<think>([\s\S]*?)(?:<\/think>([\s\S]*))?$/.exec(answer) ?? []
  if (block === undefined) return { text: answer, reasoning: '' }
  return { text: blank! + (rest ?? ''), reasoning: block }
}

test.each([
  ['an answer without thinking', 'Hello.', { text: 'Hello.', reasoning: '' }],
  ['thinking, then the answer', '<think>Hm.</think>Hello.', { text: 'Hello.', reasoning: 'Hm.' }],
  ['white space before the block', '\n <think>Hm.</think>Hi', { text: '\n Hi', reasoning: 'Hm.' }],
  ['a block that is never closed', '<think>Hm, well', { text: '', reasoning: 'Hm, well' }],
  ['an unclosed block that ends in half a tag', '<think>Hm</thi', { text: '', reasoning: 'Hm</thi' }],
  ['a tag that never comes', '  <thin', { text: '  <thin', reasoning: '' }],
  ['a tag that turns out to be another', '<thing>', { text: '<thing>', reasoning: '' }],
  ['a second block', '<think>a</think>b<think>c</think>', { text: 'b<think>c</think>', reasoning: 'a' }],
  ['a block after the answer began', 'a<think>b</think>', { text: 'a<think>b</think>', reasoning: '' }],
  ['a stray closing tag', '</think>Hello', { text: '</think>Hello', reasoning: '' }],
  ['an opening tag inside the block', '<think>a<think>b</think>c', { text: 'c', reasoning: 'a<think>b' }],
  ['an empty block', '<think></think>Hello', { text: 'Hello', reasoning: '' }],
  ['a near miss of the closing tag', '<think>a<</think>b', { text: 'b', reasoning: 'a<' }],
])('%s', (_, answer, expected) => {
  expect(rules(answer)).toEqual(expected)
  for (let cut = 0; cut <= answer.length; cut++) {
    expect(split([answer.slice(0, cut), answer.slice(cut)])).toEqual(expected)
  }
  expect(split([...answer])).toEqual(expected)
})

describe('wherever the pieces are cut', () => {
  const words = fc.constantFrom(
    '<think>',
    '</think>',
    '<',
    '</',
    'think>',
    ' ',
    '\n',
    'a',
    '🙂',
    '<thin',
    '</thi',
  )
  const answers = fc.array(words, { maxLength: 12 }).map((parts) => parts.join(''))

  test('the answer and the thinking are the same', () => {
    fc.assert(
      fc.property(answers, fc.array(fc.nat(60), { maxLength: 10 }), (answer, cuts) => {
        const at = [0, ...cuts.filter((cut) => cut < answer.length).sort((a, b) => a - b), answer.length]
        const pieces = at.slice(1).map((end, index) => answer.slice(at[index], end))
        expect(split(pieces)).toEqual(rules(answer))
      }),
      { numRuns: 2_000 },
    )
  })

  test('nothing is held back but what may be the start of a tag', () => {
    fc.assert(
      fc.property(answers, (answer) => {
        const splitter = thinkSplitter()
        const { text, reasoning } = splitter.push(answer)
        const { text: late, reasoning: lateReasoning } = splitter.flush()
        expect((late + lateReasoning).length).toBeLessThan('</think>'.length)
        expect(text.length + reasoning.length).toBeGreaterThanOrEqual(
          answer.length - '<think></think>'.length - 7,
        )
      }),
    )
  })
})
