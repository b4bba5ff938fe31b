import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type SecondPlane, secondPlane } from '../support/second-plane'
import { eachDatabase, events } from '../support/world'

const LIMITS = { graceMs: 150, keepMs: 60_000, keepaliveMs: 40, maxRunChars: 20_000 }
const INTERRUPTED = 'interrupted: client disconnected mid-stream'

/** One frame as `<id> <event> <what it says>`; the end as `[DONE]`. */
type Told = string

eachDatabase((world) => {
  let plane: SecondPlane
  beforeAll(async () => {
    await world().registerModel()
    plane = await secondPlane(world(), { runLimits: LIMITS })
  })
  afterAll(() => plane.stop())

  const start = (body: Record<string, unknown> = {}, signal?: AbortSignal) =>
    plane.fetch('/runs', {
      method: 'POST',
      body: JSON.stringify({ input: 'hi', model: 'test-model', ...body }),
      signal,
    })
  const attach = (id: string, after?: number, signal?: AbortSignal) =>
    plane.fetch(`/runs/${id}/stream`, {
      headers: after === undefined ? {} : { 'last-event-id': String(after) },
      signal,
    })
  const cancel = (id: string) => plane.fetch(`/runs/${id}/cancel`, { method: 'POST' })
  const json = async (answer: Response) =>
    [answer.status, await answer.json()] as [number, Record<string, unknown>]
  const record = async (id: string) => (await world().call('GET', `/runs/${id}`, { as: 'viewer' })).body
  const provider = () => world().provider

  async function* told(response: Response): AsyncGenerator<Told> {
    for await (const { id, event, data } of events(response)) {
      if (data === '[DONE]') {
        yield data
        continue
      }
      const { runId, ...rest } = JSON.parse(data)
      yield `${id} ${event} ${JSON.stringify(rest)}`
    }
  }
  const all = (response: Response) => Array.fromAsync(told(response))

  /** Reads `count` frames of a new run and leaves; the run's id, and what was told. */
  async function readAndLeave(count: number, body: Record<string, unknown> = {}) {
    const leave = new AbortController()
    const response = await start(body, leave.signal)
    const seen: Told[] = []
    let id = ''
    for await (const { id: frame, event, data } of events(response)) {
      const { runId, ...rest } = JSON.parse(data)
      id = runId
      seen.push(`${frame} ${event} ${JSON.stringify(rest)}`)
      if (seen.length === count) break
    }
    leave.abort()
    return { id, seen }
  }

  async function until(condition: () => Promise<boolean>) {
    for (const deadline = Date.now() + 5_000; !(await condition()); await Bun.sleep(5)) {
      if (Date.now() > deadline) throw new Error('waited for too long')
    }
  }

  const WORDS = ['One', ' two', ' “three”\n', ' fo', 'ur 🙂', ' five']
  const WHOLE: Told[] = [
    '1 run {"status":"streaming","model":"test-model"}',
    '2 reasoning {"reasoning":"Hm."}',
    ...WORDS.map((delta, index) => `${index + 3} delta ${JSON.stringify({ delta })}`),
    '9 run {"status":"completed"}',
    '[DONE]',
  ]
  const script = { reasoning: ['Hm.'], deltas: WORDS }

  test('a stream tells the run, its thinking, its answer and its end, to the letter', async () => {
    provider().answers({ reasoning: ['Hm.'], deltas: ['Hel', 'lo'] })
    const response = await start()
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const text = await response.text()
    const id = /"runId":"(\w+)"/.exec(text)![1]
    expect(text).toBe(
      [
        `id: 1\nevent: run\ndata: {"runId":"${id}","status":"streaming","model":"test-model"}\n\n`,
        `id: 2\nevent: reasoning\ndata: {"runId":"${id}","reasoning":"Hm."}\n\n`,
        `id: 3\nevent: delta\ndata: {"runId":"${id}","delta":"Hel"}\n\n`,
        `id: 4\nevent: delta\ndata: {"runId":"${id}","delta":"lo"}\n\n`,
        `id: 5\nevent: run\ndata: {"runId":"${id}","status":"completed"}\n\n`,
        'data: [DONE]\n\n',
      ].join(''),
    )
  })

  test('silence is filled with comments', async () => {
    const go = Promise.withResolvers<void>()
    provider().answers({ deltas: ['a'], before: (index) => (index === 1 ? go.promise : undefined) })
    const response = await start()
    let text = ''
    for await (const bytes of response.body!) {
      text += new TextDecoder().decode(bytes)
      if (text.includes(': keepalive\n\n')) go.resolve()
    }
    expect(text).toMatch(/: keepalive\n\n[\s\S]*"delta":"a"/)
  })

  describe('attaching again', () => {
    test('at every frame of a run that goes on loses nothing and doubles nothing', async () => {
      for (let cut = 1; cut <= 6; cut++) {
        const go = Promise.withResolvers<void>()
        // Held after the frames that are read first, so that the rest comes while we are attached again.
        provider().answers({ ...script, before: (index) => (index === 6 ? go.promise : undefined) })
        const { id, seen } = await readAndLeave(cut)
        const rest = all(await attach(id, cut))
        go.resolve()
        expect([...seen, ...(await rest)]).toEqual(WHOLE)
      }
    })

    test('at every frame of a run that has ended does the same', async () => {
      provider().answers(script)
      const { id } = await readAndLeave(1)
      await until(async () => (await record(id)).status === 'completed')
      for (let cut = 0; cut < WHOLE.length; cut++) {
        expect(await all(await attach(id, cut))).toEqual(WHOLE.slice(cut))
      }
      expect(await all(await attach(id, 500))).toEqual(['[DONE]'])
    })

    test('again and again, after each single frame', async () => {
      provider().answers({ ...script, before: () => Bun.sleep(3) })
      const { id, seen } = await readAndLeave(1)
      for (let last = 1; last < 9; last++) {
        const leave = new AbortController()
        for await (const frame of told(await attach(id, last, leave.signal))) {
          seen.push(frame)
          break
        }
        leave.abort()
      }
      expect([...seen, '[DONE]']).toEqual(WHOLE)
    })

    test('without a frame to start from tells everything; the header wins over the query', async () => {
      provider().answers(script)
      const { id } = await readAndLeave(2)
      expect(await all(await attach(id))).toEqual(WHOLE)
      expect(await all(await plane.fetch(`/runs/${id}/stream?last_event_id=4`))).toEqual(WHOLE.slice(4))
      const both = await plane.fetch(`/runs/${id}/stream?last_event_id=4`, {
        headers: { 'last-event-id': '7' },
      })
      expect(await all(both)).toEqual(WHOLE.slice(7))
      const [status, body] = await json(await plane.fetch(`/runs/${id}/stream?last_event_id=x`))
      expect([status, (body.error as { code: string }).code]).toEqual([422, 'validation_error'])
    })

    test('several at once are told the same, also one that takes its time', async () => {
      const go = Promise.withResolvers<void>()
      provider().answers({ ...script, before: (index) => (index === 5 ? go.promise : undefined) })
      const { id } = await readAndLeave(3)
      const [first, second, slow] = await Promise.all([attach(id), attach(id, 2), attach(id)])
      const fast = [all(first!), all(second!)]
      go.resolve()
      expect(await Promise.all(fast)).toEqual([WHOLE, WHOLE.slice(2)])
      expect(await all(slow!)).toEqual(WHOLE)
    })

    test('to a run whose frames are gone retells the whole from its record, but no rest', async () => {
      await using forgetful = await secondPlane(world(), { runLimits: { keepMs: 0 } })
      provider().answers({ deltas: ['Hel', 'lo'] })
      const answer = await forgetful.fetch('/runs', {
        method: 'POST',
        body: JSON.stringify({ input: 'hi', model: 'test-model', stream: false }),
      })
      const { runId } = (await answer.json()) as { runId: string }
      await until(async () => {
        const retold = await all(await forgetful.fetch(`/runs/${runId}/stream`))
        return retold[1] === '2 delta {"delta":"Hello"}' && retold.at(-1) === '[DONE]'
      })
      const [status, body] = await json(await forgetful.fetch(`/runs/${runId}/stream?last_event_id=2`))
      expect([status, (body.error as { code: string }).code]).toEqual([410, 'stream_gone'])
    })

    test('keeps no more of finished runs than it may', async () => {
      await using small = await secondPlane(world(), { runLimits: { maxKeptChars: 5_000 } })
      provider().answers({ deltas: ['x'.repeat(1_500)] })
      const ids: string[] = []
      for (let count = 0; count < 3; count++) {
        const answer = await small.fetch('/runs', {
          method: 'POST',
          body: JSON.stringify({ input: 'hi', model: 'test-model', stream: false }),
        })
        ids.push(((await answer.json()) as { runId: string }).runId)
      }
      const statusOf = async (id: string) => (await small.fetch(`/runs/${id}/stream?last_event_id=1`)).status
      expect(await Promise.all(ids.map(statusOf))).toEqual([410, 410, 200])
    })
  })

  describe('leaving', () => {
    const hang = () => {
      provider().answers({
        deltas: ['a', 'b'],
        before: (index) => (index === 2 ? new Promise(() => {}) : undefined),
      })
    }

    test('with nobody back in time fails the run and ends the request to the provider', async () => {
      hang()
      const { id } = await readAndLeave(2)
      await provider().seen.at(-1)!.aborted
      await until(async () => (await record(id)).status === 'failed')
      expect(await record(id)).toMatchObject({ error: INTERRUPTED, output: null })
      expect(await all(await attach(id, 2))).toEqual([
        `3 run {"status":"failed","error":"${INTERRUPTED}"}`,
        '[DONE]',
      ])
    })

    test('and coming back in time lets it go on, for as long as somebody is there', async () => {
      const go = Promise.withResolvers<void>()
      provider().answers({ ...script, before: (index) => (index === 4 ? go.promise : undefined) })
      const { id, seen } = await readAndLeave(3)
      const back = await attach(id, 3)
      await Bun.sleep(LIMITS.graceMs * 2)
      go.resolve()
      expect([...seen, ...(await all(back))]).toEqual(WHOLE)
    })

    test('a run that does not stream is the same', async () => {
      hang()
      const leave = new AbortController()
      const answer = start({ stream: false }, leave.signal).catch(() => null)
      await until(
        async () =>
          (await world().call('GET', '/runs?limit=1', { as: 'viewer' })).body.runs[0].status === 'streaming',
      )
      const { id } = (await world().call('GET', '/runs?limit=1', { as: 'viewer' })).body.runs[0]
      leave.abort()
      await answer
      await provider().seen.at(-1)!.aborted
      await until(async () => (await record(id)).error === INTERRUPTED)
    })

    test('before the model has answered at all is the same', async () => {
      const before = provider().seen.length
      await using deaf = Bun.serve({ port: 0, idleTimeout: 0, fetch: () => new Promise<Response>(() => {}) })
      await world().registerModel('deaf', { baseUrl: `http://127.0.0.1:${deaf.port}/v1` })
      const leave = new AbortController()
      const answer = start({ model: 'deaf' }, leave.signal).catch(() => null)
      const latest = async () => (await world().call('GET', '/runs?limit=1', { as: 'viewer' })).body.runs[0]
      await until(async () => (await latest()).model === 'deaf')
      leave.abort()
      await answer
      await until(async () => (await latest()).error === INTERRUPTED)
      expect(provider().seen.length).toBe(before)
    })
  })

  describe('cancelling', () => {
    test('ends the stream and the request to the provider at once; a second time is too late', async () => {
      provider().answers({
        deltas: ['a', 'b'],
        before: (index) => (index === 2 ? new Promise(() => {}) : undefined),
      })
      const response = await start()
      const seen: Told[] = []
      let cancelled: Promise<[number, unknown]> | undefined
      let id = ''
      for await (const { id: frame, event, data } of events(response)) {
        if (data === '[DONE]') {
          seen.push(data)
          break
        }
        const { runId, ...rest } = JSON.parse(data)
        id = runId
        seen.push(`${frame} ${event} ${JSON.stringify(rest)}`)
        if (event === 'delta') cancelled = cancel(id).then(json)
      }
      expect(await cancelled).toEqual([202, { runId: id, status: 'failed' }])
      expect(seen.slice(-2)).toEqual(['3 run {"status":"failed","error":"cancelled"}', '[DONE]'])
      await provider().seen.at(-1)!.aborted
      expect(await record(id)).toMatchObject({ status: 'failed', error: 'cancelled', output: null })
      const [status, body] = await json(await cancel(id))
      expect([status, (body.error as { code: string }).code]).toEqual([409, 'run_finished'])
      expect((await record(id)).error).toBe('cancelled')
    })

    test('answers whoever waits for a run that does not stream', async () => {
      provider().answers({
        deltas: ['a'],
        before: (index) => (index === 1 ? new Promise(() => {}) : undefined),
      })
      const waiting = start({ stream: false }).then(json)
      const latest = async () => (await world().call('GET', '/runs?limit=1', { as: 'viewer' })).body.runs[0]
      await until(async () => (await latest()).status === 'streaming')
      const { id } = await latest()
      expect((await cancel(id)).status).toBe(202)
      expect(await waiting).toEqual([
        409,
        { error: { code: 'run_cancelled', message: 'cancelled' }, runId: id },
      ])
    })

    test('a run of another instance ends there too', async () => {
      const go = Promise.withResolvers<void>()
      provider().answers({ deltas: ['a'], before: (index) => (index === 2 ? go.promise : undefined) })
      const { id } = await readAndLeave(2)
      const rest = attach(id, 2).then(all)
      const elsewhere = await world().call('POST', `/runs/${id}/cancel`, { as: 'viewer' })
      expect(elsewhere.status).toBe(202)
      go.resolve()
      expect(await rest).toEqual(['3 run {"status":"failed","error":"cancelled"}', '[DONE]'])
      expect(await record(id)).toMatchObject({ status: 'failed', error: 'cancelled', output: null })
    })
  })

  describe('a failure in the middle', () => {
    const failing = async () => {
      const frames = await all(await start())
      const { runs } = (await world().call('GET', '/runs?limit=1', { as: 'viewer' })).body
      return { frames, run: runs[0] }
    }

    test('a provider that breaks off', async () => {
      // What came before is on its way when the connection breaks.
      const before = (index: number) => (index === 3 ? Bun.sleep(30) : undefined)
      provider().answers({ deltas: ['a', 'b', 'c'], breakAfter: 3, before })
      const { frames, run } = await failing()
      expect(frames.slice(1, 3)).toEqual(['2 delta {"delta":"a"}', '3 delta {"delta":"b"}'])
      expect(frames.at(-2)).toMatch(/^4 run \{"status":"failed","error":".*broke off/)
      expect(frames.at(-1)).toBe('[DONE]')
      expect(run).toMatchObject({ status: 'failed', output: null, error: expect.stringMatching('broke off') })
    })

    test('a provider that says so', async () => {
      provider().answers({
        rawChunks: [
          'data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n',
          'data: {"choices":[{"index":0,"delta":{"content":"b"}}]}\n\ndata: {"error":{"message":"Out of memory."}}\n\n',
        ],
      })
      const { frames, run } = await failing()
      expect(frames.slice(1)).toEqual([
        '2 delta {"delta":"a"}',
        '3 delta {"delta":"b"}',
        '4 run {"status":"failed","error":"Out of memory."}',
        '[DONE]',
      ])
      expect(run.error).toBe('Out of memory.')
    })

    test.each([
      ['a stream that ends without an end', ['data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n']],
      [
        'an event that is no JSON',
        ['data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n', 'data: <html>\n\n'],
      ],
      [
        'an event that is no object',
        ['data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n', 'data: 7\n\n'],
      ],
    ])('%s', async (_, rawChunks) => {
      provider().answers({ rawChunks })
      const { frames, run } = await failing()
      expect(frames[1]).toBe('2 delta {"delta":"a"}')
      expect(frames[2]).toMatch(/"status":"failed".*stream broke off/)
      expect(run.status).toBe('failed')
    })

    test('an answer that goes beyond what a run may hold', async () => {
      provider().answers({ deltas: Array.from({ length: 40 }, () => 'x'.repeat(1_000)) })
      const { frames, run } = await failing()
      expect(frames.at(-2)).toMatch(/"status":"failed","error":"The model sent more than a run may hold/)
      expect(frames.length).toBeLessThan(30)
      expect(run.error).toMatch('maxTokens')
    })

    test('the same, of a run that does not stream, is an error with the run beside it', async () => {
      provider().answers({
        deltas: ['a', 'b'],
        breakAfter: 2,
        before: (index) => (index === 2 ? Bun.sleep(30) : undefined),
      })
      const [status, body] = await json(await start({ stream: false }))
      expect([status, (body.error as { code: string }).code]).toEqual([502, 'upstream_error'])
      expect(await record(body.runId as string)).toMatchObject({ status: 'failed' })
    })
  })

  test('a stop of the process fails what still goes on', async () => {
    const other = await secondPlane(world())
    provider().answers({
      deltas: ['a', 'b'],
      before: (index) => (index === 2 ? new Promise(() => {}) : undefined),
    })
    const response = await other.fetch('/runs', {
      method: 'POST',
      body: JSON.stringify({ input: 'hi', model: 'test-model' }),
    })
    let id = ''
    for await (const { event, data } of events(response)) {
      id = JSON.parse(data).runId
      if (event === 'delta') break
    }
    await other.stop()
    await provider().seen.at(-1)!.aborted
    expect(await record(id)).toMatchObject({
      status: 'failed',
      error: 'interrupted: control-plane restarted while run was in-flight',
    })
    const { spans } = (await world().call('GET', `/runs/${id}/trace`, { as: 'viewer' })).body
    expect(spans.map(({ status }: { status: string }) => status)).toEqual(['err', 'err', 'err'])
  })
})
