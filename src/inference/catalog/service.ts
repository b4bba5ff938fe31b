import type { EngineName } from '#engines/engine'
import type { EngineTable } from '#engines/table'
import { AppError } from '#kernel/errors'
import { checkLogicalId } from '../models/registration'
import type { ManagedRegistration } from '../models/schema'
import type { RegistryStore } from '../models/store'
import { planFor } from './choose'
import { filesHere } from './files-here'
import type { Found } from './found'
import { contextCost } from './header'
import type { CatalogIndex } from './index-store'
import type { DownloadJobs } from './jobs'
import { inOrder, isThinned, matches } from './matching'
import { totalBytes } from './plan'
import { entryOf, variantsOf } from './present'
import type { CatalogDetail, CatalogList, CatalogQuery, Install, Job } from './schema'
import { isRepoName, type Source, Unreachable } from './source'
import { checkSpace } from './space'
import type { InstallStore } from './store'
import { choicesOf } from './variants'

const DEFAULT_LIMIT = 30
/** Of what is thinned out afterwards so many times more is asked for, and no more than that. */
const THINNED_FACTOR = 5
const MAX_ASKED = 200

interface Deps {
  source: Source
  index: CatalogIndex
  installs: InstallStore
  jobs: DownloadJobs
  registry: Pick<RegistryStore, 'find'>
  table: Pick<EngineTable, 'all'>
  modelDir: string
  memoryBytes: number
}

export type CatalogService = ReturnType<typeof catalogService>

/** Models that can be had: looked for, downloaded and registered. */
export function catalogService(deps: Deps) {
  const { source, index, installs, jobs, registry, table, modelDir, memoryBytes } = deps

  async function readyEngines(): Promise<EngineName[]> {
    const found = await Promise.all(
      table.all.map(async (engine) => ((await engine.find()).ready ? [engine.engine] : [])),
    )
    return [...new Set(found.flat())]
  }

  /** Logical ids by repository, of what is registered still. */
  function installedAs(): Map<string, string> {
    const here = installs.all().filter(([logicalId]) => registry.find(logicalId) !== undefined)
    return new Map(here.map(([logicalId, { repo }]): [string, string] => [repo, logicalId]).reverse())
  }

  function here() {
    const installed = installedAs()
    return ({ repo }: Found) => ({
      provider: source.provider,
      memoryBytes,
      installedAs: installed.get(repo) ?? null,
    })
  }

  return {
    async search(query: CatalogQuery, signal: AbortSignal): Promise<CatalogList> {
      const { limit = DEFAULT_LIMIT, sort = 'trending', search, modality } = query
      const ready = await readyEngines()
      const asked = query.engines?.split(',').map((name) => name.trim())
      const engines = ready.filter((name) => asked?.includes(name) ?? true)
      const listOf = (found: readonly Found[], offlineReason: string | null): CatalogList => {
        // What the hub finds by a word it finds by its own rules.
        const filter = offlineReason === null ? { ...query, search: '' } : query
        const shown = inOrder(found.filter(matches(filter, engines)), query).slice(0, limit)
        const hereOf = here()
        return {
          entries: shown.map((one) => entryOf(one, hereOf(one))),
          engines: ready,
          offline: offlineReason !== null,
          offlineReason,
        }
      }
      if (engines.length === 0) return listOf([], null)
      const most = isThinned(query) ? Math.min(MAX_ASKED, limit * THINNED_FACTOR) : limit
      try {
        const found = await source.search(
          { search: search?.trim() || undefined, sort, engines, modality, most },
          signal,
        )
        await index.remember(found)
        return listOf(found, null)
      } catch (error) {
        const seen = error instanceof Unreachable ? await index.all() : []
        if (seen.length === 0) throw error
        return listOf(seen, (error as Error).message)
      }
    },

    async detail(repo: string, signal: AbortSignal): Promise<CatalogDetail> {
      const hereOf = here()
      const detailOf = (found: Found, offlineReason: string | null): CatalogDetail => ({
        ...entryOf(found, hereOf(found)),
        variants: variantsOf(found, hereOf(found)),
        offline: offlineReason !== null,
        offlineReason,
      })
      try {
        const looked = await source.look(repo, signal)
        const before = await index.find(repo)
        const found = { ...looked, context: before?.revision === looked.revision ? before.context : null }
        const first = choicesOf(found)[0]
        // Every quantization of a model has the same shape: one header tells it.
        if (first && found.context === null) found.context = await contextCost(source, found, first, signal)
        await index.remember([found])
        return detailOf(found, null)
      } catch (error) {
        const seen = error instanceof Unreachable ? await index.find(repo) : undefined
        if (!seen) throw error
        return detailOf(seen, (error as Error).message)
      }
    },

    async install({ logicalId, ...what }: Install, signal: AbortSignal): Promise<Job> {
      checkInstall(logicalId, what.repo)
      checkFree(logicalId)
      const plan = await planFor(source, what, signal)
      const needed = (totalBytes(plan) ?? 0) - (await filesHere(modelDir, plan).doneBytes())
      await checkSpace(modelDir, Math.max(0, needed) + jobs.bytesLeft())
      // Another request may have taken it while the hub was asked.
      checkFree(logicalId)
      return jobs.add({ ...what, logicalId, plan, binding: null })
    },

    /** Downloads again what a bundle says was downloaded. @returns null where that runs already, or too much does */
    async reinstall(
      logicalId: string,
      what: { repo: string; variantId: string },
      binding: ManagedRegistration,
    ): Promise<Job | null> {
      if (jobs.isPending(logicalId) || !jobs.hasRoom()) return null
      return jobs.add({ ...what, logicalId, engine: binding.binding, plan: null, binding })
    },

    downloads: (): { downloads: Job[] } => ({ downloads: jobs.list() }),
    download: jobs.get,
    cancel: jobs.cancel,
  }

  /** @throws {AppError} `logical_id_exists` */
  function checkFree(logicalId: string) {
    const isRegistered = registry.find(logicalId) !== undefined
    if (isRegistered || jobs.isPending(logicalId)) {
      const why = isRegistered ? 'is registered already' : 'is being downloaded already'
      throw new AppError(
        'logical_id_exists',
        `${logicalId} ${why}. Choose another logical id, or remove that one.`,
      )
    }
    if (!jobs.hasRoom())
      throw new AppError('invalid_install', 'Too many downloads wait. Let some of them end first.')
  }
}

function checkInstall(logicalId: string, repo: string) {
  try {
    checkLogicalId(logicalId)
  } catch (error) {
    throw new AppError('invalid_install', `logicalId: ${(error as Error).message}`)
  }
  if (!isRepoName(repo)) throw new AppError('invalid_install', 'repo: must be owner/name.')
}
