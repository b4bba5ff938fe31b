import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { AppError } from '#kernel/errors'
import type { CatalogService } from '../catalog/service'
import type { InstallStore } from '../catalog/store'
import { firstProblem } from '../check'
import { checkLogicalId, credentialName, readRegistration } from '../models/registration'
import type { ManagedRegistration, Registration } from '../models/schema'
import type { Entry, RegistryStore } from '../models/store'
import { FORMAT_VERSION, ImportedBundle, type ImportReport, type RegistryBundle } from './schema'

type Model = ImportedBundle['models'][number]
type Install = NonNullable<Model['install']>
type Warning = ImportReport['warnings'][number]

interface Deps {
  registry: RegistryStore
  credentialNames: () => string[]
  installs: Pick<InstallStore, 'find'>
  reinstall: CatalogService['reinstall']
}

const IN_PROGRESS = 'A download for this id runs already, or too many wait. See GET /admin/catalog/downloads.'

export type BundleService = ReturnType<typeof bundleService>

/** The registry as one file: to take it to another machine, or to keep it. */
export function bundleService({ registry, credentialNames: stored, installs, reinstall }: Deps) {
  const installOf = (logicalId: string) => {
    const from = installs.find(logicalId)
    return from ? { repo: from.repo, variantId: from.variantId } : null
  }

  return {
    export(): RegistryBundle {
      const models = registry.all()
      return {
        formatVersion: FORMAT_VERSION,
        models: models.map((entry) => ({ ...entry, install: installOf(entry.logicalId) })),
        credentialNames: [
          ...new Set([...stored(), ...models.flatMap(({ binding }) => credentialOf(binding))]),
        ].sort(),
      }
    },

    /**
     * Registers what is not registered yet, and downloads again what was downloaded; an entry that cannot be is a
     * warning and holds up no other.
     */
    async import(input: ImportedBundle): Promise<ImportReport> {
      const { models, credentialNames = [] } = readBundle(input)
      const warnings: Warning[] = []
      const { fresh, again, skipped } = sorted(models, registry, warnings)
      const downloads: ImportReport['downloads'] = []
      for (const { logicalId, binding, install } of again) {
        const job = await reinstall(logicalId, install, binding)
        if (job) downloads.push({ jobId: job.id, logicalId, repo: install.repo })
        else warnings.push({ logicalId, code: 'download_in_progress', message: IN_PROGRESS })
      }
      // Somebody may have registered one of them in the meantime.
      const kept = await registry.addMissing(fresh)
      const registered = fresh.map(({ logicalId }) => logicalId).filter((id) => !kept.includes(id))
      return { registered, skipped: [...skipped, ...kept], downloads, warnings, credentialNames }
    },
  }
}

interface Downloaded {
  logicalId: string
  binding: ManagedRegistration
  install: Install
}

/** What is to be registered, what to be downloaded again, and what is here already. */
function sorted(models: Model[], registry: RegistryStore, warnings: Warning[]) {
  const taken = new Set(registry.all().map(({ logicalId }) => logicalId))
  const fresh: Entry[] = []
  const again: Downloaded[] = []
  const skipped: string[] = []
  for (const model of models) {
    const { logicalId, install } = model
    if (taken.has(logicalId)) {
      skipped.push(logicalId)
      continue
    }
    taken.add(logicalId)
    const entry = readModel(model, warnings)
    if (!entry) continue
    const { binding } = entry
    if (install && binding.binding !== 'standard-compatible') again.push({ logicalId, binding, install })
    else fresh.push(entry)
  }
  return { fresh, again, skipped }
}

function readBundle(input: unknown): ImportedBundle {
  const version = (input as { formatVersion?: unknown } | null)?.formatVersion
  if (typeof version === 'number' && version > FORMAT_VERSION) {
    throw new AppError(
      'unsupported_bundle_version',
      `This bundle has format ${version}; the newest this release reads is ${FORMAT_VERSION}. Update Tycho first.`,
    )
  }
  const problem = firstProblem(ImportedBundle, input)
  if (problem) throw new AppError('invalid_bundle', problem)
  return input as ImportedBundle
}

/** The registration of one entry, fitted to this machine; `null` when it cannot be registered at all. */
function readModel({ logicalId, binding, install }: Model, warnings: Warning[]): Entry | null {
  const warn = (code: Warning['code'], message: string) => warnings.push({ logicalId, code, message })
  try {
    checkLogicalId(logicalId)
    const registration = readRegistration(binding)
    if (registration.binding === 'standard-compatible') return { logicalId, binding: registration }
    const fitted = withoutForeignPaths(registration, (name) =>
      warn('params_path_dropped', `params.${name} is a path of another machine and was left out.`),
    )
    if (!install && fitted.source === 'local-path' && !existsSync(atHome(fitted.model))) {
      warn('weights_unavailable', `There are no weights at ${fitted.model}. Put them there first.`)
    }
    return { logicalId, binding: fitted }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    warn('invalid_binding', error.message)
    return null
  }
}

function withoutForeignPaths(
  registration: ManagedRegistration,
  dropped: (name: string) => void,
): ManagedRegistration {
  const params = Object.entries(registration.params).filter(([name, value]) => {
    const foreign = typeof value === 'string' && isAbsolute(value) && !existsSync(atHome(value))
    if (foreign) dropped(name)
    return !foreign
  })
  return { ...registration, params: Object.fromEntries(params) }
}

/** Absolute on any system: the bundle may come from another kind. */
const isAbsolute = (text: string) => /^(\/|~\/|\\\\|[A-Za-z]:[\\/])/.test(text)

const atHome = (path: string) => (path.startsWith('~/') ? homedir() + path.slice(1) : path)

const credentialOf = (binding: Registration): string[] => {
  if (binding.binding !== 'standard-compatible' || binding.credentialRef === null) return []
  return [credentialName(binding.credentialRef) ?? binding.credentialRef]
}
