import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { newAnswer, type RunFrame, withFrame } from '../../../ui/chat/answer'
import { follow, type Heard, type Position, type Source } from '../../../ui/chat/follow'

/** A server that keeps every frame of one run and breaks each connection where the test says. */
function server(frames: RunFrame[], breaks: number[]) {
  const attached: (string | null)[] = []
  const connection = async function* (from: number) {
    const length = breaks.shift() ?? Number.POSITIVE_INFINITY
    for (const [sent, frame] of frames.slice(from).entries()) {
      if (sent >= length) throw new TypeError('network error')
      yield frame
    }
  }
  const source: Source = {
    start: async () => connection(0),
    attach: async (_run, lastEventId) => {
      attached.push(lastEventId)
      return connection(lastEventId === null ? 0 : frames.findIndex(({ id }) => id === lastEventId) + 1)
    },
    record: async () => ({ status: 'completed', output: 'from the record', error: null }),
    wait: async () => undefined,
  }
  return { source, attached }
}

function runFrames(pieces: string[]): RunFrame[] {
  const data = [
    ['run', { runId: 'r1', status: 'streaming' }],
    ...pieces.map((delta) => ['delta', { runId: 'r1', delta }] as const),
    ['run', { runId: 'r1', status: 'completed' }],
  ] as const
  const frames = data.map(([event, value], index) => ({
    event,
    id: String(index + 1),
    data: JSON.stringify(value),
  }))
  return [...frames, { data: '[DONE]' }]
}

async function listen(source: Source, from: Position = { runId: null, lastEventId: null }) {
  const heard: Heard[] = []
  for await (const next of follow(source, from, new AbortController().signal)) heard.push(next)
  return heard
}

const textOf = (heard: Heard[]) =>
  heard.reduce(
    (answer, next) => (next.kind === 'frame' ? withFrame(answer, next.frame, 0) : answer),
    newAnswer(0),
  ).text

const refusal = (status: number, code: string) => Object.assign(new Error(code), { status, code })

describe('following a run', () => {
  test('takes a broken stream up again after the last event heard', async () => {
    const { source, attached } = server(runFrames(['a', 'b', 'c']), [2])
    const heard = await listen(source)
    expect(textOf(heard)).toBe('abc')
    expect(attached).toEqual(['2'])
  })

  test('loses and doubles nothing, wherever the connections break', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ minLength: 1 })),
        fc.array(fc.integer({ min: 1, max: 4 })),
        async (pieces, breaks) => {
          const heard = await listen(server(runFrames(pieces), [...breaks]).source)
          expect(textOf(heard)).toBe(pieces.join(''))
        },
      ),
    )
  })

  test('comes back as often as it takes, as long as each time brings something', async () => {
    const pieces = Array.from({ length: 20 }, (_, index) => `${index} `)
    const heard = await listen(server(runFrames(pieces), Array(20).fill(1)).source)
    expect(textOf(heard)).toBe(pieces.join(''))
  })

  test('re-attaches after a reload without starting the run again', async () => {
    const { source, attached } = server(runFrames(['a', 'b', 'c']), [])
    const heard = await listen({ ...source, start: undefined }, { runId: 'r1', lastEventId: '3' })
    expect(textOf(heard)).toBe('c')
    expect(attached).toEqual(['3'])
  })

  test('asks for the record when the server no longer keeps the stream', async () => {
    const { source } = server(runFrames(['a']), [])
    const gone = { ...source, start: undefined, attach: () => Promise.reject(refusal(410, 'stream_gone')) }
    expect(await listen(gone, { runId: 'r1', lastEventId: '1' })).toEqual([
      { kind: 'record', run: { status: 'completed', output: 'from the record', error: null } },
    ])
  })

  test('waits for the record of a run that goes on', async () => {
    const { source } = server(runFrames([]), [])
    const states = ['streaming', 'streaming', 'failed']
    const record = async () => ({ status: states.shift()!, output: null, error: 'interrupted' })
    const gone = {
      ...source,
      start: undefined,
      record,
      attach: () => Promise.reject(refusal(410, 'stream_gone')),
    }
    const heard = await listen(gone, { runId: 'r1', lastEventId: null })
    expect(heard).toEqual([{ kind: 'record', run: { status: 'failed', output: null, error: 'interrupted' } }])
  })

  test('a durable run has no stream: its record tells the end, and is asked for less often while a person thinks', async () => {
    const states = ['created', 'waiting', 'streaming', 'completed']
    const pauses: number[] = []
    const heard = await listen({
      start: async () => ({ runId: 'r1' }),
      attach: () => Promise.reject(refusal(410, 'stream_gone')),
      record: async () => ({ status: states.shift()!, output: 'done', error: null }),
      wait: async (ms) => void pauses.push(ms),
    })
    expect(heard).toEqual([
      { kind: 'begun', runId: 'r1' },
      { kind: 'record', run: { status: 'completed', output: 'done', error: null } },
    ])
    expect(pauses).toEqual([1000, 3000, 1000])
  })

  test.each([
    ['before the run exists', { runId: null, lastEventId: null }, 404, 'model_not_found'],
    ['of somebody else’s run', { runId: 'r1', lastEventId: null }, 404, 'run_not_found'],
  ])('hands a refusal %s to the caller', async (_name, from, status, code) => {
    const { source } = server([], [])
    const refused = () => Promise.reject(refusal(status, code))
    const refusing: Source = { ...source, start: from.runId ? undefined : refused, attach: refused }
    await expect(listen(refusing, from)).rejects.toMatchObject({ code })
  })

  test('gives up a server that stays away', async () => {
    const { source } = server(runFrames(['a']), [1])
    const away = () => Promise.reject(refusal(0, 'unreachable'))
    await expect(listen({ ...source, attach: away, record: away })).rejects.toMatchObject({
      code: 'unreachable',
    })
  })

  test('stops at once when the listener leaves', async () => {
    const leaving = new AbortController()
    const { source } = server(runFrames(['a', 'b']), [])
    const heard: Heard[] = []
    for await (const next of follow(source, { runId: null, lastEventId: null }, leaving.signal)) {
      heard.push(next)
      break
    }
    leaving.abort()
    expect(heard).toHaveLength(1)
  })
})
