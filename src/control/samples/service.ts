import type { AgentDocument } from '#graph/ir'
import type { Db } from '#kernel/db/tables'
import { AppError } from '#kernel/errors'
import type { AgentService } from '../agents/service'
import { SAMPLES } from './catalog'
import {
  agentIdOf,
  agentNameOf,
  type ChosenModel,
  documentsOf,
  partsOf,
  SAMPLE_VERSION,
  type Sample,
} from './sample'
import type { Catalog, CatalogEntry, Install, InstallReport, ReportEntry } from './schema'
import { sampleStore } from './store'

interface Deps {
  db: Db
  agents: Pick<AgentService, 'publish' | 'addVersion' | 'remove'>
  /** Makes a sample's trigger, disabled, unless its agent has one. */
  ensureTrigger: (agentId: string, version: string, trigger: NonNullable<Sample['trigger']>) => Promise<void>
}

type Models = Record<string, ChosenModel>
/** By agent, the versions it has. */
type Versions = Map<string, Set<string>>

export type SampleService = ReturnType<typeof sampleService>

export function sampleService({ db, agents, ensureTrigger }: Deps) {
  const store = sampleStore(db)

  async function existing(): Promise<Versions> {
    const versions: Versions = new Map()
    for (const { agent_id, version } of await store.versionsOf(SAMPLES.flatMap(agentsOf))) {
      versions.set(agent_id, (versions.get(agent_id) ?? new Set()).add(version))
    }
    return versions
  }

  /** Leaves alone what is there. A sample is installed, or nothing of it is. */
  async function installOne(sample: Sample, models: Models, there: Versions): Promise<ReportEntry> {
    if (isComplete(sample, there)) return entry(sample, 'already_installed')
    const published: string[] = []
    try {
      requireModels([sample], models)
      const added = await installAgents(documentsOf(sample, models), there, published)
      await installTrigger(sample)
      const isNew = published.length + added.length > 0
      return entry(sample, isNew ? 'installed' : 'already_installed', { warnings: added.map(nowNewest) })
    } catch (error) {
      for (const id of published) await agents.remove(id)
      // A bug is no report: it flies. What is refused is this sample's matter alone.
      if (!(error instanceof AppError)) throw error
      return refused(sample, error)
    }
  }

  /** Ids that are new go into `published` as they come. @returns those that had no such version yet */
  async function installAgents(documents: AgentDocument[], there: Versions, published: string[]) {
    const added: string[] = []
    for (const ir of documents) {
      const done = await installAgent(ir, there.get(ir.id))
      if (done === 'published') published.push(ir.id)
      if (done === 'added') added.push(ir.id)
    }
    return added
  }

  async function installAgent(ir: AgentDocument, versions: Set<string> | undefined) {
    if (versions?.has(SAMPLE_VERSION)) return 'there'
    if (versions) return (await agents.addVersion(ir.id, ir)).isNew ? 'added' : 'there'
    try {
      await agents.publish({ ir })
      return 'published'
    } catch (error) {
      // Somebody else installs it at the same time.
      if (error instanceof AppError && error.code === 'agent_exists') return 'there'
      throw error
    }
  }

  async function installTrigger(sample: Sample) {
    if (sample.trigger) await ensureTrigger(agentIdOf(sample), SAMPLE_VERSION, sample.trigger)
  }

  return {
    async catalog(): Promise<Catalog> {
      const there = await existing()
      return { samples: SAMPLES.map((sample) => present(sample, isThere(sample, there))) }
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
        samples.filter((sample) => !isThere(sample, there)),
        chosen,
      )
      const report: ReportEntry[] = []
      for (const sample of samples) report.push(await installOne(sample, chosen, there))
      return { report }
    },
  }
}

const agentsOf = (sample: Sample): string[] => partsOf(sample).map((id) => agentIdOf({ id }))

const isThere = (sample: Sample, there: Versions): boolean => agentsOf(sample).every((id) => there.has(id))

/** With the very version that ships. */
const isComplete = (sample: Sample, there: Versions): boolean =>
  agentsOf(sample).every((id) => there.get(id)?.has(SAMPLE_VERSION))

function refused(sample: Sample, { code, message }: AppError): ReportEntry {
  // Somebody else installed it in the meantime.
  if (code === 'version_conflict') return entry(sample, 'already_installed')
  const ofSample = code === 'invalid_ir' ? 'sample_invalid' : code
  return entry(sample, 'error', { error: { code: ofSample, message } })
}

const present = (sample: Sample, installed: boolean): CatalogEntry => ({
  id: sample.id,
  title: sample.title,
  description: sample.description,
  capabilities: sample.capabilities,
  durable: sample.durable ?? false,
  input_example: sample.inputExample,
  agent_id: agentIdOf(sample),
  agent_name: agentNameOf(sample),
  agent_names: partsOf(sample)
    .map((id) => agentNameOf({ id }))
    .reverse(),
  installed,
  model_slots: Object.fromEntries(
    Object.entries(sample.slots).map(([slot, { params, ...shown }]) => [slot, shown]),
  ),
  connections: [],
  rag_sources: [],
  trigger: sample.trigger ? { kind: sample.trigger.kind, enabled: false } : null,
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
