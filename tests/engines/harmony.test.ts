import { describe, expect, test } from 'bun:test'
import { answerParser } from '#engines/answer-text/parser'
import type { Piece } from '#engines/answer-text/pieces'

const tools = new Set(['add'])

/** What a text means that comes in pieces of so many characters; parts of one kind that follow one another are one. */
function meaning(text: string, size: number, offered: ReadonlySet<string>): string[] {
  const parser = answerParser({ tools: offered })
  const pieces: Piece[] = []
  for (let at = 0; at < text.length; at += size) pieces.push(...parser.push(text.slice(at, at + size)))
  pieces.push(...parser.end())
  const parts: string[] = []
  let kind = ''
  for (const piece of pieces) {
    if (piece.kind === 'arguments') {
      parts.push(parts.pop()! + piece.text)
      continue
    }
    const said = piece.kind === 'call' ? `${piece.name} ${piece.arguments}` : piece.text
    if (piece.kind === kind && kind !== 'call') parts.push(parts.pop()! + said)
    else parts.push(`${piece.kind}: ${said}`)
    kind = piece.kind
  }
  return parts
}

const message = (channel: string, text: string, end = '<|end|>') =>
  `<|start|>assistant<|channel|>${channel}<|message|>${text}${end}`

describe.each([1, 4, 1000])('channels in pieces of %d', (size) => {
  test.each<[what: string, text: string, parts: string[]]>([
    [
      'a thought, then the answer',
      `<|channel|>analysis<|message|>Well.<|end|>${message('final', 'Hi.', '<|return|>')}`,
      ['reasoning: Well.', 'content: Hi.'],
    ],
    ['two thoughts', message('analysis', 'One.') + message('analysis', 'Two.'), ['reasoning: One.\n\nTwo.']],
    [
      'a word for the reader, then a call',
      message('commentary', 'I add.') +
        message('commentary to=functions.add <|constrain|>json', '{"a":1}', ''),
      ['content: I add.', 'call: add {"a":1}'],
    ],
    [
      'a recipient before the channel',
      '<|start|>assistant to=functions.add<|channel|>commentary<|message|>{}<|call|>',
      ['call: add {}'],
    ],
    ['a call of nothing', message('commentary to=functions.add', ''), ['call: add {}']],
    [
      'two calls',
      message('commentary to=functions.add', '1') + message('commentary to=add', '2'),
      ['call: add 1', 'call: add 2'],
    ],
    ['a call that is cut', message('commentary to=functions.add', '{"a":', ''), ['call: add {"a":']],
    ['arguments that are cut', message('commentary to=functions.add', '"a', ''), ['content: "a']],
    [
      'arguments in many lines',
      message('commentary to=functions.add', ' {\n  "a": [1, "b c\\" }"]\n}\n'),
      ['call: add {"a":[1,"b c\\" }"]}'],
    ],
    [
      'a message without its end',
      '<|channel|>final<|message|>Hi<|channel|>analysis<|message|>Hm',
      ['content: Hi', 'reasoning: Hm'],
    ],
    ['what looks like a mark', '<|channel|>final<|message|>a <|b|> <|en', ['content: a <|b|> <|en']],
    ['a header that is cut', `${message('final', 'Hi.')}<|start|>assis`, ['content: Hi.']],
    ['text after the last message', `${message('final', 'Hi.')} bye`, ['content: Hi.\n\nbye']],
    ['text that only begins like one', '<|cha', ['content: <|cha']],
    ['no channels at all', 'Hi <|channel|> there', ['content: Hi <|channel|> there']],
  ])('%s', (_what, text, parts) => {
    expect(meaning(text, size, tools)).toEqual(parts)
  })

  test('a call where no tools are on offer is text', () => {
    const text = message('commentary to=functions.add', '{"a":1}')
    expect(meaning(text, size, new Set())).toEqual(['content: {"a":1}'])
  })
})
