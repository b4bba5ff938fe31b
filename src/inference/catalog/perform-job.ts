import { planFor } from './choose'
import { fetchFile, type Patience, patiently } from './fetch-file'
import { filesHere } from './files-here'
import { type Plan, type PlannedFile, totalBytes } from './plan'
import type { Source } from './source'
import { checkSpace } from './space'
import type { JobRecord } from './store'

interface Deps {
  source: Source
  modelDir: string
  patience: Patience
  /** Registers a model whose weights are all here. @throws {AppError} */
  register: (job: JobRecord, plan: Plan, weights: string) => Promise<void>
  /** Writes down how far it is. */
  save: () => Promise<void>
  /** Told how many bytes are here. */
  reached: (bytes: number) => void
  signal: AbortSignal
}

/**
 * Brings one job from where it stands to `done`: every file is gathered beside its place and verified, then all get their
 * names, then the model is registered. Whatever ends it before leaves nothing that looks like a model.
 * @throws what the job fails of; the signal's reason
 */
export async function performJob(job: JobRecord, deps: Deps): Promise<void> {
  const { source, modelDir, patience, register, save, signal } = deps
  const plan = job.plan ?? (await patiently(() => planFor(source, job, signal), patience, signal))
  job.plan = plan
  job.totalBytes = totalBytes(plan)
  const here = filesHere(modelDir, plan)
  await checkSpace(modelDir, Math.max(0, (job.totalBytes ?? 0) - (await here.doneBytes())))
  await fetchAll(job, plan, deps)
  job.status = 'registering'
  await save()
  await here.settle()
  await register(job, plan, here.weights)
  Object.assign(job, { status: 'done', plan: null, binding: null })
}

async function fetchAll(job: JobRecord, plan: Plan, deps: Deps) {
  let before = 0
  for (const file of plan.files) {
    await fetchOne(job, plan, file, { ...deps, reached: (length) => deps.reached(before + length) })
    file.verified = true
    before = file.size === null ? job.doneBytes : before + file.size
    deps.reached(before)
    await deps.save()
  }
  deps.signal.throwIfAborted()
}

/** Unless it is here: since before a stop, or from another installation. */
async function fetchOne({ repo }: JobRecord, plan: Plan, file: PlannedFile, deps: Deps) {
  const { source, modelDir, patience, save, reached, signal } = deps
  const here = filesHere(modelDir, plan)
  if (file.verified && (await here.isHere(file))) return
  if (await here.isInPlace(file, signal)) return
  await fetchFile(here.partPath(file), {
    source,
    at: { repo, revision: plan.revision, path: file.path },
    file,
    patience,
    signal,
    onLength: reached,
    onEtag(etag) {
      if (etag === file.etag) return
      file.etag = etag
      // It is only a help for later; the download does not wait for it.
      void save()
    },
  })
}
