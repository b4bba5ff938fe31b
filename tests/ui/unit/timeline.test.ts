import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseSpan, type Span } from '../../../ui/trace/span'
import { gapsOf, timelineOf } from '../../../ui/trace/timeline'
import { layOut } from '../../../ui/trace/tree'

const S = 1_000_000_000

/** A span by its name; times in seconds. */
const span = (
  name: string,
  parent: string | null,
  from: number,
  to: number | null,
  more: Partial<Span> = {},
) => ({
  ...parseSpan(JSON.stringify({ id: name, span_id: name, name, start_ns: 0 })),
  parent_span_id: parent,
  start_ns: BigInt(Math.round(from * S)),
  end_ns: to === null ? null : BigInt(Math.round(to * S)),
  ...more,
})

const gaps = (spans: Span[], seconds: number) =>
  gapsOf(spans, 0n, seconds * S).map(({ fromNs, toNs }) => [fromNs / S, toNs / S])

describe('the gaps of a trace', () => {
  const root = span('root', null, 0, 100)

  test('are where no step worked, whatever their parents say', () => {
    expect(gaps([root, span('a', 'root', 0, 10), span('b', 'root', 40, 100)], 100)).toEqual([[10, 40]])
  })

  test('are also where a person was waited for, or a worker', () => {
    const spans = [
      root,
      span('queue', 'root', 0, 20, { phase: 'queue_wait' }),
      span('a', 'root', 20, 30),
      span('gate', 'root', 30, 90, { node_type: 'human' }),
      span('c', 'root', 90, 100),
    ]
    expect(gaps(spans, 100)).toEqual([
      [0, 20],
      [30, 90],
    ])
  })

  test('are not where one of several steps still worked', () => {
    expect(gaps([root, span('a', 'root', 0, 10), span('b', 'root', 0, 95)], 100)).toEqual([])
  })

  test('reach to now while a run waits', () => {
    const waiting = [
      span('root', null, 0, null),
      span('a', 'root', 0, 10),
      span('g', 'root', 10, null, { node_type: 'human' }),
    ]
    expect(gaps(waiting, 300)).toEqual([[10, 300]])
  })

  test('are worth a fold only when they are long', () => {
    expect(gaps([root, span('a', 'root', 0, 45), span('b', 'root', 54, 100)], 100)).toEqual([])
    expect(gaps([span('root', null, 0, 1), span('a', 'root', 0, 0.1), span('b', 'root', 0.9, 1)], 1)).toEqual(
      [],
    )
  })
})

describe('the axis with folded gaps', () => {
  test('draws the rest in full and a folded gap short', () => {
    const { lengthNs, place } = timelineOf(1000, [{ fromNs: 100, toNs: 900 }])
    expect(lengthNs).toBe(208)
    expect([0, 50, 100, 500, 900, 1000].map(place)).toEqual([0, 50, 100, 104, 108, 208])
  })

  test('without a fold is the time itself', () => {
    const { lengthNs, place } = timelineOf(1000, [])
    expect([lengthNs, place(0), place(777)]).toEqual([1000, 0, 777])
  })

  test('keeps the order of all instants and ends where it ends', () => {
    const edges = fc.uniqueArray(fc.integer({ min: 0, max: 1_000 }), { minLength: 2, maxLength: 8 })
    fc.assert(
      fc.property(edges, fc.array(fc.integer({ min: 0, max: 1_000 }), { minLength: 2 }), (list, instants) => {
        const sorted = list.sort((a, b) => a - b)
        const folded = sorted.flatMap((fromNs, at) =>
          at % 2 === 0 && at + 1 < sorted.length ? [{ fromNs, toNs: sorted[at + 1]! }] : [],
        )
        const { lengthNs, place } = timelineOf(1_000, folded)
        expect(place(1_000)).toBeCloseTo(lengthNs, 6)
        const places = instants.sort((a, b) => a - b).map(place)
        for (let at = 1; at < places.length; at++)
          expect(places[at]! - places[at - 1]!).toBeGreaterThanOrEqual(-1e-9)
      }),
      { numRuns: 300 },
    )
  })
})

test('iterations hang below the node that made them', () => {
  const spans = [
    span('root', null, 0, 10),
    span('each', 'root', 0, 9, { node_id: 'each' }),
    span('each#0', 'root', 1, 3, { node_id: 'each', branch_index: 0 }),
    span('each#1', 'root', 2, 4, { node_id: 'each', branch_index: 1 }),
    span('model.generate', 'each#1', 2, 3, { node_id: 'each', branch_index: 1, phase: 'model.generate' }),
    span('lost#0', 'root', 5, 6, { node_id: 'lost', branch_index: 0 }),
  ]
  expect(layOut(spans).rows.map(({ span: { name }, depth }) => `${depth} ${name}`)).toEqual([
    '0 root',
    '1 each',
    '2 each#0',
    '2 each#1',
    '3 model.generate',
    '1 lost#0',
  ])
})
