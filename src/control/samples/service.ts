import type { AgentDocument } from '#graph/ir'
import type { Db } from '#kernel/db/tables'
import { AppError } from '#kernel/errors'
import type { AgentService } from '../agents/service'
import { SAMPLES } from './catalog'
import { agentIdOf, agentNameOf, type ChosenModel, documentOf, SAMPLE_VERSION, type Sample } from './sample'
import type { Catalog, CatalogEntry, Install, InstallReport, ReportEntry } from './schema'
import { sampleStore } from './store'

interface Deps {
  db: Db
  agents: Pick<AgentService, 'publish' | 'addVersion'>
}

type Models = Record<string, ChosenModel>
/** By agent, the versions it has. */
type Versions = Map<string, Set<string>>

export type SampleService = ReturnType<typeof sampleService>

export function sampleService({ db, agents }: Deps) {
  const store = sampleStore(db)

  async function existing(): Promise<Versions> {
    const versions: Versions = new Map()
    for (const { agent_id, version } of await store.versionsOf(SAMPLES.map(agentIdOf))) {
      versions.set(agent_id, (versions.get(agent_id) ?? new Set()).add(version))
    }
    return versions
  }

  /** Leaves alone what is there. One publication is one transaction: a sample is installed, or nothing of it is. */
  async function installOne(sample: Sample, models: Models, there: Versions): Promise<ReportEntry> {
    const versions = there.get(agentIdOf(sample))
    if (versions?.has(SAMPLE_VERSION)) return entry(sample, 'already_installed')
    try {
      requireModels([sample], models)
      const ir = documentOf(sample, models)
      return await (versions ? addTo(sample, ir) : publish(sample, ir))
    } catch (error) {
      // A bug is no report: it flies. What is refused is this sample's matter alone.
      if (!(error instanceof AppError)) throw error
      return refused(sample, error)
    }
  }

  async function publish(sample: Sample, ir: AgentDocument): Promise<ReportEntry> {
    await agents.publish({ ir })
    return entry(sample, 'installed')
  }

  async function addTo(sample: Sample, ir: AgentDocument): Promise<ReportEntry> {
    const { isNew } = await agents.addVersion(ir.id, ir)
    if (!isNew) return entry(sample, 'already_installed')
    return entry(sample, 'installed', { warnings: [nowNewest(ir.id)] })
  }

  return {
    async catalog(): Promise<Catalog> {
      const there = await existing()
      return { samples: SAMPLES.map((sample) => present(sample, there.has(agentIdOf(sample)))) }
    },

    /**
     * Each sample by itself: one that fails does not keep the others out. What is wrong with the request as a whole is
     * found before anything is written.
     * @throws {AppError} `sample_not_found`, `sample_model_invalid`, `sample_models_required`
     */
    async install({ ids, models }: Install): Promise<InstallReport> {
      const samples = [...new Set(ids)].map(find)
      const chosen = readModels(models ?? {})
      const there = await existing()
      requireModels(
        samples.filter((sample) => !there.has(agentIdOf(sample))),
        chosen,
      )
      const report: ReportEntry[] = []
      for (const sample of samples) report.push(await installOne(sample, chosen, there))
      return { report }
    },
  }
}

function refused(sample: Sample, { code, message }: AppError): ReportEntry {
  // Somebody else installed it in the meantime.
  if (code === 'agent_exists' || code === 'version_conflict') return entry(sample, 'already_installed')
  const ofSample = code === 'invalid_ir' ? 'sample_invalid' : code
  return entry(sample, 'error', { error: { code: ofSample, message } })
}

const present = (sample: Sample, installed: boolean): CatalogEntry => ({
  id: sample.id,
  title: sample.title,
  description: sample.description,
  capabilities: sample.capabilities,
  durable: false,
  input_example: sample.inputExample,
  agent_id: agentIdOf(sample),
  agent_name: agentNameOf(sample),
  agent_names: [agentNameOf(sample)],
  installed,
  model_slots: Object.fromEntries(
    Object.entries(sample.slots).map(([slot, { params, ...shown }]) => [slot, shown]),
  ),
  connections: [],
  rag_sources: [],
  trigger: null,
})

function find(id: string): Sample {
  const sample = SAMPLES.find((candidate) => candidate.id === id)
  if (!sample) throw new AppError('sample_not_found', `There is no sample ${id}. GET /samples lists them.`)
  return sample
}

/** @throws {AppError} `sample_model_invalid` */
function readModels(models: NonNullable<Install['models']>): Models {
  return Object.fromEntries(
    Object.entries(models).map(([slot, { logical_id, binding }]) => {
      const legal = BINDINGS.find((candidate) => candidate === binding)
      if (!legal) throw new AppError('sample_model_invalid', illegalBinding(slot))
      if (logical_id.trim() === '') throw new AppError('sample_model_invalid', unnamedModel(slot))
      return [slot, { logical_id: logical_id.trim(), binding: legal }]
    }),
  )
}

/** @throws {AppError} `sample_models_required` */
function requireModels(samples: Sample[], models: Models) {
  const slots = new Set(samples.flatMap((sample) => Object.keys(sample.slots)))
  const open = [...slots].filter((slot) => !Object.hasOwn(models, slot))
  if (open.length > 0) throw new AppError('sample_models_required', unfilled(open))
}

const BINDINGS = ['mlx', 'llamacpp', 'standard-compatible'] as const satisfies ChosenModel['binding'][]

const entry = (
  sample: Sample,
  status: ReportEntry['status'],
  more: Pick<ReportEntry, 'error'> & { warnings?: string[] } = {},
): ReportEntry => ({
  id: sample.id,
  agent_id: agentIdOf(sample),
  status,
  connections: [],
  rag_sources: [],
  warnings: [],
  ...more,
})

const illegalBinding = (slot: string) =>
  `The binding of the slot ${slot} is none. It is one of ${BINDINGS.join(', ')}.`

const unnamedModel = (slot: string) =>
  `The slot ${slot} has no model. Set its logical_id to a model that is registered on the inference plane.`

const unfilled = (slots: string[]) =>
  `These slots need a model: ${slots.join(', ')}. Send models.${slots[0]} with a logical_id and a binding.`

const nowNewest = (agentId: string) =>
  `The agent ${agentId} was there without version ${SAMPLE_VERSION}. It has been added, and is now its latest.`
