import { describe, expect, test } from 'bun:test'
import { outputParser } from '#engines/answer-text/output'
import type { Piece } from '#engines/answer-text/pieces'
import { stopTexts } from '#engines/host/llama/stops'

const tools = new Set(['get_weather', 'add'])
const none = new Set<string>()

/** What a text means that comes in pieces of so many characters; pieces of one kind that follow one another are joined. */
function meaning(text: string, size: number, options: Partial<Parameters<typeof outputParser>[0]> = {}) {
  const parser = outputParser({ thinking: false, tools, forced: false, ...options })
  const pieces: Piece[] = []
  for (let at = 0; at < text.length; at += size) pieces.push(...parser.push(text.slice(at, at + size)))
  pieces.push(...parser.end())
  const joined: Piece[] = []
  for (const piece of pieces) {
    const last = joined.at(-1)
    if (piece.kind === 'arguments') (last as Extract<Piece, { kind: 'call' }>).arguments += piece.text
    else if (piece.kind !== 'call' && last && last.kind === piece.kind) last.text += piece.text
    else joined.push({ ...piece })
  }
  return joined
}

const said = (text: string): Piece => ({ kind: 'content', text })
const thought = (text: string): Piece => ({ kind: 'reasoning', text })
const call = (name: string, json: string): Piece => ({ kind: 'call', name, arguments: json })

describe.each([1, 3, 1000])('in pieces of %d', (size) => {
  test.each<[string, string, Piece[]]>([
    ['plain text', ' Hello, \n\nyou. ', [said(' Hello, \n\nyou. ')]],
    ['a thought first', '\n<think>\nWell.\nYes. </think>\n\nHi.', [thought('Well.\nYes.'), said('Hi.')]],
    ['a thought later is text', 'Hi <think>no</think>', [said('Hi <think>no</think>')]],
    ['a thought that does not end', '<think>Well, ', [thought('Well,')]],
    ['less than', 'a <b and </tool_cal', [said('a <b and </tool_cal')]],
    ['a call', '<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>', [call('add', '{"a":1}')]],
    [
      'text, then two calls',
      'Wait.\n<tool_call>{"name":"add","arguments":{}}</tool_call>\n<tool_call>{"name":"get_weather"}</tool_call>\n',
      [said('Wait.'), call('add', '{}'), call('get_weather', '{}')],
    ],
    [
      'a thought, then a call',
      '<think>x</think>\n<tool_call>{"name":"add","arguments":{}}</tool_call>',
      [thought('x'), call('add', '{}')],
    ],
    ['a call without its end', '<tool_call>{"name":"add","arguments":{}}', [call('add', '{}')]],
    ['a call that is cut', '<tool_call>{"name":"ad', [said('<tool_call>{"name":"ad')]],
    ['arguments that are cut', '<tool_call>{"name":"add","arguments":{"a": "x', [call('add', '{"a":"x')]],
    [
      'arguments in many lines',
      '<tool_call>\n{\n  "name": "add",\n  "arguments": {\n    "a": [1, "b  c\\" }"]\n  }\n}\n</tool_call> ok',
      [call('add', '{"a":[1,"b  c\\" }"]}'), said('ok')],
    ],
    [
      'arguments before the name',
      '<tool_call>{"arguments": {"a": 1}, "name": "add"}</tool_call>',
      [call('add', '{"a":1}')],
    ],
    [
      "text after Llama's call",
      '{"name": "add", "parameters": {}} Done.',
      [call('add', '{}'), said('Done.')],
    ],
    ['a call that is none', '<tool_call>no</tool_call> ok', [said('<tool_call>no</tool_call>ok')]],
    ["Llama's call", '{"name": "add", "parameters": {"a": 1}}', [call('add', '{"a":1}')]],
    ["Llama's call with its mark", '<|python_tag|>{"name": "add", "parameters": {}}', [call('add', '{}')]],
    [
      'several of them',
      '{"name": "add", "parameters": {}}; {"name": "get_weather", "parameters": {}}',
      [call('add', '{}'), call('get_weather', '{}')],
    ],
    ['JSON that names no tool', '{"name": "Ada", "age": 36}', [said('{"name": "Ada", "age": 36}')]],
    ['other JSON', '{"temperature": 7, "unit": "C"}', [said('{"temperature": 7, "unit": "C"}')]],
    ['arguments as text', '{"name": "add", "arguments": "{\\"a\\":1}"}', [call('add', '{"a":1}')]],
  ])('%s', (_what, text, expected) => {
    expect(meaning(text, size)).toEqual(expected)
  })

  test('without tools, a call is text', () => {
    const text = '<tool_call>{"name": "add"}</tool_call>'
    expect(meaning(text, size, { tools: none })).toEqual([said(text)])
    expect(meaning('{"name": "add"}', size, { tools: none })).toEqual([said('{"name": "add"}')])
  })

  test('a template that begins the thought', () => {
    expect(meaning('\nWell.\n</think>\n\nHi.', size, { thinking: true })).toEqual([
      thought('Well.'),
      said('Hi.'),
    ])
  })

  test('a call that a grammar made', () => {
    expect(meaning('\n{"name":"add","arguments":{"a":"x"}}\n', size, { forced: true })).toEqual([
      call('add', '{"a":"x"}'),
    ])
  })

  test('nothing of a stop text is said, nor what comes after it', () => {
    const cut = (text: string, ...stops: string[]) => {
      const stopping = stopTexts(stops)
      let out = ''
      for (let at = 0; at < text.length; at += size) {
        const { text: ready, stopped } = stopping.push(text.slice(at, at + size))
        out += ready
        if (stopped) break
      }
      return out + stopping.end()
    }
    expect(cut('one STOP two', 'STOP')).toBe('one ')
    expect(cut('one STO two', 'STOP')).toBe('one STO two')
    expect(cut('aab', 'ab')).toBe('a')
    expect(cut('one two', 'two', 'e t')).toBe('on')
    expect(cut('one ST', 'STOP')).toBe('one ST')
    expect(cut('all of it')).toBe('all of it')
  })
})
