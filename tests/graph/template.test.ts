import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  isReference,
  renderInline,
  resolveArgs,
  resolveTemplate,
  resolveValue,
  slotsOf,
  TemplateError,
} from '#graph/template'
import { inputs, json } from './support'

const given = inputs(
  {
    in: { name: 'Ada', age: 36, tags: ['x'], none: null, deep: { 'a b': 1, text: '{"n": {"m": 7}}' }, '': 1 },
    json: '{"verdict": "pass", "items": [1], "text": "{\\"x\\": 2}"}',
    text: 'hello',
    list: [1, 2],
    number: 5,
    nil: null,
  },
  ['in', 'json', 'text', 'list', 'number', 'nil', 'unfed'],
)

describe('within a text', () => {
  test.each([
    ['text is put in as it is', 'Hi $in.text!', 'Hi hello!'],
    ['a field', 'Hi $in.in.name.', 'Hi Ada.'],
    ['a number', '$in.in.age', '36'],
    ['an object, as compact JSON', '$in.in.deep', '{"a b":1,"text":"{\\"n\\": {\\"m\\": 7}}"}'],
    ['a list, as compact JSON', '$in.list', '[1,2]'],
    ['null, as nothing', '[$in.in.none]', '[]'],
    ['a port that was not fed, as nothing', '[$in.unfed]', '[]'],
    ['a field of a port that was not fed', '[$in.unfed.a.b]', '[]'],
    ['a field of null', '[$in.nil.a]', '[]'],
    ['a field of a field that is null', '[$in.in.none.a]', '[]'],
    ['a field of JSON text', '$in.json.verdict', 'pass'],
    ['JSON text within JSON text', '$in.json.text.x', '2'],
    ['JSON text within an object', '$in.in.deep.text.n.m', '7'],
    ['a dollar sign', 'costs $$5, $$in, $$$in.text', 'costs $5, $in, $hello'],
    ['a dollar sign before no name', 'costs $5 or $ or $.x or $-', 'costs $5 or $ or $.x or $-'],
    ['a dot that no segment follows', '$in.text. $in.text.', 'hello. hello.'],
    ['a hyphen ends a segment', '$in.text-x', 'hello-x'],
    ['two dots', '$in.text..x', 'hello..x'],
    ['no token', 'plain', 'plain'],
  ])('%s', (_, template, expected) => {
    expect(renderInline(template, given)).toBe(expected)
  })

  test('$in alone is the port named in', () => {
    expect(renderInline('<$in>', inputs({ in: 'x' }))).toBe('<x>')
  })
})

test.each([
  ['$input', '"$input" is no reference'],
  ['$foo.bar', '"$foo.bar" is no reference'],
  ['$inn', '"$inn" is no reference'],
  ['$in.nope', 'names the in-port "nope", which is not declared. In-ports: "in", "json"'],
  ['$in.name', 'To read a field of port "in", write $in.in.name.'],
  ['$in.in.nope', 'finds no field "nope" in port "in". Fields there: "name", "age"'],
  ['$in.in.deep.nope', 'finds no field "nope"'],
  ['$in.text.x', 'reads the field "x" of text that is not a JSON object'],
  ['$in.list.0', 'reads the field "0" of a list'],
  ['$in.json.items.0', 'reads the field "0" of a list'],
  ['$in.number.x', 'reads the field "x" of a number'],
  ['$in.in.constructor', 'finds no field "constructor"'],
  ['$in.in.__proto__', 'finds no field "__proto__"'],
  ['$in.in.name.length', 'reads the field "length" of text'],
])('%s is an error that names the node, the token and what there is', (template, message) => {
  const render = () => renderInline(`x ${template} y`, given)
  expect(render).toThrow(TemplateError)
  expect(render).toThrow('Node "n"')
  expect(render).toThrow(message)
})

test('$in alone needs a port named in', () => {
  expect(() => renderInline('$in', inputs({ other: 1 }))).toThrow(
    'needs an in-port named "in". In-ports: "other".',
  )
})

describe('tool arguments', () => {
  test('a whole reference keeps its type; anything else is literal', () => {
    const args = {
      name: '$in.in.name',
      tags: '$in.in.tags',
      unfed: '$in.unfed',
      text: 'Hi $in.in.name',
      dollar: '$5',
      other: '$input',
      nested: { name: '$in.in.name' },
      list: ['$in.in.name'],
      number: 1,
    }
    expect(resolveArgs(args, given)).toEqual({ ...args, name: 'Ada', tags: ['x'], unfed: null })
  })
  test('a key named __proto__ is an argument', () => {
    const args = JSON.parse('{"__proto__": "$in.text"}')
    expect(Object.entries(resolveArgs(args, given))).toEqual([['__proto__', 'hello']])
  })
  test('what begins like a reference must be one', () => {
    expect(() => resolveArgs({ a: '$in.' }, given)).toThrow(TemplateError)
    expect(() => resolveArgs({ a: '$in.in.no-such' }, given)).toThrow('finds no field "no-such"')
  })
  test('a single value is read the same way', () => {
    expect(resolveValue('$in.in.age', given)).toBe(36)
    expect(resolveValue('user-1', given)).toBe('user-1')
  })
})

describe('a JSON template', () => {
  test('whole references are replaced at any depth, all else is literal', () => {
    const template = {
      a: ['$in.in.age', { b: '$in.unfed' }],
      c: 'age: $in.in.age',
      d: '$in.x-y',
      e: '$$',
      f: null,
    }
    expect(resolveTemplate(template, given)).toEqual({ ...template, a: [36, { b: null }] })
  })
  test('JSON without references is itself', () => {
    fc.assert(
      fc.property(json(3), (value) => {
        fc.pre(!JSON.stringify(value).includes('"$in'))
        expect(resolveTemplate(value, given)).toEqual(value)
      }),
    )
  })
})

test.each([
  ['$in', true],
  ['$in.a', true],
  ['$in.a_1.B', true],
  ['$in.', false],
  ['$in.a.', false],
  ['$in.a b', false],
  [' $in', false],
  ['$input', false],
  ['$$in', false],
])('%j as a whole reference: %p', (text, expected) => {
  expect(isReference(text)).toBe(expected)
})

test('slots are the first segments in a text and of whole references in a body', () => {
  const { slots, bare } = slotsOf('/v1/$in.city?q=$in.q.x&$$in.no', {
    a: ['$in.body', 'not $in.this'],
    b: '$in.q',
  })
  expect([...slots].sort()).toEqual(['body', 'city', 'q'])
  expect(bare).toBe(false)
  expect(slotsOf(null, { all: '$in' }).bare).toBe(true)
  expect(slotsOf('/x?$in', null).bare).toBe(true)
})

describe('large templates', () => {
  test('a million characters are rendered', () => {
    expect(renderInline('x $in.text '.repeat(100_000), given)).toHaveLength(800_000)
  })
  test('a short template cannot make endless text', () => {
    const big = inputs({ in: 'x'.repeat(1_000_000) })
    expect(() => renderInline('$in'.repeat(100), big)).toThrow('longer than 16000000 characters')
  })
  test('JSON text is parsed once, however often it is drilled into', () => {
    const big = inputs({ in: JSON.stringify({ a: 1, filler: Array(200_000).fill(1.5) }) })
    const startedAt = process.cpuUsage().user
    expect(renderInline('$in.in.a'.repeat(5_000), big)).toHaveLength(5_000)
    expect((process.cpuUsage().user - startedAt) / 1000).toBeLessThan(1_000)
  })
})

test('any text either renders or fails with a TemplateError', () => {
  const piece = fc.oneof(
    fc.constantFrom('$', '$in', '.', 'in', 'json', 'a', '$$', '-', ' '),
    fc.string({ maxLength: 3 }),
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 10 }), json(3), (pieces, value) => {
      try {
        expect(typeof renderInline(pieces.join(''), inputs({ in: value, json: JSON.stringify(value) }))).toBe(
          'string',
        )
      } catch (error) {
        expect(error).toBeInstanceOf(TemplateError)
      }
    }),
    { numRuns: 2_000 },
  )
})
