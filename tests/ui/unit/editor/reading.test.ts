import { describe, expect, test } from 'bun:test'
import { json as jsonLanguage } from '@codemirror/lang-json'
import { ensureSyntaxTree } from '@codemirror/language'
import { EditorState } from '@codemirror/state'
import { contentHash } from '#graph/hash'
import { validate } from '#graph/validate'
import { connect } from '../../../../ui/canvas/edit/edges'
import { setConfig } from '../../../../ui/canvas/edit/nodes'
import { startNode } from '../../../../ui/canvas/edit/starters'
import { completions, marksIn, type Outputs, readingOf } from '../../../../ui/canvas/references'
import { plainText, sentenceOf } from '../../../../ui/canvas/sentence'
import { placeOf } from '../../../../ui/editor/code/pointer'
import { commandOf } from '../../../../ui/editor/shortcuts'
import { firstAgent } from '../../../../ui/editor/template'
import { modalityOf, runInput } from '../../../../ui/editor/test/input'
import { gateOf, restartAfter, restartAt } from '../../../../ui/editor/test/plan'
import { small } from './documents'

const MODEL = { logicalId: 'qwen3', modality: 'chat', binding: 'llamacpp' as const }
const NO_RUN: Outputs = new Map()
const reading = (outputs: Outputs = NO_RUN, document = small(), id = 'think') =>
  readingOf(document, document.nodes.find((node) => node.id === id)!, outputs)

describe('a node’s face', () => {
  const says = (type: Parameters<typeof startNode>[1], config?: Record<string, unknown>) => {
    const made = startNode(firstAgent([MODEL]), type, { x: 0, y: 0 }, [MODEL])
    const document = config ? setConfig(made.document, made.id, config) : made.document
    return plainText(sentenceOf(document.nodes.at(-1)!, document))
  }

  test('says what the node does, with its values, and calls what feeds it by its name', () => {
    const document = firstAgent([MODEL])
    const named = { ...document, nodes: document.nodes.with(0, { ...document.nodes[0]!, label: 'ticket' }) }
    expect(plainText(sentenceOf(named.nodes[1]!, named))).toBe('Ask qwen3 with ticket')
    expect(plainText(sentenceOf(named.nodes[2]!, named))).toBe('Gives Model')
  })

  test.each([
    ['llm', undefined, 'Ask qwen3 with in'],
    ['llm', { model: 'gone', messages: [] }, 'Ask [model “gone”] with [question]'],
    ['mcp_tool', undefined, 'Call [tool] of [server]'],
    ['rag', undefined, 'Look in [source] for in'],
    ['router', { select: '$in.in.kind' }, 'Choose out by in.kind'],
    ['output', undefined, 'Gives [input]'],
    ['ratelimit', undefined, 'At most 30 in a minute'],
    ['quota', undefined, 'At most 100000 tokens in a day'],
    ['guardrail', undefined, 'Let [input] pass if it has no personal data'],
    ['tool', undefined, 'Call http_fetch with url'],
  ] as const)('%s %j: %s', (type, config, sentence) => {
    expect(says(type, config)).toBe(sentence)
  })
})

describe('references', () => {
  const asked: Outputs = new Map([['ask', { out: { title: 'Broken', body: '{"lines": 3}' } }]])

  test('stand for the values of the last run, and are wrong where a run would fail', () => {
    const text = 'Is $in.in.title worth $$5, $in.in.body.lines, $in.in.none or $in.other?'
    expect(marksIn(text, 'inline', reading(asked)).map(({ value, problem }) => problem ?? value)).toEqual([
      'Broken',
      3,
      'Node "think": "$in.in.none" finds no field "none" in port "in". Fields there: "title", "body".',
      expect.stringContaining('names the in-port "other", which is not declared'),
    ])
  })

  test('without a run only what cannot be right is wrong', () => {
    const marks = marksIn('$in.in.any $input $in.nope', 'inline', reading())
    expect(marks.map(({ problem }) => problem !== null)).toEqual([false, true, true])
  })

  test('a field that a node never puts out is wrong before anything ran', () => {
    let { document, id } = startNode(
      setConfig(small(), 'fetch', { tool: 'http_fetch' }),
      'transform',
      { x: 0, y: 0 },
      [],
    )
    document = connect(document, { source: 'fetch', sourceHandle: 'out', target: id, targetHandle: 'in' })
    const [mark] = marksIn('$in.in.text', 'expression', reading(NO_RUN, document, id))
    expect(mark!.problem).toBe('There is no field “text”. Fields there: status, body, headers.')
  })

  test('whole values and JSON templates are read as a run reads them', () => {
    expect(marksIn('see $in.in.title', 'whole', reading(asked))).toEqual([])
    expect(marksIn('$in.in.title', 'whole', reading(asked))[0]!.value).toBe('Broken')
    const marks = marksIn('{"a": "$in.in.title", "b": "x $in"}', 'expression', reading(asked))
    expect(marks.map(({ from, value }) => [from, value])).toEqual([[7, 'Broken']])
  })

  test('are completed by ports, and by fields of schemas and of the last run', () => {
    const schema = { type: 'object', properties: { title: {}, due: { properties: { day: {} } } } }
    const document = setConfig(small(), 'ask', { schema })
    const labels = (path: string[], outputs = NO_RUN) =>
      completions(path, reading(outputs, document)).map(({ label }) => label)
    expect(labels([])).toContain('in')
    expect(labels(['in'])).toEqual(['title', 'due'])
    expect(labels(['in', 'due'])).toEqual(['day'])
    expect(labels(['in'], asked)).toEqual(['title', 'due', 'body'])
    expect(labels(['in', 'body'], asked)).toEqual(['lines'])
  })
})

describe('a test run', () => {
  const ready = firstAgent([MODEL])

  test('is refused with a way out: problems, nothing there, or nodes that need a durable run', () => {
    expect(gateOf(ready, validate(ready))).toBeNull()
    expect(gateOf(firstAgent([]), validate(firstAgent([])))).toMatch(/^One problem keeps/)
    expect(gateOf({ ...ready, nodes: [], edges: [] }, [])).toMatch(/nothing to run/)
    const { document } = startNode(ready, 'human', { x: 0, y: 0 }, [])
    expect(gateOf(document, [])).toMatch(/“Human” must outlive a restart/)
  })

  test('goes on from a node only while the graph is the one that ran', () => {
    const hash = contentHash(ready)
    expect(restartAt(ready, null, 'llm')).toEqual({ reason: expect.stringContaining('Run it once') })
    expect(restartAt(ready, hash, 'llm')).toEqual({ from: 'llm' })
    const moved = { ...ready, view: { nodes: {} } }
    expect(restartAt(moved, hash, 'llm')).toEqual({ from: 'llm' })
    const changed = setConfig(ready, 'llm', { ...ready.nodes[1]!.config, maxToolIterations: 2 })
    expect(restartAt(changed, hash, 'llm')).toEqual({ reason: expect.stringContaining('changed') })
  })

  test('keeps an output by beginning after it, where one node follows', () => {
    const hash = contentHash(ready)
    expect(restartAfter(ready, hash, 'input')).toEqual({ from: 'llm' })
    expect(restartAfter(ready, hash, 'output')).toEqual({
      reason: expect.stringContaining('Nothing comes after'),
    })
  })

  test.each([
    ['text', 'Hi', { value: 'Hi' }],
    ['json', '{"a": 1}', { value: { a: 1 } }],
    ['json', '{"a"', { missing: 'This is not JSON yet.' }],
    ['image', '', { missing: 'Choose a file first.' }],
  ] as const)('takes %s %j', (modality, text, given) => {
    expect(modalityOf(setConfig(ready, 'input', { modality }))).toBe(modality)
    expect(runInput(modality, { text, file: null })).toEqual(given)
  })
})

describe('keys', () => {
  const press = (key: string, more = {}) => ({
    key,
    ctrlKey: false,
    metaKey: false,
    shiftKey: false,
    altKey: false,
    ...more,
  })

  test.each([
    ['undo while typing', press('z', { ctrlKey: true }), true, 'undo'],
    ['redo', press('Z', { metaKey: true, shiftKey: true }), false, 'redo'],
    ['a letter while typing is a letter', press('a'), true, null],
    ['a letter on the canvas', press('a'), false, 'add'],
    ['copying while typing is of the text', press('c', { ctrlKey: true }), true, null],
    ['with Alt it is somebody else’s', press('z', { ctrlKey: true, altKey: true }), false, null],
    ['help', press('?', { shiftKey: true }), false, 'help'],
    ['removing while typing is of the text', press('Backspace'), true, null],
  ] as const)('%s', (_, event, typing, command) => {
    expect(commandOf(event, typing)).toBe(command)
  })
})

test.each([
  ['/nodes/1/config/model', '"m"'],
  ['/nodes/1', '{'],
  ['/a~1b', '7'],
  ['/nodes/1/config/none', '{"model": "m"}'],
  ['', '{'],
])('the place of %j in a JSON text', (pointer, found) => {
  const doc = '{\n  "a/b": 7,\n  "nodes": [\n    1,\n    {\n      "config": {"model": "m"}\n    }\n  ]\n}'
  const state = EditorState.create({ doc, extensions: [jsonLanguage()] })
  ensureSyntaxTree(state, doc.length, 1_000)
  const { from, to } = placeOf(state, pointer)
  expect(doc.slice(from, to)).toBe(found)
})
