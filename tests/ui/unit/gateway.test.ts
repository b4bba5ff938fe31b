import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { csvTable, groupsOf, type ReportRow, sorted, sortingOf } from '../../../ui/gateway/columns'
import { csvOf } from '../../../ui/gateway/csv'
import { costText, duration } from '../../../ui/gateway/format'
import { concernsOf } from '../../../ui/gateway/health'
import { BLANK, pastedPrices, readPrices, withoutPrice, withRows } from '../../../ui/gateway/prices'
import { setupFor } from '../../../ui/gateway/setup'
import { type Agent, joined, layOut, type Request } from '../../../ui/gateway/timeline'

describe('a table as a file', () => {
  const body = (...cells: (string | number | null)[]) => csvOf(['a'], [cells]).split('\r\n')[1]

  test.each([
    ['plain', 'plain'],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    [' edge', '" edge"'],
    ['=1+1', "'=1+1"],
    ['+1', "'+1"],
    ['-1', "'-1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    [' =1', "' =1"],
    ['＝1', "'＝1"],
    ['\t=1', "'\t=1"],
    ['=HYPERLINK("http://x","y")', `"'=HYPERLINK(""http://x"",""y"")"`],
  ])('%j is written as %j', (text, written) => expect(body(text)).toBe(written))

  test('numbers stay numbers, and what is not known is empty', () =>
    expect(body(-1.5, null, 0, Number.NaN)).toBe('-1.5,,0,'))

  test('says that it is UTF-8', () => expect(csvOf(['é'], [])).toBe('\ufeffé\r\n'))

  test('whatever a text is, it is read back whole, and no cell begins a formula', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' }), { minLength: 1, maxLength: 4 }), (texts) => {
        const cells = parse(csvOf(['h'], [texts]).slice(4))
        expect(cells.map((cell, at) => (cell === texts[at] ? cell : cell.replace(/^'/, '')))).toEqual(texts)
        for (const cell of cells) expect(cell).not.toMatch(/^\s*[=+\-@]/)
      }),
    )
  })
})

/** The cells of one line. */
function parse(line: string): string[] {
  const cells: string[] = []
  const text = line.replace(/\r\n$/, '')
  for (let at = 0; at <= text.length; at++) {
    const quoted = /^"((?:[^"]|"")*)"/.exec(text.slice(at))
    const [whole, cell] = quoted
      ? [quoted[0], quoted[1]!.replaceAll('""', '"')]
      : [/^[^,]*/.exec(text.slice(at))![0], null]
    cells.push(cell ?? whole)
    at += whole.length
  }
  return cells
}

const AT = Date.UTC(2026, 10, 10, 9)
const time = (seconds: number) => new Date(AT + seconds * 1_000).toISOString()
const request = (from: number, to: number, more: Partial<Request> = {}): Request => ({
  id: `r${from}`,
  at: time(from),
  attempt: 1,
  kind: 'generate',
  stream: true,
  status: 200,
  ended: 'complete',
  error_type: null,
  stop_reason: null,
  model: 'm',
  ttfb_ms: 1,
  ttft_ms: 2,
  total_ms: (to - from) * 1_000,
  input: 10,
  cache_read: 80,
  cache_write_5m: 5,
  cache_write_1h: 5,
  output: 7,
  reasoning: 0,
  estimated: false,
  cost: null,
  has_content: false,
  tools: [],
  ...more,
})
const turn = (key: string | null, ...requests: Request[]): Agent['turns'][number] => ({
  turn_key: key,
  started_at: requests[0]!.at,
  ended_at: new Date(Math.max(...requests.map((one) => Date.parse(one.at) + one.total_ms))).toISOString(),
  requests,
})
const agent = (id: string | null, ...turns: Agent['turns']): Agent => ({
  agent_id: id,
  parent_agent_id: null,
  depth: id === null ? 0 : 1,
  turns,
})
const tool = { id: 't', name: 'Bash', bytes: 1, result_bytes: 2, is_error: false }

describe('the timeline of a session', () => {
  test('tools run from the end of a turn to the next one of the same agent', () => {
    const main = agent(
      null,
      turn('a', request(0, 2, { tools: [tool] })),
      turn('b', request(6, 8, { tools: [{ ...tool, result_bytes: null }] })),
      turn('c', request(8, 10)),
    )
    const [rows] = layOut([main]).agents
    expect(rows!.turns.map(({ toolMs }) => toolMs)).toEqual([4_000, null, null])
    expect(rows!.turns[0]!.bars).toEqual([
      { kind: 'request', from: 0, to: 0.2 },
      { kind: 'tool', from: 0.2, to: 0.6 },
    ])
    expect(rows!.turns[1]!.bars).toEqual([{ kind: 'request', from: 0.6, to: 0.8 }])
  })

  test('all but the last request of a turn were retried; the last says how it ended', () => {
    const failed = request(3, 4, { status: 529, attempt: 2 })
    const [rows] = layOut([agent(null, turn('a', request(0, 1), failed))]).agents
    expect(rows!.turns[0]).toMatchObject({
      retries: 1,
      failed: true,
      bars: [{ kind: 'retry' }, { kind: 'request' }],
    })
    const [good] = layOut([agent(null, turn('a', failed, request(4, 5)))]).agents
    expect(good!.turns[0]).toMatchObject({ retries: 1, failed: false })
  })

  test('a long pause is drawn short, a short one as it was', () => {
    const main = agent(
      null,
      turn('a', request(0, 4)),
      turn('b', request(10, 14)),
      turn('c', request(3_614, 3_616)),
    )
    const { pauses, busyMs, agents } = layOut([main])
    expect(busyMs).toBe(16_000)
    expect(pauses).toEqual([{ at: 15 / 18, ms: 3_600_000 }])
    expect(agents[0]!.turns[2]!.bars).toEqual([{ kind: 'request', from: 16 / 18, to: 1 }])
  })

  test('a turn without a price is unpriced, not free; one that used nothing is neither', () => {
    const nothing = { input: 0, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0, output: 0 }
    const main = agent(
      null,
      turn('a', request(0, 1)),
      turn('b', request(1, 2, { ...nothing, status: 429 })),
      turn('c', request(2, 3, { cost: 0.5 }), request(3, 4)),
    )
    const [rows] = layOut([main]).agents
    expect(rows!.turns.map(({ cost, unpriced }) => [cost, unpriced])).toEqual([
      [null, 1],
      [null, 0],
      [0.5, 1],
    ])
    expect(rows!.turns[2]!.tokens).toEqual({ input: 20, cacheRead: 160, cacheWrite: 20, output: 14 })
  })

  test('pages go on where the page before ended, in the same agent and turn', () => {
    const first = [
      agent(null, turn('a', request(0, 1)), turn('b', request(1, 2))),
      agent('x', turn('s', request(2, 3))),
    ]
    const second = [
      agent('x', turn('s', request(4, 5)), turn(null, request(5, 6))),
      agent(null, turn('c', request(7, 8))),
    ]
    const all = joined([first, second])
    expect(
      all.map(({ agent_id, turns }) => [agent_id, turns.map(({ requests }) => requests.length)]),
    ).toEqual([
      [null, [1, 1, 1]],
      ['x', [2, 1]],
    ])
    expect(all[1]!.turns[0]!.ended_at).toBe(time(5))
  })

  test('every bar lies on the axis, whatever the times', () => {
    const span = fc.tuple(fc.integer({ min: 0, max: 5_000 }), fc.integer({ min: 0, max: 300 }))
    fc.assert(
      fc.property(fc.array(span, { minLength: 1, maxLength: 20 }), (spans) => {
        const turns = spans
          .toSorted(([a], [b]) => a - b)
          .map(([from, length], at) => turn(`t${at}`, request(from, from + length, { tools: [tool] })))
        const { agents, pauses } = layOut([agent(null, ...turns), agent('x', ...turns)])
        for (const { from, to } of agents.flatMap((one) => one.turns.flatMap(({ bars }) => bars))) {
          expect(from).toBeGreaterThanOrEqual(0)
          expect(to).toBeLessThanOrEqual(1)
          expect(to).toBeGreaterThanOrEqual(from)
        }
        for (const { at } of pauses) expect(at > 0 && at < 1).toBe(true)
      }),
    )
  })
})

describe('a report', () => {
  const row = (project: string, more: Partial<ReportRow> = {}) =>
    ({ project, cost: 0, unpriced: 0, requests: 1, errors: 0, ...more }) as ReportRow

  test('what has no price sorts last, either way, and is never a zero', () => {
    const rows = [row('a', { unpriced: 2 }), row('b', { cost: 1 }), row('c', { cost: 3 })]
    const order = (sort: string) => sorted(rows, sortingOf(sort)).map(({ project }) => project)
    expect([order('cost'), order('-cost'), order('-project')]).toEqual([
      ['b', 'c', 'a'],
      ['c', 'b', 'a'],
      ['c', 'b', 'a'],
    ])
    const { header, rows: cells } = csvTable(rows, ['project'])
    expect(cells.map((line) => line[header.indexOf('cost')])).toEqual(['unpriced', 1, 3])
    expect([costText({ cost: 0, unpriced: 2 }), costText({ cost: 1, unpriced: 2 })]).toEqual([
      'unpriced',
      '$1.00 + 2 unpriced',
    ])
  })

  test('is grouped by one to three of what there is', () => {
    expect(groupsOf(undefined)).toEqual(['day'])
    expect(groupsOf('model,what,model,client,status,day')).toEqual(['model', 'client', 'status'])
  })
})

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [1_250, '1.3 s'],
  [59_400, '59 s'],
  [61_000, '1 min 1 s'],
  [3_660_000, '1 h 1 min'],
])('%d ms is %s', (ms, text) => expect(duration(ms)).toBe(text))

test('an empty price is not free', () => {
  const typed = {
    model: 'm',
    input: '1',
    cache_read: '0',
    cache_write_5m: '2',
    cache_write_1h: '3',
    output: '',
  }
  expect(readPrices([typed])).toEqual({ problem: 'm: Output must be a number from 0 to 100000.' })
  expect(readPrices([{ ...typed, output: '4' }])).toMatchObject({
    prices: [{ model: 'm', cache_read: 0, output: 4 }],
  })
})

describe('what is amiss with a gateway', () => {
  const NOW = Date.UTC(2026, 10, 22, 12)
  const well = {
    enabled: true,
    online: true,
    config_version: 1,
    config_current: true,
    keys_current: true,
    version_differs: false,
    refusals: {},
    heartbeat: {
      version: '0.1.0',
      queue: {
        records: 3,
        bytes: 3_000,
        oldest_at: new Date(NOW - 30_000).toISOString(),
        dropped: 0,
        bad: 0,
      },
    },
  }
  const concerns = (more: object, queue: object = {}) =>
    concernsOf(
      {
        ...well,
        heartbeat: { ...well.heartbeat, queue: { ...well.heartbeat.queue, ...queue } },
        ...more,
      } as never,
      NOW,
    ).map(({ tone, text }) => `${tone}: ${text}`)

  test('is nothing while records are on their way', () => expect(concerns({})).toEqual([]))

  test.each([
    [{ online: false }, {}, /^bad: It is silent/],
    [{}, { dropped: 1_200 }, /^bad: 1,200 records were dropped/],
    [{}, { bad: 2 }, /^warn: 2 lines of its queue cannot be read/],
    [
      {},
      { oldest_at: new Date(NOW - 10 * 60_000).toISOString() },
      /^warn: 3 records .* the oldest for 10 min/,
    ],
    [{ config_current: false }, {}, /^warn: It has not fetched its latest configuration/],
    [{ keys_current: false }, {}, /^warn: It has not fetched the latest keys/],
    [{ version_differs: true }, {}, /^warn: It runs version 0\.1\.0/],
    [
      { refusals: { gateway_key_invalid: 2, upstream_unreachable: 30 } },
      {},
      /^warn: 32 requests were refused within a day: upstream_unreachable 30, gateway_key_invalid 2/,
    ],
    [{ enabled: false, online: false }, {}, /^warn: It is disabled/],
    [{ heartbeat: null }, {}, /^warn: Nobody has heard of it yet/],
  ])('%j %j', (more, queue, said) => {
    expect(concerns(more, queue)).toEqual([expect.stringMatching(said)])
  })

  test('the worst comes first, and a gateway that is silent is not behind besides', () => {
    expect(concerns({ online: false, config_current: false }, { dropped: 1 })).toEqual([
      expect.stringMatching(/^bad: It is silent/),
      expect.stringMatching(/^bad: 1 record was dropped/),
    ])
  })
})

describe('a table of prices that is pasted', () => {
  const row = {
    model: 'claude-x*',
    input: '3',
    cache_read: '0.3',
    cache_write_5m: '3.75',
    cache_write_1h: '6',
    output: '15',
  }
  test.each([
    ['from a spreadsheet', 'claude-x*\t$3.00\t$0.30\t3.75\t6\t15', { input: '3.00', cache_read: '0.30' }],
    [
      'as CSV with names, in another order',
      'Output,Model,Input,Cache read,cache_write_5m,Cache write 1h\r\n15,"claude-x*",3,0.3,3.75,6\r\n',
      {},
    ],
    [
      'as a table of Markdown',
      '| model | input | cache read | cache write 5m | cache write 1h | output |\n|---|---|---|---|---|---|\n| claude-x* | $3 | $0.3 | $3.75 | $6 | $15 |',
      {},
    ],
    ['as the API answers it', JSON.stringify({ version: 2, prices: [{ ...row, input: 3 }] }), {}],
  ])('%s', (_, text, more) => {
    expect(pastedPrices(text)).toEqual({ rows: [{ ...row, ...more }] })
  })

  test('what it does not say stays to be filled in, and is not free', () => {
    const pasted = pastedPrices('model;input;output\nclaude-x*;3;15')
    expect(pasted).toEqual({
      rows: [{ ...row, cache_read: '', cache_write_5m: '', cache_write_1h: '' }],
    })
    expect(readPrices('rows' in pasted ? pasted.rows : [])).toEqual({
      problem: 'claude-x*: Cache read must be a number from 0 to 100000.',
    })
  })

  test.each(['', 'just words', '[1', '{"prices":[{}]}'])('%p is none', (text) =>
    expect(pastedPrices(text)).toHaveProperty('problem'),
  )

  test('takes the place of rows for the same models, and of empty ones', () => {
    const old = { ...row, input: '2' }
    expect(withRows([old, { ...row, model: 'm' }, BLANK], [row])).toEqual([{ ...row, model: 'm' }, row])
  })

  test('a model has a price by its id or by its start', () => {
    const prices = [{ model: 'a*' }, { model: 'b' }] as never
    expect(withoutPrice(['a1', 'b', 'b2', 'c'], prices)).toEqual(['b2', 'c'])
  })
})

test.each([
  ['claude-code', 'organization', /ANTHROPIC_AUTH_TOKEN="tygk_x"/, /CUSTOM_HEADERS|API_KEY/],
  ['claude-code', 'own', /ANTHROPIC_API_KEY=[\s\S]*x-service-gateway-key: tygk_x/, /AUTH_TOKEN/],
  ['claude-code', 'subscription', /x-service-gateway-key: tygk_x/, /AUTH_TOKEN|API_KEY/],
  ['claude-code', 'none', /ANTHROPIC_BASE_URL="http:\/\/g"/, /tygk_|AUTH_TOKEN|API_KEY/],
  [
    'codex',
    'organization',
    /env_key = "TYCHO_GATEWAY_KEY"[\s\S]*="tygk_x"/,
    /env_http_headers|OPENAI_API_KEY/,
  ],
  [
    'codex',
    'own',
    /env_key = "OPENAI_API_KEY"[\s\S]*"x-service-gateway-key" = "TYCHO_GATEWAY_KEY"/,
    /="tygk_x"\n.*="tygk_x"/,
  ],
  ['codex', 'none', /base_url = "http:\/\/g\/v1"/, /tygk_|TYCHO_GATEWAY_KEY/],
] as const)('%s, billed to %s', (client, billing, has, hasNot) => {
  const text = setupFor({ client, billing, url: 'http://g', key: 'tygk_x' })
    .steps.map((step) => step.text)
    .join('\n')
  expect(text).toMatch(has)
  expect(text).not.toMatch(hasNot)
})
