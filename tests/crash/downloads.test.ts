import { afterAll, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../engines/machine'
import { fakeHub, sum } from '../support/fake-hub'
import { bareEnvironment, emptyFolder, FROM_SOURCE, removeFolders, startTycho } from '../support/process'

afterAll(removeFolders)

/** `KILLS=20` for the full count. */
const KILLS = Number(process.env.KILLS ?? 4)
const SECONDS_PER_START = 10

const weights = new Uint8Array(randomBytes(3_000_000))
const repos = () => ({
  'org/a': { files: { 'a-Q4_0.gguf': weights }, task: 'text-generation', tags: ['gguf'] },
})
const install = { repo: 'org/a', engine: 'llamacpp', variantId: 'a-Q4_0.gguf', logicalId: 'a' }

/** Tycho with the inference plane alone, over a data folder that outlives it. */
async function start(machine: Record<string, string>, catalog: string, command = FROM_SOURCE) {
  const env = { ...machine, SERVICE_CATALOG_URL: catalog }
  const tycho = await startTycho({ command, args: ['serve', '--planes', 'inference'], env })
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on it field by field
  const call = async (method: string, path: string, body?: unknown): Promise<any> => {
    const response = await fetch(tycho.urls.inference + path, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
    return response.json()
  }
  const job = () => call('GET', '/admin/catalog/downloads').then(({ downloads }) => downloads[0])
  const ended = async () => {
    await until(async () => !['downloading', 'registering'].includes((await job()).status))
    return job()
  }
  return { ...tycho, call, ended, [Symbol.asyncDispose]: tycho[Symbol.asyncDispose] }
}

/** Bytes of the file that are on the disk. */
function bytesHere(data: string): number {
  const folder = join(data, 'inference/models/org_a')
  try {
    return readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
  } catch {
    return 0
  }
}

test(
  `a download that is killed at ${KILLS} random bytes ends verified`,
  async () => {
    await using hub = fakeHub(repos())
    const data = emptyFolder()
    const machine = bareEnvironment(data)
    for (let kill = 0; kill < KILLS; kill++) {
      const before = bytesHere(data)
      const more = 1 + Math.floor((Math.random() * weights.length) / KILLS)
      const letGo = hub.hold(more)
      await using tycho = await start(machine, hub.url)
      if (kill === 0) await tycho.call('POST', '/admin/catalog/install', install)
      // Somewhere on the way there, while more may be on its way.
      const enough = before + Math.ceil(Math.random() * more)
      await until(() => bytesHere(data) >= enough)
      await tycho.end('SIGKILL')
      letGo()
    }
    await using tycho = await start(machine, hub.url)
    expect(await tycho.ended()).toMatchObject({ id: 'dl-1', status: 'done', doneBytes: weights.length })
    const { binding } = await tycho.call('GET', '/admin/models/a')
    expect(sum(readFileSync(binding.model))).toBe(sum(weights))
    expect(readdirSync(join(data, 'inference/models/org_a'))).toEqual(['a-Q4_0.gguf'])
    // Every start went on where the one before was ended.
    const starts = hub.fetched().map(({ headers }) => Number(/\d+/.exec(headers.get('range') ?? '0')))
    expect(starts).toEqual(starts.toSorted((a, b) => a - b))
    expect(starts).toHaveLength(KILLS + 1)
    expect(starts.at(-1)).toBeGreaterThan(0)
  },
  (KILLS + 1) * SECONDS_PER_START * 1000,
)

test(
  'a disk that is full is a clear error; with room again it goes on',
  async () => {
    await using hub = fakeHub(repos())
    const data = emptyFolder()
    const machine = bareEnvironment(data)
    {
      // A file of a process so limited cannot grow any further, as on a disk that is full.
      const limited = ['sh', '-c', 'ulimit -f 2000; exec "$@"', 'sh', ...FROM_SOURCE]
      await using tycho = await start(machine, hub.url, limited)
      await tycho.call('POST', '/admin/catalog/install', install)
      expect(await tycho.ended()).toMatchObject({ status: 'error', error: expect.stringContaining('full') })
      expect((await tycho.call('GET', '/admin/models')).models).toEqual([])
      expect(readdirSync(join(data, 'inference/models/org_a'))).toEqual([expect.stringMatching(/\.part$/)])
      // A stop, which writes down what was just told.
      await tycho.end('SIGTERM')
    }
    await using tycho = await start(machine, hub.url)
    const written = bytesHere(data)
    expect(written).toBeGreaterThan(0)
    await tycho.call('POST', '/admin/catalog/install', install)
    expect(await tycho.ended()).toMatchObject({ id: 'dl-2', status: 'done' })
    expect(hub.fetched().at(-1)?.headers.get('range')).toBe(`bytes=${written}-`)
    expect((await tycho.call('GET', '/admin/models')).models).toHaveLength(1)
  },
  3 * SECONDS_PER_START * 1000,
)
