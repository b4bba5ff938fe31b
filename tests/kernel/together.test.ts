import { expect, test } from 'bun:test'
import { askedOnce } from '#kernel/asked-once'
import { together } from '#kernel/together'

/** Work that goes on when it is told to. */
function held<In, Out>(answer: (input: In) => Out) {
  const rounds: { input: In; go: () => void; fail: (error: Error) => void }[] = []
  const work = (input: In) => {
    const { promise, resolve, reject } = Promise.withResolvers<Out>()
    rounds.push({ input, go: () => resolve(answer(input)), fail: reject })
    return promise
  }
  const begun = async (round: number) => {
    while (rounds.length < round) await new Promise(setImmediate)
    return rounds[round - 1]!
  }
  return { rounds, work, begun }
}

test('what comes in one turn, or while a round is on its way, is done together, so many at most', async () => {
  const { rounds, work, begun } = held((inputs: number[]) => inputs.map((input) => input * 10))
  const add = together(3, work)
  const first = [1, 2].map(add)
  ;(await begun(1)).go()
  const second = [3, 4, 5, 6].map(add)
  ;(await begun(2)).go()
  ;(await begun(3)).go()
  expect(await Promise.all([...first, ...second])).toEqual([10, 20, 30, 40, 50, 60])
  expect(rounds.map(({ input }) => input)).toEqual([[1, 2], [3, 4, 5], [6]])
})

test('what a round fails with is told to it alone', async () => {
  const { work, begun } = held((inputs: number[]) => inputs)
  const add = together(10, work)
  const failing = add(1).catch((error) => error.message)
  const round = await begun(1)
  const later = add(2)
  round.fail(new Error('no'))
  ;(await begun(2)).go()
  expect([await failing, await later]).toEqual(['no', 2])
})

test('a question is asked once for all who have it, and again for who comes when it is on its way', async () => {
  let version = 1
  const { rounds, work, begun } = held((_: string) => version)
  const ask = askedOnce((key: string) => key, work)
  const early = ['a', 'a', 'a'].map(ask)
  const other = ask('b')
  const first = await begun(1)
  const late = [ask('a'), ask('a')]
  first.go()
  ;(await begun(2)).go()
  await Promise.all([...early, other])
  version = 2
  ;(await begun(3)).go()
  expect(await Promise.all([...early, other, ...late])).toEqual([1, 1, 1, 1, 2, 2])
  expect(rounds.map(({ input }) => input)).toEqual(['a', 'b', 'a'])
})
