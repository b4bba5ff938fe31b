import { describe, expect, test } from 'bun:test'
import { until } from '../engines/machine'
import { openEnginePlane } from '../support/engine-plane'
import type { Misbehaviour } from '../support/fake-engine'

const ask = { messages: [{ role: 'user' as const, content: 'Hello' }], stream: true as const }
const WHOLE = { id: 'x', choices: [{ index: 0, message: { content: 'All of it.' } }] }
const LOADED = /^: waited \d+ ms for a model to load$/

/** A plane that tells of a load soon, and an engine that takes as long as it is told. */
async function slowPlane(engine: Misbehaviour, maxResident?: number) {
  const plane = await openEnginePlane({ engines: { 'llama-server': engine }, progressMs: 20, maxResident })
  await plane.local('mine')
  return plane
}

type Plane = Awaited<ReturnType<typeof slowPlane>>

const post = (plane: Plane, model: string, signal?: AbortSignal) =>
  fetch(`${plane.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...ask, model }),
    signal,
  })

/** The events and comments of a whole stream. */
const eventsOf = async (response: Response): Promise<string[]> =>
  (await response.text()).split('\n\n').filter((event) => event !== '')

/** Kills the engine that was started as the `count`-th, as soon as it was. */
async function killEngine(plane: Plane, count: number) {
  await until(async () => (await plane.count('start')) >= count)
  const starts = (await plane.events()).filter(({ event }) => event === 'start')
  process.kill(starts[count - 1]!.pid, 'SIGKILL')
}

const errorIn = (event: string | undefined) => JSON.parse(event!.slice('data: '.length)).error

describe('a stream that waits for a load', () => {
  test('tells of it in comments, and is the answer after that', async () => {
    await using plane = await slowPlane({ loadingMs: 400 })
    const response = await post(plane, 'mine')
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    const events = await eventsOf(response)
    const answerAt = events.findIndex((event) => LOADED.test(event))
    expect(answerAt).toBeGreaterThan(0)
    expect(events[0]).toMatch(/^: loading mine, \d+ s$/)
    expect(events.slice(0, answerAt).every((event) => event.startsWith(': '))).toBe(true)
    expect(events.slice(answerAt + 1).every((event) => event.startsWith('data: '))).toBe(true)
    expect(events.at(-1)).toBe('data: [DONE]')
    await plane.inflight('mine', 0)
  })

  test('is an ordinary one for the official client', async () => {
    await using plane = await slowPlane({ loadingMs: 300 })
    const pieces: string[] = []
    for await (const { choices } of await plane.openai.chat.completions.create({ ...ask, model: 'mine' })) {
      pieces.push(choices[0]!.delta.content ?? '')
    }
    expect(pieces.join('')).toBe('Hello from a fake.')
  })

  test('says that it waits for a place, where it does', async () => {
    await using plane = await slowPlane({ ignoreSigterm: true }, 1)
    await plane.local('other')
    await plane.chat('mine')
    const response = await post(plane, 'other')
    const reader = response.body!.getReader()
    expect(new TextDecoder().decode((await reader.read()).value)).toMatch(
      /^: waiting for a place in memory for other, 0 s/,
    )
    await killEngine(plane, 1)
    let text = ''
    for (let next = await reader.read(); !next.done; next = await reader.read())
      text += new TextDecoder().decode(next.value)
    expect(text).toEndWith('data: [DONE]\n\n')
    await killEngine(plane, 2)
  })

  test('ends with one event where the load fails', async () => {
    await using plane = await slowPlane({ hang: true })
    const response = await post(plane, 'mine')
    await killEngine(plane, 1)
    const last = errorIn((await eventsOf(response)).at(-1))
    expect(last).toEqual({
      message: expect.stringContaining('before it was ready'),
      type: 'server_error',
      code: 'upstream_error',
    })
  })

  test('is an error for the official client where the load fails', async () => {
    await using plane = await slowPlane({ hang: true })
    const stream = await plane.openai.chat.completions.create({ ...ask, model: 'mine' })
    await killEngine(plane, 1)
    const reading = async () => {
      for await (const _ of stream);
    }
    await expect(reading()).rejects.toThrow('before it was ready')
  })

  test('goes on with the fallback, streamed or not', async () => {
    await using plane = await slowPlane({ hang: true })
    await plane.register('remote')
    await plane.local('mine', { fallback: 'remote' })
    for (const streams of [true, false]) {
      if (!streams) plane.provider.on('/v1/chat/completions', () => Response.json(WHOLE))
      const response = await post(plane, 'mine')
      await killEngine(plane, streams ? 1 : 2)
      const events = (await eventsOf(response)).filter((event) => event.startsWith('data: '))
      expect(events.at(-1)).toBe('data: [DONE]')
      expect(JSON.parse(events[0]!.slice(6)).choices[0].delta).toBeDefined()
    }
  })

  test('may be left, and nothing of it stays', async () => {
    await using plane = await slowPlane({ loadingMs: 300 })
    const leaving = new AbortController()
    const response = await post(plane, 'mine', leaving.signal)
    await response.body!.getReader().read()
    leaving.abort()
    await until(async () => (await plane.state('mine')).resident)
    expect(await plane.count('request')).toBe(0)
    expect((await plane.state('mine')).inflight).toBe(0)
    expect(plane.logs.some((line) => line.includes('unexpected failure'))).toBe(false)
  })
})

describe('what is known in time keeps its status', () => {
  test('a load that fails', async () => {
    await using plane = await openEnginePlane({ engines: { 'llama-server': { crashOnLoad: 'bad magic' } } })
    await plane.local('mine')
    const { status, body } = await plane.chat('mine', { stream: true })
    expect([status, body.error.code]).toEqual([503, 'engine_unavailable'])
  })

  test('a house that is full', async () => {
    await using plane = await openEnginePlane({ held: true, maxResident: 1 })
    for (const id of ['busy', 'other']) await plane.local(id)
    const stream = await plane.openStream('busy')
    const { status, body } = await plane.chat('other', { stream: true })
    expect([status, body.error.code]).toEqual([503, 'no_capacity'])
    plane.letGoOn()
    await stream.rest()
  })

  test('a model that thinks for long, once it is loaded', async () => {
    await using plane = await slowPlane({ paceMs: 0, hangOnRequest: true })
    await plane.call('POST', '/admin/models/mine:warm')
    const leaving = new AbortController()
    const asked = post(plane, 'mine', leaving.signal)
    await until(async () => (await plane.count('request')) === 1)
    await Bun.sleep(100)
    leaving.abort()
    // No head had come by then, or it would be a response whose body breaks.
    await expect(asked).rejects.toThrow()
  })
})

test('an answer says how long it waited for a load, and a loaded model says nothing', async () => {
  await using plane = await openEnginePlane()
  await plane.local('mine')
  const header = async (stream: boolean) =>
    (await plane.chat('mine', { stream })).headers.get('x-service-load-ms')
  expect(Number(await header(true))).toBeGreaterThan(0)
  expect(await header(true)).toBeNull()
  await plane.call('POST', '/admin/models/mine:evict')
  expect(Number(await header(false))).toBeGreaterThan(0)
})
