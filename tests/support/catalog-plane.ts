import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { until } from '../engines/machine'
import { fakeEngine } from './fake-engine'
import { type FakeHub, fakeHub, type HubRepo } from './fake-hub'
import { openInferencePlane } from './inference-plane'

interface Options {
  repos?: Record<string, HubRepo>
  hub?: FakeHub
  /** A folder or an address instead of the hub. */
  url?: string
  folder?: string
  memoryBytes?: number
  /** Without: no engine is ready. */
  engines?: boolean
  environment?: Record<string, string>
}

/** An inference plane whose catalog is a hub of the tests, and on which llama.cpp and whisper.cpp are installed. */
export async function openCatalogPlane({
  repos = {},
  hub: given,
  url,
  folder: home,
  memoryBytes = 16e9,
  engines = true,
  environment = {},
}: Options = {}) {
  const hub = given ?? fakeHub(repos)
  const folder = home ?? mkdtempSync(join(tmpdir(), 'tycho-catalog-'))
  const programs = engines
    ? {
        SERVICE_LLAMACPP_BIN: fakeEngine(folder, 'llama-server', { journal: join(folder, 'journal') }),
        SERVICE_WHISPERCPP_BIN: fakeEngine(folder, 'whisper-server', { journal: join(folder, 'journal') }),
      }
    : {}
  const plane = await openInferencePlane({
    dir: join(folder, 'state'),
    env: {
      SERVICE_MAX_RESIDENT: undefined,
      HF_HOME: join(folder, 'hf'),
      SERVICE_CATALOG_URL: url ?? hub.url,
      ...programs,
    },
    environment: { PATH: '/usr/bin:/bin', HOME: folder, ...environment },
    memoryBytes,
    patience: { stallMs: 300, backOffMs: 5, tries: 4 },
  })
  const models = join(folder, 'state', 'models')
  const world = {
    ...plane,
    hub,
    folder,
    models,
    /** Files below the folder of models. */
    files: (): string[] =>
      (readdirSync(models, { recursive: true, withFileTypes: true }) as { name: string; isFile(): boolean }[])
        .filter((entry) => entry.isFile())
        .map(({ name }) => name)
        .sort(),
    get: async (path: string) => (await plane.call('GET', `/admin/catalog${path}`)).body,
    install: (repo: string, variantId: string, logicalId: string, more: object = {}) =>
      plane.call('POST', '/admin/catalog/install', {
        ...{ repo, variantId, logicalId, engine: 'llamacpp' },
        ...more,
      }),
    job: async (id: string) => (await plane.call('GET', `/admin/catalog/downloads/${id}`)).body,
    /** Waits until a download is over. */
    async ended(id: string) {
      await until(async () => !['downloading', 'registering'].includes((await world.job(id)).status))
      return await world.job(id)
    },
    async [Symbol.asyncDispose]() {
      await plane[Symbol.asyncDispose]()
      if (!given) await hub[Symbol.asyncDispose]()
      if (!home) rmSync(folder, { recursive: true, force: true })
    },
  }
  return world
}
