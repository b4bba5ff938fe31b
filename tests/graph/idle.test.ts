import { expect, test } from 'bun:test'
import { evaluate } from '#graph/expression'
import { idleByText } from '#graph/expression/idle'
import { inputs } from './support'

/** Makes `a1`, `a2`, … of `a`. */
function numbered(maxCharacters: number) {
  let made = 0
  return idleByText((text) => `${text.slice(0, 1)}${++made}`, maxCharacters)
}

test('what is given back is lent again, to one at a time', () => {
  const kept = numbered(100_000)
  const first = kept.borrow('a')
  const second = kept.borrow('a')
  expect([first, second, kept.borrow('b')]).toEqual(['a1', 'a2', 'b3'])
  kept.giveBack('a', first)
  expect([kept.borrow('a'), kept.borrow('a')]).toEqual(['a1', 'a4'])
})

test('over their bound, those that were not used for longest go', () => {
  const kept = numbered(10_000)
  const long = (name: string) => name + ' '.repeat(2_999)
  const lent = ['a', 'b', 'c'].map((name) => [long(name), kept.borrow(long(name))] as const)
  for (const [text, one] of lent) kept.giveBack(text, one)
  expect([kept.borrow(long('b')), kept.borrow(long('c'))]).toEqual(['b2', 'c3'])
  expect(kept.borrow(long('a'))).toBe('a4')

  for (let round = 0; round < 100; round++) kept.giveBack('d', 'kept')
  const again = Array.from({ length: 100 }, () => kept.borrow('d'))
  expect(again.filter((one) => one === 'kept')).toHaveLength(9)
})

test('one that is longer than all may be is not kept', () => {
  const kept = numbered(5_000)
  const huge = 'h'.repeat(6_000)
  const small = kept.borrow('s')
  kept.giveBack('s', small)
  kept.giveBack(huge, kept.borrow(huge))
  expect([kept.borrow(huge), kept.borrow('s')]).toEqual(['h3', small])
})

test('an expression that is used many times at once, and again, has a budget and inputs for each', async () => {
  // Two thirds of what one evaluation may do.
  const count = '($f := function($n) { $n = 0 ? $in.in : $f($n - 1) }; $f(30000))'
  const twice = async (value: number) => {
    for (const own of [value, value + 10]) expect(await evaluate(count, inputs({ in: own }))).toBe(own)
  }
  await Promise.all([twice(1), twice(2)])
})

test('an expression that failed works the next time', async () => {
  const text = '$parse($in.in).a'
  for (const _ of [1, 2]) {
    await expect(evaluate(text, inputs({ in: '{' }))).rejects.toThrow('not JSON')
    expect(await evaluate(text, inputs({ in: '{"a": 1}' }))).toBe(1)
  }
})
