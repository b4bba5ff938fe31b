import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runs, testFolder, until } from '../engines/machine'
import { fakeEngine, journalOf, type Misbehaviour } from '../support/fake-engine'
import { bareEnvironment, startTycho } from '../support/process'

const STARTED_MS = 30_000

/** The whole program as a process of its own, with a model that an engine serves. */
async function tycho(folder: string, misbehaviour: Misbehaviour = {}) {
  const journal = join(folder, 'journal')
  const data = join(folder, 'data')
  // Where programs may be put instead of naming them.
  const place = join(data, 'engines', 'llamacpp')
  mkdirSync(place, { recursive: true })
  fakeEngine(place, 'llama-server', { journal, ...misbehaviour })
  const weights = join(folder, 'weights.gguf')
  writeFileSync(weights, '')
  const args = ['serve', '--planes', 'inference']
  const running = await startTycho({ args, env: bareEnvironment(data) })
  const send = (method: string, path: string, body: unknown) =>
    fetch(running.urls.inference + path, {
      method,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  await send('PUT', '/admin/models/mine', { binding: 'llamacpp', source: 'local-path', model: weights })
  return {
    running,
    chat: (more = {}) => send('POST', '/v1/chat/completions', { model: 'mine', messages: [], ...more }),
    /** The engine, once it runs. */
    async engine(): Promise<number> {
      await until(async () => (await journalOf(journal)).length > 0)
      return (await journalOf(journal))[0]!.pid
    },
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  }
}

const isGone = (pid: number) => until(async () => !(await runs(pid)))

test(
  'an engine does not outlive a Tycho that is killed, in the middle of an answer',
  async () => {
    using folder = testFolder()
    await using one = await tycho(folder.path, { holdUntil: join(folder.path, 'never') })
    const response = await one.chat({ stream: true })
    expect(response.status).toBe(200)
    const pid = await one.engine()
    expect(await runs(pid)).toBe(true)
    await one.running.end('SIGKILL')
    await isGone(pid)
  },
  STARTED_MS,
)

test(
  'an engine that still loads does not outlive a Tycho that is killed',
  async () => {
    using folder = testFolder()
    await using one = await tycho(folder.path, { loadingMs: 60_000, ignoreSigterm: true })
    const asked = one.chat().catch(() => null)
    const pid = await one.engine()
    await one.running.end('SIGKILL')
    await isGone(pid)
    expect(await asked).toBeNull()
  },
  STARTED_MS,
)

test(
  'a Tycho that is asked to stop ends its engines first',
  async () => {
    using folder = testFolder()
    await using one = await tycho(folder.path)
    expect((await one.chat()).status).toBe(200)
    const pid = await one.engine()
    expect(await one.running.end('SIGTERM')).toBe(0)
    expect(await runs(pid)).toBe(false)
  },
  STARTED_MS,
)
