import { describe, expect, test } from 'bun:test'
import { durationMs, explain } from '../../../ui/runs/describe'
import { hasHole, mergeRuns } from '../../../ui/runs/pages'
import { gateOf, isLong, shown } from '../../../ui/trace/payload'

const run = (id: string, status = 'completed') => ({ id, status })

describe('the loaded history', () => {
  test('takes new runs at its top and new states in their place', () => {
    const pages = [[run('c', 'streaming'), run('b')], [run('a', 'waiting')]]
    expect(mergeRuns(pages, [run('d'), run('c')], [run('a')])).toEqual([
      run('d'),
      run('c'),
      run('b'),
      run('a'),
    ])
  })

  test('has a hole when a whole page of new runs came in between', () => {
    expect(hasHole([run('a')], [run('d'), run('c')], 2)).toBe(true)
    expect(hasHole([run('c')], [run('d'), run('c')], 2)).toBe(false)
    expect(hasHole([run('a')], [run('b')], 2)).toBe(false)
    expect(hasHole([], [run('d'), run('c')], 2)).toBe(false)
  })
})

describe('how a run ended', () => {
  const told = (status: string, error: string | null, output: string | null = 'text') =>
    explain({ status, error, output })

  test('needs no words when there is an answer', () => {
    expect(told('completed', null)).toBeNull()
    expect(told('streaming', null, null)).toBeNull()
  })

  test.each([
    ['failed', 'cancelled', 'note', 'Stopped'],
    ['failed', 'interrupted: client disconnected mid-stream', 'error', 'Interrupted'],
    ['failed', 'The provider answered 500: broken', 'error', 'The run failed'],
    ['failed', null, 'error', 'The run failed'],
    ['completed', 'node llm hit its token limit, raise maxTokens', 'note', 'Completed without an answer'],
  ] as const)('%s with “%s” is a %s: %s', (status, error, kind, title) => {
    expect(told(status, error, '')).toMatchObject({ kind, title })
  })

  test('says what to do where something can be done', () => {
    expect(told('failed', 'interrupted: client disconnected mid-stream')!.help).toContain('ten seconds')
    expect(told('completed', 'token limit', '')!.help).toContain('maxTokens')
  })
})

test('a run that goes on has taken as long as it has', () => {
  const created_at = '2026-01-01T00:00:00.000Z'
  const start = Date.parse(created_at)
  expect(durationMs({ created_at, completed_at: null }, start + 1500)).toBe(1500)
  expect(durationMs({ created_at, completed_at: '2026-01-01T00:00:02.000Z' }, start + 9000)).toBe(2000)
  expect(durationMs({ created_at, completed_at: null }, start - 50)).toBe(0)
})

describe('recorded values', () => {
  test('text stays text, anything else is JSON', () => {
    expect(shown('a "b"').text).toBe('a "b"')
    expect(shown({ a: [1] }).text).toBe('{\n  "a": [\n    1\n  ]\n}')
    expect(shown(null).text).toBe('null')
  })

  test('a value over the limit shows its beginning and its true size', () => {
    const { text, cut } = shown({ _truncated: true, _bytes: 1234567, _preview: 'Once upon' })
    expect(text).toBe('Once upon')
    expect(cut).toContain('1,234,567 bytes')
  })

  test('a picture is a picture, and nothing else is', () => {
    expect(shown('data:image/png;base64,AAAA').image).not.toBeNull()
    expect(shown('data:image/svg+xml;base64,AAAA').image).toBeNull()
    expect(shown('see data:image/png;base64,AAAA').image).toBeNull()
    const image = 'data:image/png;base64,AAAA'
    expect(shown({ text: 'What is this?', image })).toMatchObject({ text: 'What is this?', image })
    expect(shown({ text: 'What is this?', image, more: 1 })).toMatchObject({ image: null, isJson: true })
  })

  test('many lines are as long as many characters', () => {
    expect(isLong('x\n'.repeat(30))).toBe(true)
    expect(isLong('x'.repeat(2000))).toBe(true)
    expect(isLong('x\n'.repeat(10))).toBe(false)
  })

  test.each([
    ['metadata', 'sizes only', 'Only sizes were recorded'],
    ['off', 'capture disabled', 'Nothing was recorded'],
    ['full', 'no access', 'no access'],
  ])('what is gated at level %s says why', (capture_level, reason, words) => {
    expect(gateOf({ capture_level, reason, inputs: null, outputs: null })).toContain(words)
    expect(gateOf({ capture_level, reason, inputs: {}, outputs: null })).toBeNull()
  })
})
