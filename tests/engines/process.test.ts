import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServerPlan } from '#engines/engine'
import { EngineProcess, type ProcessDeps } from '#engines/process'
import { groupRuns } from '#engines/process-group'
import { fakeEngine, type Misbehaviour, recorded } from '../support/fake-engine'
import { runs, testFolder, testProcesses, until } from './machine'

interface Options {
  misbehaviour?: Misbehaviour
  timeoutMs?: number
  deps?: Partial<ProcessDeps>
}

/** A fake llama-server in a folder of its own; whatever happens it ends with the test. */
function engine({ misbehaviour = {}, timeoutMs = 20_000, deps = {} }: Options = {}) {
  const folder = testFolder()
  const record = join(folder.path, 'record.json')
  const program = fakeEngine(folder.path, 'llama-server', { record, ...misbehaviour })
  const weights = join(folder.path, 'model.gguf')
  writeFileSync(weights, '')
  const plan: ServerPlan = {
    kind: 'server',
    command: (port) => [program, '--host', '127.0.0.1', '--port', `${port}`, '-m', weights],
    env: { PATH: '/usr/bin:/bin' },
    healthPath: '/health',
    timeoutMs,
  }
  const process = new EngineProcess('fake', plan, testProcesses(folder.path, deps))
  return {
    process,
    recorded: () => recorded(record),
    [Symbol.asyncDispose]: async () => {
      await process.stop()
      folder[Symbol.dispose]()
    },
  }
}

const health = ({ baseUrl }: EngineProcess) => fetch(new URL('/health', baseUrl), { keepalive: false })

describe('starting', () => {
  test('is over when the engine answers its health check with 200', async () => {
    await using one = engine({ misbehaviour: { loadingMs: 300 } })
    const started = one.process.start()
    expect(one.process.state).toBe('starting')
    await started
    expect(one.process.state).toBe('ready')
    expect((await health(one.process)).status).toBe(200)
  })

  test('that crashes says what the engine wrote last', async () => {
    await using one = engine({ misbehaviour: { chatter: 500, crashOnLoad: 'unknown model architecture' } })
    const error = await one.process.start().catch((error: unknown) => error)
    expect(error).toMatchObject({ code: 'engine_unavailable', status: 503 })
    const { message } = error as Error
    expect(message).toContain('ended with code 1 before it was ready')
    expect(message).toEndWith('unknown model architecture')
    expect(message.length).toBeLessThan(2_300)
    expect(one.process.output.length).toBeLessThanOrEqual(200)
    await one.process.gone
    expect(one.process.state).toBe('closed')
  })

  test.each([
    ['hangs', { hang: true }],
    ['answers garbage', { garbage: true }],
    ['never finishes loading', { loadingMs: 60_000 }],
  ] as const)('of an engine that %s is given up, and nothing of it is left', async (_, misbehaviour) => {
    await using one = engine({ misbehaviour, timeoutMs: 700 })
    await expect(one.process.start()).rejects.toThrow('did not become ready within 0.7 s')
    await one.process.gone
    // Where it was given up before it could say its number, its guard's is that of the group.
    expect(groupRuns(one.process.pid!)).toBe(false)
  })

  test('takes another port when the first was lost to somebody else', async () => {
    using somebody = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
    const given = [somebody.port, ...(await freePorts(1))]
    const ports = { take: async () => given.shift()!, give() {} }
    await using one = engine({ deps: { ports } })
    await one.process.start()
    expect(one.process.baseUrl).not.toContain(`:${somebody.port}/`)
    expect((await health(one.process)).status).toBe(200)
  })

  test('of a program that does not exist fails with its name', async () => {
    using folder = testFolder()
    const plan: ServerPlan = {
      kind: 'server',
      command: () => ['/nowhere/llama-server'],
      env: { PATH: '/usr/bin:/bin' },
      healthPath: '/health',
      timeoutMs: 5_000,
    }
    const one = new EngineProcess('fake', plan, testProcesses(folder.path))
    await expect(one.start()).rejects.toThrow('/nowhere/llama-server')
    await one.gone
  })

  test('can be stopped', async () => {
    await using one = engine({ misbehaviour: { loadingMs: 60_000 } })
    const started = one.process.start().catch((error: unknown) => error)
    await until(() => one.recorded().then(Boolean, () => false))
    await one.process.stop()
    expect(await started).toMatchObject({ code: 'engine_unavailable' })
    expect(await runs((await one.recorded()).pid)).toBe(false)
  })
})

describe('stopping', () => {
  test('asks, and resolves when the engine is gone', async () => {
    await using one = engine()
    await one.process.start()
    const { pid } = await one.recorded()
    const stopped = one.process.stop()
    expect(one.process.state).toBe('stopping')
    await stopped
    expect(one.process.state).toBe('closed')
    expect(await runs(pid)).toBe(false)
  })

  test('kills an engine that does not care, and all that it started', async () => {
    await using one = engine({ misbehaviour: { ignoreSigterm: true, child: true }, deps: { graceMs: 300 } })
    await one.process.start()
    const { pid, childPid } = await one.recorded()
    const before = performance.now()
    await one.process.stop()
    expect(performance.now() - before).toBeGreaterThanOrEqual(290)
    expect([await runs(pid), await runs(childPid!)]).toEqual([false, false])
    expect(one.process.output).toContain('not now')
  })

  test('is not a crash', async () => {
    await using one = engine()
    await one.process.start()
    await one.process.stop()
    expect(await Promise.race([one.process.died, Bun.sleep(50).then(() => 'quiet')])).toBe('quiet')
  })
})

describe('a crash', () => {
  test('is noticed, and what the engine started ends with it', async () => {
    await using one = engine({ misbehaviour: { child: true } })
    await one.process.start()
    const { pid, childPid } = await one.recorded()
    process.kill(pid, 'SIGKILL')
    expect((await one.process.died).message).toContain('ended by SIGKILL')
    await one.process.gone
    expect(await runs(childPid!)).toBe(false)
    expect(one.process.state).toBe('closed')
  })

  test('in the middle of an answer is noticed too', async () => {
    await using one = engine({ misbehaviour: { crashAfterChunks: 2, paceMs: 20 } })
    await one.process.start()
    const response = await fetch(`${one.process.baseUrl}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ stream: true }),
      keepalive: false,
    })
    await expect(response.text()).rejects.toThrow()
    expect((await one.process.died).message).toContain('ggml_abort: out of memory')
  })

  test('of the guard takes the engine with it', async () => {
    await using one = engine()
    await one.process.start()
    const { pid } = await one.recorded()
    process.kill(one.process.pid!, 'SIGKILL')
    await one.process.died
    await one.process.gone
    expect(await runs(pid)).toBe(false)
  })
})

test('an engine keeps running while nobody looks at it', async () => {
  await using one = engine()
  await one.process.start()
  Bun.gc(true)
  await Bun.sleep(200)
  Bun.gc(true)
  expect((await health(one.process)).status).toBe(200)
})

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () =>
    Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } }),
  )
  const ports = servers.map(({ port }) => port)
  for (const server of servers) server.stop(true)
  return ports
}
