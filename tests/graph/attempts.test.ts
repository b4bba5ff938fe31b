import { describe, expect, test } from 'bun:test'
import { AppError } from '#kernel/errors'
import { type Answer, failure, handClock, hastyClock, play, settle } from './run-support'
import { type AuthoredNode, edge, node } from './support'

const after = (made: AuthoredNode, more: Parameters<typeof play>[2] = {}) =>
  play(
    [node('a', 'input'), made, node('out', 'output')],
    [edge('a.out', `${made.id}.in`), edge(`${made.id}.out`, 'out.in')],
    more,
  )

const fetching = (config: object) => node('t', 'tool', { tool: 'http_fetch', args: { url: 'u' }, ...config })

/** Fails so often, then answers. */
const failing = (times: number, error: Error = new Error('not yet')) => {
  let tries = 0
  return {
    tries: () => tries,
    fetch: async () => {
      if (tries++ < times) throw error
      return { status: 200, headers: {}, body: '' }
    },
  }
}

describe('retry', () => {
  test.each([
    [{ attempts: 3, backoffMs: 100 }, 2, [100, 200], 'ok'],
    [{ attempts: 3 }, 5, [500, 1000], 'err'],
    [{ attempts: 1 }, 1, [], 'err'],
    [null, 1, [], 'err'],
  ])('%j of a tool that fails %d times waits %j', async (retry, times, waits, status) => {
    const clock = hastyClock()
    const { fetch, tries } = failing(times)
    const { span } = await after(fetching({ retry }), { clock, tools: { fetch } })
    expect(clock.slept).toEqual(waits)
    expect(tries()).toBe(waits.length + 1)
    expect(span('t').close!.status).toBe(status as 'ok')
  })

  test.each([
    [404, 1],
    [422, 1],
    [429, 2],
    [408, 2],
    [503, 2],
  ])('of a model that refuses with %d comes to %d tries', async (status, tries) => {
    const refused = new AppError('x', 'refused', { status })
    const { asked } = await after(node('m', 'llm', { retry: { attempts: 2 } }), {
      clock: hastyClock(),
      answers: [refused, 'yes'] as Answer[],
    })
    expect(asked.chat).toHaveLength(tries)
  })

  test('of a model shows a span for each try, in order, and keeps only the last answer', async () => {
    const { result, spans } = await after(node('m', 'llm', { retry: { attempts: 2 } }), {
      clock: hastyClock(),
      answers: [new Error('broke'), 'Hello'] as Answer[],
    })
    expect(result).toEqual({ output: 'Hello' })
    expect(spans).toEqual(['a ok', 'm ok', 'm/model.generate err', 'm/model.generate#1 ok', 'out ok'])
  })

  test('repeats only the turn that failed, not the tools before it', async () => {
    const calls: string[] = []
    const answers: Answer[] = [
      [
        {
          choices: [
            { delta: { tool_calls: [{ index: 0, id: '1', function: { name: 't', arguments: '{}' } }] } },
          ],
        },
      ],
      new Error('broke'),
      'done',
    ]
    const { result, asked } = await play(
      [node('m', 'llm', { retry: { attempts: 2 } }), node('t', 'mcp_tool'), node('out', 'output')],
      [edge('t.use', 'm.tools', { channel: 'tool' }), edge('m.out', 'out.in')],
      {
        clock: hastyClock(),
        answers,
        tools: {
          mcp: async ({ tool }) => {
            calls.push(tool)
            return 1
          },
        },
      },
    )
    expect(result!.output).toBe('done')
    expect(calls).toEqual(['query'])
    expect(asked.places).toEqual(['m/gen@0', 'm/gen@1', 'm/gen@1'])
  })

  test('ends at once when the run is stopped in between', async () => {
    const stop = new AbortController()
    const { fetch, tries } = failing(9)
    const running = after(fetching({ retry: { attempts: 5 } }), {
      clock: handClock(),
      tools: { fetch },
      signal: stop.signal,
    })
    await settle()
    stop.abort(new Error('enough'))
    expect((await running).error!.message).toBe('enough')
    expect(tries()).toBe(1)
  })

  test('of a tool that a model calls is that of its node', async () => {
    const { fetch, tries } = failing(1)
    const wanted = [
      {
        choices: [
          { delta: { tool_calls: [{ index: 0, function: { name: 't', arguments: '{"url":"u"}' } }] } },
        ],
      },
    ]
    const { io } = await play(
      [node('m', 'llm'), fetching({ retry: { attempts: 2 } })],
      [edge('t.use', 'm.tools', { channel: 'tool' })],
      { clock: hastyClock(), answers: [wanted, 'x'], tools: { fetch } },
    )
    expect(tries()).toBe(2)
    expect(io.get('m')!.outputs.tool_calls).toMatchObject([{ ok: true }])
  })
})

describe('timeoutSeconds', () => {
  const hanging = new Promise<never>(() => {})

  test('ends a model that hangs, and the run with it', async () => {
    const clock = handClock()
    const running = after(node('m', 'llm', { timeoutSeconds: 2 }), { clock, answers: [hanging] })
    await settle()
    clock.advance(1_999)
    await settle()
    clock.advance(1)
    const played = await running
    expect(failure(played)).toMatchObject({ code: 'upstream_timeout', status: 504 })
    expect(played.spans).toEqual(['a ok', 'm err', 'm/model.generate err'])
  })

  test('ends a stream that stops in the middle', async () => {
    const clock = handClock()
    const running = after(node('m', 'llm', { timeoutSeconds: 2 }), {
      clock,
      models: {
        chat: async () =>
          (async function* () {
            yield [{ choices: [{ delta: { content: 'Hel' } }] }]
            await hanging
          })(),
      },
    })
    await settle()
    clock.advance(2_000)
    const played = await running
    expect(failure(played).code).toBe('upstream_timeout')
    expect(played.text).toBe('Hel')
  })

  test('ends a tool that hangs, as a value', async () => {
    const clock = handClock()
    const running = after(fetching({ timeoutSeconds: 1 }), { clock, tools: { fetch: () => hanging } })
    await settle()
    clock.advance(1_000)
    const { io, span } = await running
    expect(span('t').close!.error).toBe('Node "t": no answer within 1 s (timeoutSeconds).')
    expect(io.get('t')!.outputs).toEqual({ err: 'Node "t": no answer within 1 s (timeoutSeconds).' })
  })

  test('is for each try', async () => {
    const clock = handClock()
    const running = after(fetching({ timeoutSeconds: 1, retry: { attempts: 2, backoffMs: 0 } }), {
      clock,
      tools: { fetch: () => hanging },
    })
    for (const wait of [1_000, 0, 1_000]) {
      await settle()
      clock.advance(wait)
    }
    expect((await running).span('t').close!.status).toBe('err')
  })

  test('that is not reached leaves nothing behind', async () => {
    const clock = handClock()
    const signals: AbortSignal[] = []
    const watched = {
      ...clock,
      sleep(ms: number, signal: AbortSignal) {
        signals.push(signal)
        return clock.sleep(ms, signal)
      },
    }
    await after(node('m', 'llm', { timeoutSeconds: 9 }), { clock: watched })
    expect(signals.map(({ aborted }) => aborted)).toEqual([true])
  })
})
