import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { axisLabel, bytes, exactDuration, shortDuration } from '../../../ui/trace/format'
import { hear, mergeSpans } from '../../../ui/trace/merge'
import { fit, MAX_ZOOM, scrollAfterZoom, ticks } from '../../../ui/trace/scale'
import { parseSpan, parseTrace, type Span } from '../../../ui/trace/span'
import { firstTokenNs, statsOf } from '../../../ui/trace/stats'
import { layOut, lengthNs } from '../../../ui/trace/tree'

const ORIGIN = 1_760_000_000_123_456_789n
const MS = 1_000_000n

/** A span by its name; times in milliseconds since the origin. */
const span = (
  name: string,
  parent: string | null,
  from: number,
  to: number | null,
  more: Partial<Span> = {},
): Span => ({
  ...parseSpan(JSON.stringify({ id: name, span_id: name, name, start_ns: 0 })),
  parent_span_id: parent,
  start_ns: ORIGIN + BigInt(from) * MS,
  end_ns: to === null ? null : ORIGIN + BigInt(to) * MS,
  status: to === null ? 'running' : 'ok',
  ...more,
})

const names = (spans: Span[], collapsed: string[] = []) =>
  layOut(spans, new Set(collapsed)).rows.map(({ span, depth }) => `${'  '.repeat(depth)}${span.name}`)

describe('reading a trace', () => {
  test('keeps every nanosecond', () => {
    const json = `{"runId":"r","status":"completed","spans":[{"id":"r:_root","span_id":"a","name":"r",
      "start_ns":1760000000123456789,"end_ns": 1760000000123456790,"status":"ok","attributes":{}}]}`
    const [root] = parseTrace(json).spans
    expect(root!.end_ns! - root!.start_ns).toBe(1n)
  })

  test('leaves the same words inside a text alone', () => {
    const attributes = { note: '{"start_ns": 12, "end_ns":13}', other_start_ns: 5, '"start_ns': 6 }
    const parsed = parseSpan(JSON.stringify({ id: 'x', span_id: 'x', name: 'x', start_ns: 7, attributes }))
    expect(parsed.attributes).toEqual(attributes)
    expect(parsed).toMatchObject({ start_ns: 7n, end_ns: null, status: 'running' })
  })
})

describe('live events over the persisted trace', () => {
  test('a persisted span that is closed wins', () => {
    const closed = span('a', null, 0, 10, { seq: 1 })
    const live = hear(new Map(), [span('a', null, 0, null)])
    expect(mergeSpans([closed], live)).toEqual([closed])
    const later = hear(new Map(), [span('a', null, 0, 99, { status: 'err' })])
    expect(mergeSpans([closed], later)).toEqual([closed])
  })

  test('a live close is newer than a persisted open, and keeps what only the database knows', () => {
    const open = span('a', null, 0, null, { seq: 4, bytes_in: 3 })
    const live = hear(new Map(), [span('a', null, 0, 10, { attributes: { ttft_ms: 2 } })])
    expect(mergeSpans([open], live)).toEqual([
      { ...open, status: 'ok', end_ns: ORIGIN + 10n * MS, attributes: { ttft_ms: 2 } },
    ])
  })

  test('a close heard before its repeated open stays closed', () => {
    const live = hear(new Map(), [span('a', null, 0, 10), span('a', null, 0, null)])
    expect(live.get('a')!.status).toBe('ok')
  })

  test('spans not stored yet are shown', () => {
    expect(mergeSpans([], hear(new Map(), [span('b', 'a', 1, null)])).map(({ name }) => name)).toEqual(['b'])
  })
})

describe('the tree', () => {
  const spans = [
    span('generate', 'llm', 2, 9),
    span('llm', 'root', 1, 10),
    span('root', null, 0, 12),
    span('input', 'root', 0, 1),
    span('tool', 'llm', 9, 10),
  ]

  test('puts parents before children and siblings in the order of their start', () => {
    expect(names(spans)).toEqual(['root', '  input', '  llm', '    generate', '    tool'])
  })

  test('leaves out what is folded', () => {
    expect(names(spans, ['llm'])).toEqual(['root', '  input', '  llm'])
    expect(names(spans, ['root'])).toEqual(['root'])
  })

  test('hangs a span whose parent is not known yet under the root', () => {
    expect(names([span('root', null, 0, null), span('tool', 'unheard', 3, 4)])).toEqual(['root', '  tool'])
  })

  const nowMs = Number((ORIGIN + 1000n * MS) / 1000n) / 1000

  test('measures from the first start, and lets open spans grow up to now', () => {
    const tree = layOut([span('root', null, 0, null), span('llm', 'root', 250, 300)])
    expect(lengthNs(tree, nowMs)).toBeCloseTo(1e9, -4)
    expect(tree.rows.map(({ startNs, endNs }) => [startNs, endNs])).toEqual([
      [0, null],
      [250e6, 300e6],
    ])
  })

  test('does not grow when everything is closed', () => {
    expect(lengthNs(layOut([span('root', null, 0, 40)]), nowMs)).toBe(40e6)
  })

  test('is not shorter than what is known when this computer’s clock is behind', () => {
    const tree = layOut([span('root', null, 0, null), span('llm', 'root', 1, 500)])
    expect(lengthNs(tree, 0)).toBe(500e6)
  })

  test('lays ten thousand spans out within a frame or two', () => {
    const many = Array.from({ length: 10_000 }, (_, index) => span(`s${index}`, 'root', index, index + 1))
    const before = performance.now()
    expect(layOut([span('root', null, 0, null), ...many]).rows).toHaveLength(10_001)
    expect(performance.now() - before).toBeLessThan(500)
  })
})

describe('the scale', () => {
  test('zooming keeps the instant under the pointer where it is', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 1, max: MAX_ZOOM, noNaN: true }),
        fc.double({ min: 1, max: MAX_ZOOM, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (from, to, scrolled, pointed) => {
          const width = 800
          const [scrollLeft, anchor] = [scrolled * width * (from - 1), pointed * width]
          const next = scrollAfterZoom({ from, to, anchor, scrollLeft, width })
          const edge = next === 0 || Math.abs(next - width * (to - 1)) < 1e-6
          if (!edge) expect((next + anchor) / to).toBeCloseTo((scrollLeft + anchor) / from, 3)
        },
      ),
    )
  })

  test('fitting a span shows all of it, within the zoom that is allowed', () => {
    const { zoom, scrollLeft } = fit(400, 500, 1000, 800)
    const [from, to] = [(scrollLeft / (800 * zoom)) * 1000, ((scrollLeft + 800) / (800 * zoom)) * 1000]
    expect(from).toBeLessThanOrEqual(400)
    expect(to).toBeGreaterThanOrEqual(500)
    expect(zoom).toBeGreaterThan(7)
    expect(fit(500, 500, 1000, 800).zoom).toBeLessThanOrEqual(MAX_ZOOM)
    expect(fit(0, 1000, 1000, 800)).toEqual({ zoom: 1, scrollLeft: 0 })
    expect(fit(0, 0, 0, 800)).toEqual({ zoom: 1, scrollLeft: 0 })
  })

  test.each([
    [0, 3e9, 1e9 / 300, [0, 500e6, 1e9, 1.5e9, 2e9, 2.5e9, 3e9]],
    [1e9, 2e9, 1e9 / 1000, [1e9, 1.1e9, 1.2e9, 1.3e9, 1.4e9, 1.5e9, 1.6e9, 1.7e9, 1.8e9, 1.9e9, 2e9]],
    [0, 180e9, 180e9 / 400, [0, 60e9, 120e9, 180e9]],
  ])('labels from %d to %d ns stand at round instants', (from, to, nsPerPx, expected) => {
    const found = ticks(from, to, nsPerPx)
    expect(found).toHaveLength(expected.length)
    for (const [index, at] of found.entries()) expect(at).toBeCloseTo(expected[index]!, -2)
  })

  test('an empty trace has one label and no endless loop', () => {
    expect(ticks(0, 0, 0)).toEqual([0])
  })
})

test.each([
  [0, '0 ms', '0 µs'],
  [873_000, '873 µs', '873 µs'],
  [12_345_678, '12.3 ms', '12.346 ms'],
  [3_200_000_000, '3.20 s', '3.200000 s'],
  [65_000_000_000, '1 min 5 s', '1 min 5.000000 s'],
])('%d ns reads %s, or exactly %s', (ns, short, exact) => {
  expect(shortDuration(ns)).toBe(short)
  expect(exactDuration(ns)).toBe(exact)
})

test.each([
  [0, 1e9, '0'],
  [1.5e9, 500e6, '1.5 s'],
  [2e9, 1e9, '2 s'],
  [250e6, 50e6, '250 ms'],
  [1.0005e9, 500e3, '1.0005 s'],
  [120e9, 60e9, '2 min'],
])('the axis labels %d ns, %d apart, as %s', (at, step, label) => {
  expect(axisLabel(at, step)).toBe(label)
})

test.each([
  [512, '512 B'],
  [2048, '2.00 KiB'],
  [5_242_880, '5.00 MiB'],
])('%d bytes read %s', (count, text) => {
  expect(bytes(count)).toBe(text)
})

test('a model span tells its tokens, and their rate without the wait for the first', () => {
  const attributes = {
    'gen_ai.request.model': 'small',
    'gen_ai.usage.output_tokens': 100,
    'gen_ai.usage.input_tokens': 1234,
    ttft_ms: 500,
  }
  const { rows } = layOut([span('model.generate', null, 0, 2500, { attributes, bytes_out: 400 })])
  const stats = Object.fromEntries(statsOf(rows[0]!).map(({ label, value }) => [label, value]))
  expect(stats).toMatchObject({
    Duration: '2.500000 s',
    Model: 'small',
    'Tokens in': '1,234',
    Rate: '50.0 tokens/s',
    'First token after': '500.000 ms',
    'Bytes out': '400 B',
  })
  expect(firstTokenNs(rows[0]!)).toBe(500e6)
})
