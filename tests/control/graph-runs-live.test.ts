import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { asking, graph, llm, node } from '../support/graphs'
import { held } from '../support/hold'
import { type SecondPlane, secondPlane } from '../support/second-plane'
import { eachDatabase, events } from '../support/world'

const LIMITS = { graceMs: 100, keepaliveMs: 40, primingMs: 60 }
const INTERRUPTED = 'interrupted: client disconnected mid-stream'

eachDatabase((world) => {
  let plane: SecondPlane
  beforeAll(async () => {
    await world().registerModel()
    plane = await secondPlane(world(), { runLimits: LIMITS })
  })
  afterAll(() => plane.stop())

  const start = (ir: unknown, signal?: AbortSignal) =>
    plane.fetch('/graphs/runs', {
      as: 'editor',
      method: 'POST',
      body: JSON.stringify({ ir, input: 'hi' }),
      signal,
    })
  const record = async (id: string) => (await world().call('GET', `/runs/${id}`, { as: 'editor' })).body
  // Asked of the plane that runs it, which writes what still waits first.
  const statuses = async (id: string): Promise<string[]> => {
    const answer = await plane.fetch(`/runs/${id}/trace`, { as: 'editor' })
    return ((await answer.json()) as { spans: { status: string }[] }).spans.map(({ status }) => status)
  }
  async function until(condition: () => Promise<boolean>) {
    for (const deadline = Date.now() + 5_000; !(await condition()); await Bun.sleep(5)) {
      if (Date.now() > deadline) throw new Error('waited for too long')
    }
  }
  async function firstFrames(response: Response, count: number) {
    const seen: { event?: string; data: string }[] = []
    for await (const frame of events(response)) if (seen.push(frame) === count) break
    return { seen, id: JSON.parse(seen[0]!.data).runId as string }
  }

  test('a stream begins when nothing was said for too long, and comments fill the silence', async () => {
    const hold = held({ deltas: ['late'] }, 0)
    world().provider.answers(hold.script)
    // The first node is silent too: no model has accepted anything when the stream begins.
    const response = await start(asking())
    expect(response.status).toBe(200)
    const decoder = new TextDecoder()
    let text = ''
    for await (const bytes of response.body!) {
      text += decoder.decode(bytes)
      if (text.includes(': keepalive\n\n')) hold.letGo()
    }
    expect(text).toMatch(/"status":"streaming"[\s\S]*: keepalive\n\n[\s\S]*"delta":"late"[\s\S]*"completed"/)
  })

  test('what fails after that is the last frame', async () => {
    const hold = held({ deltas: ['x'], breakAfter: 1 }, 1)
    world().provider.answers(hold.script)
    const response = await start(asking())
    hold.letGo()
    const { seen } = await firstFrames(response, 2)
    expect(JSON.parse(seen[1]!.data)).toMatchObject({ status: 'failed', error: expect.any(String) })
  })

  describe('leaving', () => {
    test('with nobody back in time fails the run, closes its spans and ends the request', async () => {
      world().provider.answers(held({ deltas: ['a', 'b'] }, 2).script)
      const leave = new AbortController()
      const { id } = await firstFrames(await start(asking(), leave.signal), 2)
      leave.abort()
      await world().provider.seen.at(-1)!.aborted
      await until(async () => (await record(id)).status === 'failed')
      expect(await record(id)).toMatchObject({ error: INTERRUPTED, output: null })
      await until(async () => !(await statuses(id)).includes('running'))
      expect(await statuses(id)).toEqual(['err', 'ok', 'err', 'err'])
    })

    test('and coming back in time loses nothing', async () => {
      const hold = held({ deltas: ['a', 'b'] }, 2)
      world().provider.answers(hold.script)
      const leave = new AbortController()
      const { id } = await firstFrames(await start(asking(), leave.signal), 2)
      leave.abort()
      const rest = await plane.fetch(`/runs/${id}/stream`, {
        as: 'editor',
        headers: { 'last-event-id': '2' },
      })
      hold.letGo()
      const told = []
      for await (const { event, data } of events(rest)) told.push(event ?? data)
      expect(told).toEqual(['delta', 'run', '[DONE]'])
      expect(await record(id)).toMatchObject({ status: 'completed', output: 'ab' })
    })
  })

  test('cancelling stops every node that is at work', async () => {
    world().provider.answers(held({ deltas: ['a', 'b'] }, 2).script)
    const ir = graph(
      [node('in', 'input'), llm('a'), llm('b'), node('out', 'output')],
      ['in.out>a.in', 'in.out>b.in', 'a.out>out.in'],
    )
    const from = world().provider.seen.length
    const { id } = await firstFrames(await start(ir), 3)
    const { status } = await plane.fetch(`/runs/${id}/cancel`, { as: 'editor', method: 'POST' })
    expect(status).toBe(202)
    await Promise.all(
      world()
        .provider.seen.slice(from)
        .map(({ aborted }) => aborted),
    )
    expect(world().provider.seen.length - from).toBe(2)
    expect(await record(id)).toMatchObject({ status: 'failed', error: 'cancelled' })
    await until(async () => !(await statuses(id)).includes('running'))
  })
})
