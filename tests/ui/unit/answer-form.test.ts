import { describe, expect, test } from 'bun:test'
import { type Entry, initialEntries, readAnswer } from '../../../ui/waiting/answers'
import { namedFields, refusalOf } from '../../../ui/waiting/refusal'
import { remaining } from '../../../ui/waiting/remaining'
import { fieldsOf } from '../../../ui/waiting/schema-fields'

const object = (properties: Record<string, unknown>, required: string[] = []) =>
  fieldsOf({ type: 'object', properties, required })!

const controlOf = (schema: Record<string, unknown>) => object({ it: schema })[0]!.control

const sent = (properties: Record<string, unknown>, entries: Entry[], required: string[] = []) =>
  readAnswer(object(properties, required), entries)

describe('the form of a schema', () => {
  test.each([
    ['a text', { type: 'string' }, { kind: 'text', type: 'text' }],
    ['a date', { type: 'string', format: 'date' }, { kind: 'text', type: 'date' }],
    ['a long text', { type: 'string', maxLength: 2000 }, { kind: 'long' }],
    ['a short text', { type: 'string', maxLength: 40 }, { kind: 'text', type: 'text' }],
    ['a text of lines', { type: 'string', format: 'textarea' }, { kind: 'long' }],
    ['a number', { type: 'number' }, { kind: 'number', integer: false }],
    ['a whole number', { type: 'integer' }, { kind: 'number', integer: true }],
    ['yes or no', { type: 'boolean' }, { kind: 'switch' }],
    ['a type that may be null', { type: ['null', 'boolean'] }, { kind: 'switch' }],
    ['a list of texts', { type: 'array', items: { type: 'string' } }, { kind: 'lines' }],
    ['a list of anything', { type: 'array' }, { kind: 'json' }],
    ['an object inside', { type: 'object', properties: { a: { type: 'string' } } }, { kind: 'json' }],
    ['nothing said', {}, { kind: 'text', type: 'text' }],
    [
      'given values',
      { enum: ['go_on', 2] },
      {
        kind: 'choice',
        options: [
          { value: 'go_on', label: 'Go on' },
          { value: 2, label: '2' },
        ],
      },
    ],
    [
      'titled constants',
      { oneOf: [{ const: 'a', title: 'The first' }] },
      { kind: 'choice', options: [{ value: 'a', label: 'The first' }] },
    ],
    [
      'several of given values',
      { type: 'array', items: { enum: ['x'] } },
      { kind: 'several', options: [{ value: 'x', label: 'X' }] },
    ],
  ])('%s', (_name, schema, control) => {
    expect(controlOf(schema)).toMatchObject(control)
  })

  test('titles and descriptions are its labels and hints; a name without a title is read as words', () => {
    const fields = object({ amountEur: { type: 'number' }, b: { title: 'Why', description: 'In short.' } })
    expect(fields.map(({ label, hint }) => [label, hint])).toEqual([
      ['Amount eur', null],
      ['Why', 'In short.'],
    ])
  })

  test('what is required has a field, described or not', () => {
    const fields = object({ a: { type: 'string' } }, ['a', 'b'])
    expect(fields.map(({ key, required }) => [key, required])).toEqual([
      ['a', true],
      ['b', true],
    ])
  })

  test('a schema that is no object asks for one value; none at all leaves it open', () => {
    expect(fieldsOf({ type: 'integer', title: 'How many' })).toMatchObject([
      { key: null, label: 'How many', control: { kind: 'number' } },
    ])
    expect(fieldsOf(null)).toBeNull()
    expect(fieldsOf({})).toBeNull()
    expect(fieldsOf({ type: 'object' })).toMatchObject([{ key: null, control: { kind: 'json' } }])
  })
})

describe('the answer of a form', () => {
  test('every kind of value arrives as what it is', () => {
    const properties = {
      text: { type: 'string' },
      count: { type: 'integer' },
      ratio: { type: 'number' },
      sure: { type: 'boolean' },
      one: { enum: ['a', 'b'] },
      some: { type: 'array', items: { enum: ['x', 'y', 'z'] } },
      names: { type: 'array', items: { type: 'string' } },
      more: { type: 'object' },
    }
    expect(sent(properties, ['hi ', '3', '0.5', true, [1], [2, 0], ' Ada \n\nAlan', '{"k": [1]}'])).toEqual({
      ok: true,
      answer: {
        text: 'hi ',
        count: 3,
        ratio: 0.5,
        sure: true,
        one: 'b',
        some: ['x', 'z'],
        names: ['Ada', 'Alan'],
        more: { k: [1] },
      },
    })
  })

  test('what is left blank is left out', () => {
    const properties = { text: { type: 'string' }, one: { enum: ['a'] }, n: { type: 'number' } }
    expect(sent(properties, ['', [], ' '])).toEqual({ ok: true, answer: {} })
  })

  test.each([
    ['required and blank', { type: 'string' }, '  ', 'This is needed.'],
    ['required and not chosen', { enum: ['a'] }, [], 'Choose one.'],
    ['no number', { type: 'number' }, 'twelve', 'This is not a number.'],
    ['no whole number', { type: 'integer' }, '1.5', 'This must be a whole number.'],
    ['too little', { type: 'number', minimum: 1 }, '0', 'The least is 1.'],
    ['too much', { type: 'number', maximum: 9 }, '10', 'The most is 9.'],
    ['too short', { type: 'string', minLength: 3 }, 'ab', 'At least 3 characters.'],
    ['too long', { type: 'string', maxLength: 1 }, 'ab', 'At most 1 characters.'],
  ] as const)('%s is said at its field', (_name, schema, entry, problem) => {
    const read = sent({ it: schema, other: { type: 'string' } }, [entry as Entry, ''], ['it'])
    expect(read).toEqual({ ok: false, problems: [problem, null] })
  })

  test('JSON that is none is said at its field', () => {
    const read = sent({ it: { type: 'object' } }, ['{'])
    expect(read.ok).toBe(false)
    expect(!read.ok && read.problems[0]).toStartWith('This is no JSON')
  })

  test('defaults are there from the beginning, and go out as they are', () => {
    const properties = {
      text: { type: 'string', default: 'hi' },
      sure: { type: 'boolean', default: true },
      one: { enum: ['a', 'b'], default: 'b' },
      some: { type: 'array', items: { enum: ['x', 'y'] }, default: ['y'] },
      names: { type: 'array', items: { type: 'string' }, default: ['Ada'] },
      n: { type: 'number', default: 2 },
      more: { type: 'object', default: { k: 1 } },
      unfit: { type: 'number', default: 'many' },
    }
    const fields = object(properties)
    expect(readAnswer(fields, initialEntries(fields))).toEqual({
      ok: true,
      answer: { text: 'hi', sure: true, one: 'b', some: ['y'], names: ['Ada'], n: 2, more: { k: 1 } },
    })
  })

  test('one value alone is the whole answer', () => {
    expect(readAnswer(fieldsOf({ type: 'integer' })!, ['7'])).toEqual({ ok: true, answer: 7 })
  })
})

describe('a refused answer', () => {
  test('names the fields that the server names', () => {
    const error = { code: 'resume_schema_mismatch', message: 'The answer lacks "b".' }
    expect(namedFields(error, object({ a: {}, b: {} }))).toEqual([null, 'This is needed.'])
  })

  test('that came too late is no failure', () => {
    expect(refusalOf({ code: 'run_not_waiting' }).kind).toBe('moved')
    expect(refusalOf({ code: 'workflow_gone' }).kind).toBe('gone')
  })
})

describe('how long there is until a deadline', () => {
  const HOUR = 3_600_000
  test.each([
    [3 * HOUR + 59_000, 'in 3 hours'],
    [47 * HOUR, 'in 47 hours'],
    [48 * HOUR, 'in 2 days'],
    [30 * 24 * HOUR, 'in 30 days'],
    [90 * 60_000, 'in 90 minutes'],
    [61_000, 'in a minute'],
    [59_000, 'in less than a minute'],
    [0, 'now'],
  ])('%d ms are "%s"', (left, words) => {
    expect(remaining(1_000 + left, 1_000)).toBe(words)
  })
})
