import { describe, expect, test } from 'bun:test'
import { AppError } from '#kernel/errors'
import { fakeResident, turn } from './fake-runs'

const never = new AbortController().signal

/** A fake world with models `a` to `d`. */
function world(ceiling = 2, memoryBytes = Number.POSITIVE_INFINITY) {
  const fake = fakeResident({ ceiling, memoryBytes })
  for (const id of ['a', 'b', 'c', 'd']) fake.register(id)
  return {
    ...fake,
    /** A lease on a model, loaded if need be. */
    async lease(id: string) {
      const asked = fake.resident.acquire(id, never)
      await fake.settle()
      return await asked
    },
  }
}

describe('a lease', () => {
  test('comes when the engine is ready, and the next one at once', async () => {
    await using one = world()
    const asked = one.resident.acquire('a', never)
    await turn()
    expect(one.resident.model('a')).toMatchObject({ resident: false, phase: 'loading' })
    one.run('a').load()
    const first = await asked
    expect(first.baseUrl).toBe('http://engine-1/v1')
    const second = await one.resident.acquire('a', never)
    expect(second.baseUrl).toBe(first.baseUrl)
    expect(one.resident.model('a')).toEqual({
      resident: true,
      phase: 'ready',
      inflight: 2,
      draining: false,
      baseUrl: 'http://engine-1/v1',
    })
    first.release()
    first.release()
    expect(one.resident.model('a').inflight).toBe(1)
  })

  test('ends with its block', async () => {
    await using one = world()
    {
      await using _ = await one.lease('a')
      expect(one.resident.model('a').inflight).toBe(1)
    }
    expect(one.resident.model('a').inflight).toBe(0)
  })

  test('is one load for everybody who asks meanwhile', async () => {
    await using one = world()
    const asked = Array.from({ length: 20 }, () => one.resident.acquire('a', never))
    await one.settle()
    expect(new Set((await Promise.all(asked)).map(({ baseUrl }) => baseUrl)).size).toBe(1)
    expect(one.runs).toHaveLength(1)
  })

  test('on an engine that dies says so, and the next request starts it anew', async () => {
    await using one = world()
    const lease = await one.lease('a')
    one.run('a').crash()
    await turn()
    expect(lease.signal.aborted).toBe(true)
    expect(lease.signal.reason).toMatchObject({ code: 'engine_unavailable', message: 'The engine crashed.' })
    expect(one.resident.model('a')).toMatchObject({ resident: false, inflight: 0 })
    lease.release()
    expect((await one.lease('a')).baseUrl).toBe('http://engine-2/v1')
  })
})

test('an engine that hangs can be given up by who finds out', async () => {
  await using one = world()
  const [finder, other] = [await one.lease('a'), await one.lease('a')]
  finder.condemn(new AppError('engine_unavailable', 'The engine hangs.'))
  expect(other.signal.reason).toMatchObject({ message: 'The engine hangs.' })
  expect(one.run('a').state).toBe('stopping')
  expect((await one.lease('a')).baseUrl).toBe('http://engine-2/v1')
})

describe('who waits for a load', () => {
  test('may leave, and the load goes on', async () => {
    await using one = world()
    const caller = new AbortController()
    const asked = one.resident.acquire('a', caller.signal)
    await turn()
    caller.abort(new Error('gone home'))
    await expect(asked).rejects.toThrow('gone home')
    await one.settle()
    expect(one.resident.model('a')).toMatchObject({ resident: true, inflight: 0 })
  })

  test('learns why it failed, and the next request tries again', async () => {
    await using one = world()
    const asked = [one.resident.acquire('a', never), one.resident.acquire('a', never)]
    await turn()
    one.run('a').failToLoad()
    const reasons = (await Promise.allSettled(asked)).map(
      (end) => end.status === 'rejected' && end.reason.message,
    )
    expect(reasons).toEqual(['The engine does not load.', 'The engine does not load.'])
    await one.lease('a')
    expect(one.runs).toHaveLength(2)
  })

  test('gets what is registered when its turn comes', async () => {
    await using one = world(1)
    const busy = await one.lease('a')
    busy.release()
    const asked = one.resident.acquire('b', never)
    await turn()
    expect(one.resident.model('b').phase).toBe('waiting')
    one.register('b', { model: 'new' })
    await one.resident.retire('b')
    await one.settle()
    expect((await asked).registration.model).toBe('new')
  })

  test('for a model that is deleted meanwhile is told', async () => {
    await using one = world(1)
    ;(await one.lease('a')).release()
    const asked = one.resident.acquire('b', never)
    await turn()
    one.registrations.delete('b')
    await one.resident.retire('b')
    const [end] = await Promise.all([asked.catch((error: unknown) => error), one.settle()])
    expect(end).toMatchObject({ code: 'model_not_found' })
  })
})

describe('room', () => {
  test('is made by the engine that was idle longest', async () => {
    await using one = world()
    ;(await one.lease('a')).release()
    one.clock.now += 1
    ;(await one.lease('b')).release()
    await one.lease('c')
    expect(one.alive().map(({ id }) => id)).toEqual(['b', 'c'])
  })

  test('is not made for a model that cannot be loaded', async () => {
    await using one = world(1)
    ;(await one.lease('a')).release()
    one.broken.set('b', new AppError('engine_unavailable', 'llama-server was not found.'))
    await expect(one.resident.acquire('b', never)).rejects.toThrow('llama-server was not found.')
    await expect(one.resident.acquire('unknown', never)).rejects.toMatchObject({ code: 'model_not_found' })
    expect(one.resident.model('a').resident).toBe(true)
  })

  test('is not there while everybody is busy', async () => {
    await using one = world(1)
    await one.lease('a')
    await expect(one.resident.acquire('b', never)).rejects.toMatchObject({ code: 'no_capacity', status: 503 })
  })

  test('grows and shrinks with the ceiling', async () => {
    await using one = world(1)
    const [first] = [await one.lease('a')]
    one.resident.setCeiling(2)
    const second = await one.lease('b')
    one.resident.setCeiling(1)
    expect(one.resident.model('a').draining).toBe(true)
    first.release()
    await one.settle()
    expect(one.alive().map(({ id }) => id)).toEqual(['b'])
    second.release()
    expect(one.resident.model('b').resident).toBe(true)
  })
})

describe('leaving', () => {
  test('an idle engine is evicted before the answer comes', async () => {
    await using one = world()
    ;(await one.lease('a')).release()
    const evicted = one.resident.evict('a')
    expect(one.resident.model('a')).toMatchObject({ resident: false, phase: 'stopping' })
    one.run('a').exit()
    await evicted
    expect(one.resident.model('a')).toEqual({ resident: false, phase: 'cold', inflight: 0, draining: false })
    expect(one.resident.engines()).toEqual([])
  })

  test('a busy engine drains, and a new request keeps it', async () => {
    await using one = world()
    const lease = await one.lease('a')
    await one.resident.evict('a')
    expect(one.resident.model('a')).toMatchObject({ resident: true, inflight: 1, draining: true })
    const other = await one.resident.acquire('a', never)
    expect(one.resident.model('a').draining).toBe(false)
    await one.resident.evict('a')
    lease.release()
    other.release()
    await one.settle()
    expect(one.alive()).toEqual([])
  })

  test('a replaced model is served by a new engine while the old one finishes', async () => {
    await using one = world()
    const old = await one.lease('a')
    one.register('a', { model: 'new' })
    await one.resident.retire('a')
    const fresh = await one.lease('a')
    expect([old.registration.model, fresh.registration.model]).toEqual(['a', 'new'])
    expect(one.resident.engines().map(({ model, draining }) => [model, draining])).toEqual([
      ['a', true],
      ['new', false],
    ])
    old.release()
    await one.settle()
    expect(one.alive().map(({ registration }) => registration.model)).toEqual(['new'])
  })

  test('an idle engine is reaped when its time is over', async () => {
    await using one = world()
    one.register('a', { lifecycle: { keepWarm: false, idleTimeoutSec: 60, priority: 0 } })
    ;(await one.lease('a')).release()
    one.clock.now += 59_999
    one.resident.reap()
    expect(one.resident.model('a').resident).toBe(true)
    one.clock.now += 1
    one.resident.reap()
    expect(one.resident.model('a').resident).toBe(false)
  })

  test('of Tycho stops every engine, ends every lease and refuses who waits', async () => {
    await using one = world()
    const lease = await one.lease('a')
    const asked = one.resident.acquire('b', never)
    await turn()
    const closed = one.resident[Symbol.asyncDispose]()
    await expect(asked).rejects.toMatchObject({ code: 'shutting_down' })
    await one.settle()
    await closed
    expect(lease.signal.aborted).toBe(true)
    expect(one.alive()).toEqual([])
    await expect(one.resident.acquire('a', never)).rejects.toMatchObject({ code: 'shutting_down' })
  })
})

describe('memory', () => {
  /** Engines may take 100 bytes together; `a` and `b` are idle and take 40 each. */
  async function crowded(takes: number) {
    const one = world(3, 100)
    for (const id of ['a', 'b']) one.register(id, { params: { takes: 40 } })
    one.register('c', { params: { takes } })
    for (const id of ['a', 'b']) {
      ;(await one.lease(id)).release()
      one.clock.now += 1
    }
    return one
  }

  test('is made by idle engines, and by no more of them than it takes', async () => {
    await using one = await crowded(60)
    const asked = one.resident.acquire('c', never)
    await turn()
    expect(one.run('a').state).toBe('stopping')
    expect(one.run('c')).toBeUndefined()
    await one.settle()
    await asked
    expect(one.alive().map(({ id }) => id)).toEqual(['b', 'c'])
    expect(one.resident.model('c').warning).toBeUndefined()
  })

  test('that is enough leaves everybody alone', async () => {
    await using one = await crowded(20)
    await one.lease('c')
    expect(one.alive().map(({ id }) => id)).toEqual(['a', 'b', 'c'])
  })

  test('that is short with everybody gone is told while the model is loaded all the same', async () => {
    await using one = await crowded(160)
    const lease = await one.lease('c')
    expect(one.alive().map(({ id }) => id)).toEqual(['c'])
    const warning = expect.stringContaining('needs about 160 bytes of memory')
    expect(one.resident.model('c')).toMatchObject({ resident: true, warning })
    expect(one.resident.engines()).toMatchObject([{ logicalId: 'c', warning }])
    lease.release()
  })

  test('is not made by who works, and a load that fails says that it was short', async () => {
    await using one = await crowded(60)
    for (const id of ['a', 'b']) await one.lease(id)
    const asked = one.resident.acquire('c', never)
    await turn()
    one.run('c').failToLoad()
    await expect(asked).rejects.toThrow(/does not load\.\nIt needs about 60 bytes .* 20 bytes are free/)
    expect(one.resident.model('a').inflight).toBe(1)
  })

  test('that is being freed is waited for, so that nobody goes in vain', async () => {
    await using one = await crowded(50)
    const evicted = one.resident.evict('a')
    const asked = one.resident.acquire('c', never)
    await turn()
    expect(one.resident.model('b').phase).toBe('ready')
    await one.settle()
    await Promise.all([evicted, asked])
    expect(one.alive().map(({ id }) => id)).toEqual(['b', 'c'])
  })

  test('is not waited for by a load that was given up', async () => {
    await using one = await crowded(60)
    const leaving = new AbortController()
    const asked = one.resident.acquire('c', leaving.signal)
    await turn()
    leaving.abort()
    await expect(asked).rejects.toThrow()
    const freed = one.resident.evict('c')
    await one.settle()
    await freed
    expect(one.run('c')).toBeUndefined()
    expect(one.resident.model('c').phase).toBe('cold')
  })
})

test('how long a load takes is told, the wait for a place included', async () => {
  await using one = world(1)
  ;(await one.lease('a')).release()
  const asked = one.resident.acquire('b', never)
  await turn()
  one.clock.now += 3_000
  expect(one.resident.model('b')).toMatchObject({ phase: 'waiting', loadingMs: 3_000 })
  one.run('a').exit()
  await turn()
  one.clock.now += 2_000
  expect(one.resident.model('b')).toMatchObject({ phase: 'loading', loadingMs: 5_000 })
  await one.settle()
  await asked
  expect(one.resident.model('b').loadingMs).toBeUndefined()
})

test('what is alive is shown as the engines endpoint wants it', async () => {
  await using one = world()
  one.register('a', { lifecycle: { keepWarm: true, idleTimeoutSec: 60, priority: 3 } })
  await one.lease('a')
  void one.resident.acquire('b', never).catch(() => {})
  await turn()
  const common = { engine: 'llamacpp', modality: 'chat', draining: false } as const
  expect(one.resident.engines()).toEqual([
    {
      ...common,
      logicalId: 'a',
      model: 'a',
      phase: 'ready',
      baseUrl: 'http://engine-1/v1',
      inflight: 1,
      priority: 3,
    },
    {
      ...common,
      logicalId: 'b',
      model: 'b',
      phase: 'loading',
      baseUrl: 'http://engine-2/v1',
      inflight: 0,
      priority: 0,
      loadingMs: 0,
    },
  ])
})

test('a model is warmed without a lease being left', async () => {
  await using one = world()
  const warmed = one.resident.warm('a', never)
  await one.settle()
  await warmed
  expect(one.resident.model('a')).toMatchObject({ resident: true, inflight: 0 })
})
