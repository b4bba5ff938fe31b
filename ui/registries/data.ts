import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ImportedBundle } from '../../src/inference/bundles/schema'
import type { Modality, ModelView } from '../../src/inference/models/schema'
import { inference, ok, request } from '../api'
import { texts } from '../texts/registries'
import type { Saving } from './registration'

export type { ModelView }

export type ManagedBinding = Exclude<ModelView['binding'], { binding: 'standard-compatible' }>
export type LocalModel = ModelView & { binding: ManagedBinding }

const MODELS = ['inference', 'models'] as const
const CREDENTIALS = ['inference', 'credentials'] as const
/** What a model can do hardly ever changes, and a provider is asked for it. */
const CAPABILITIES_STALE_MS = 5 * 60_000
/** Local engines come and go by themselves. */
const STATE_POLL_MS = 5_000
/** One that loads, or works, or ends, is another one soon. */
const LIVELY_POLL_MS = 1_000
/** Programs are rarely installed while somebody looks at them. */
const READINESS_POLL_MS = 30_000

/** Ids may hold slashes and colons. */
const one = (id: string) => inference.admin.models({ id: encodeURIComponent(id) })

/** `closely`: something is known to happen, though no state tells of it yet. */
export const useModels = <T = ModelView[]>(select?: (models: ModelView[]) => T, closely = false) =>
  useQuery({
    queryKey: MODELS,
    queryFn: async () => (await ok(inference.admin.models.get())).models as ModelView[],
    select,
    refetchInterval: ({ state: { data = [] } }) => {
      if (closely || data.some(isLively)) return LIVELY_POLL_MS
      return data.some(isManaged) ? STATE_POLL_MS : false
    },
  })

/** An engine of this machine serves it, so there is something to load and to free. */
export const isManaged = (model: ModelView): model is LocalModel =>
  model.binding.binding !== 'standard-compatible'

const isLively = ({ state: { phase, inflight, draining } }: ModelView) =>
  phase !== undefined || inflight > 0 || draining

export const isTalkative = (modality: string) => modality === 'chat' || modality === 'vision'

/** Asked by itself of a remote model only: to look at a local one starts it, so that takes `refetch`. */
export const useCapabilities = (model: ModelView) =>
  useQuery({
    queryKey: ['inference', 'capabilities', model.logicalId, model.binding],
    queryFn: ({ signal }) => ok(one(model.logicalId).capabilities.get({ fetch: { signal } })),
    enabled: !isManaged(model) && isTalkative(model.binding.modality),
    staleTime: CAPABILITIES_STALE_MS,
    // What was once found out about a local model is not forgotten while this page lives.
    gcTime: Number.POSITIVE_INFINITY,
    retry: false,
  })

export const useCredentials = () =>
  useQuery({
    queryKey: CREDENTIALS,
    queryFn: async () => (await ok(inference.admin.credentials.get())).credentials,
  })

export function useSaveModel() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: async ({ id, registration, secret }: Saving) => {
      if (secret) await putCredential(secret)
      return ok(one(id).put(registration))
    },
    onSettled: refresh,
  })
}

export function useDeleteModel() {
  const refresh = useRefresh()
  return useMutation({ mutationFn: (id: string) => ok(one(id).delete()), onSuccess: refresh })
}

/** The loads that this page waits for: an engine is not freed while somebody waits for it. */
const awaited = new Map<string, AbortController>()

async function load(id: string): Promise<void> {
  const leaving = new AbortController()
  awaited.set(id, leaving)
  try {
    await command(id, 'warm', leaving.signal)
  } finally {
    if (awaited.get(id) === leaving) awaited.delete(id)
  }
}

async function free(id: string): Promise<void> {
  awaited.get(id)?.abort()
  await command(id, 'evict')
}

const command = (id: string, verb: 'warm' | 'evict', signal?: AbortSignal) =>
  request('inference', `/admin/models/${encodeURIComponent(id)}:${verb}`, { method: 'POST', signal })

/** Loads a local model into memory, or frees it. What loads when it is freed is given up. */
export function useLoading(id: string) {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: async (verb: 'warm' | 'evict') => {
      const done = verb === 'warm' ? load(id) : free(id)
      // A load takes as long as it takes: the list shows it from now on.
      if (verb === 'warm') void refresh()
      await done
    },
    onSettled: refresh,
  })
}

/** What is in memory now, and how many engines may be. */
export const useSlots = () =>
  useQuery({
    queryKey: ['inference', 'slots'],
    queryFn: () => ok(inference.admin.engines.get()),
    refetchInterval: ({ state }) =>
      state.data?.resident.some(({ phase, inflight }) => phase !== 'ready' || inflight > 0)
        ? LIVELY_POLL_MS
        : STATE_POLL_MS,
  })
export type LiveEngine = NonNullable<ReturnType<typeof useSlots>['data']>['resident'][number]

const putCredential = ({ name, value }: { name: string; value: string }) =>
  ok(inference.admin.credentials({ name: encodeURIComponent(name) }).put({ value }))

export function useSaveCredential() {
  const refresh = useRefresh()
  return useMutation({ mutationFn: putCredential, onSuccess: refresh })
}

export function useDeleteCredential() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (name: string) =>
      ok(inference.admin.credentials({ name: encodeURIComponent(name) }).delete()),
    onSuccess: refresh,
  })
}

export interface EngineReadiness {
  /** `llamacpp`, `mlx`. */
  engine: string
  modality: Modality
  ready: boolean
  /** Why not, and how to get it. */
  reason: string | null
}

/** Which engines this machine can run. A plane without any says 503, with the same list. */
export const useReadiness = () =>
  useQuery({
    queryKey: ['inference', 'readiness'],
    queryFn: async (): Promise<EngineReadiness[]> => {
      const { data, error } = await inference.readyz.get()
      const body = (data ?? error?.value) as {
        engines?: Record<string, Pick<EngineReadiness, 'ready' | 'reason'>>
      }
      if (!body.engines) throw error?.value
      return Object.entries(body.engines).map(([name, state]) => ({ ...engineOf(name), ...state }))
    },
    refetchInterval: READINESS_POLL_MS,
  })

/** An engine alone is its chat; `llamacpp:images.generation` names another modality. */
function engineOf(name: string): Pick<EngineReadiness, 'engine' | 'modality'> {
  const [engine = '', modality = 'chat'] = name.split(':')
  return { engine, modality: modality as Modality }
}

/** Why the model cannot run here, with how to get its program; `null` where it can, or nobody knows yet. */
export function useMissingEngine(model: Pick<ManagedBinding, 'binding' | 'modality'> | null): string | null {
  const { data = [] } = useReadiness()
  const found = data.find(({ engine, modality }) => engine === model?.binding && modality === model.modality)
  return found && !found.ready ? (found.reason ?? texts.engines.programNotFound) : null
}

export const exportRegistry = () => ok(inference.admin.export.get())

export function useImport() {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (bundle: ImportedBundle) => ok(inference.admin.import.post(bundle)),
    onSuccess: refresh,
  })
}

/** Other screens show the models too, and whether any can run. */
export function useRefresh() {
  const queries = useQueryClient()
  return () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: ['inference'] }),
      queries.invalidateQueries({ queryKey: ['auth', 'health'] }),
      queries.invalidateQueries({ queryKey: ['dashboard'] }),
    ])
}
