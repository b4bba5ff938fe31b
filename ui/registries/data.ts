import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { ModelView, RegistrationInput } from '../../src/inference/models/schema'
import { inference, ok, openEventStream, request } from '../api'

export type { ModelView }

const MODELS = ['inference', 'models'] as const
const CREDENTIALS = ['inference', 'credentials'] as const
/** What a model can do hardly ever changes, and a provider is asked for it. */
const CAPABILITIES_STALE_MS = 5 * 60_000
/** Local engines come and go by themselves. */
const STATE_POLL_MS = 5_000

/** Ids may hold slashes and colons. */
const one = (id: string) => inference.admin.models({ id: encodeURIComponent(id) })

export const useModels = <T = ModelView[]>(select?: (models: ModelView[]) => T) =>
  useQuery({
    queryKey: MODELS,
    queryFn: async () => (await ok(inference.admin.models.get())).models as ModelView[],
    select,
    refetchInterval: ({ state }) => (state.data?.some(isManaged) ? STATE_POLL_MS : false),
  })

/** An engine of this machine serves it, so there is something to load and to free. */
export const isManaged = ({ binding }: ModelView) => binding.binding !== 'standard-compatible'

export const isTalkative = (modality: string) => modality === 'chat' || modality === 'vision'

/** A remote model only: to look at a local one would start it. */
export const useCapabilities = (model: ModelView) =>
  useQuery({
    queryKey: [...MODELS, model.logicalId, 'capabilities'],
    queryFn: () => ok(one(model.logicalId).capabilities.get()),
    enabled: !isManaged(model) && isTalkative(model.binding.modality),
    staleTime: CAPABILITIES_STALE_MS,
    retry: false,
  }).data

export const useCredentials = () =>
  useQuery({
    queryKey: CREDENTIALS,
    queryFn: async () => (await ok(inference.admin.credentials.get())).credentials,
  })

export interface Saving {
  id: string
  registration: RegistrationInput
  /** A secret that is new: it is stored first, so that the model works from its first second. */
  secret: { name: string; value: string } | null
}

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

/** Loads a local model into memory, or frees it. */
export function useLoading(id: string) {
  const refresh = useRefresh()
  return useMutation({
    mutationFn: (verb: 'warm' | 'evict') =>
      request('inference', `/admin/models/${encodeURIComponent(id)}:${verb}`, { method: 'POST' }),
    onSettled: refresh,
  })
}

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
  name: string
  ready: boolean
  /** Why not, and how to get it. */
  reason: string | null
}

/** Which engines this machine can run. A plane without any says 503, with the same list. */
export const useEngines = () =>
  useQuery({
    queryKey: ['inference', 'engines'],
    queryFn: async (): Promise<EngineReadiness[]> => {
      const { data, error } = await inference.readyz.get()
      const body = (data ?? error?.value) as { engines?: Record<string, Omit<EngineReadiness, 'name'>> }
      if (!body.engines) throw error?.value
      return Object.entries(body.engines).map(([name, state]) => ({ name, ...state }))
    },
  })

/** One question straight to the model, without a run. */
export async function openChat(model: string, prompt: string, signal: AbortSignal) {
  const body = {
    model,
    messages: [{ role: 'user', content: prompt }],
    stream: true,
    stream_options: { include_usage: true },
  }
  const { events } = await openEventStream('/v1/chat/completions', {
    plane: 'inference',
    method: 'POST',
    body,
    signal,
  })
  return events
}

/** Other screens show the models too, and whether any can run. */
function useRefresh() {
  const queries = useQueryClient()
  return () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: ['inference'] }),
      queries.invalidateQueries({ queryKey: ['auth', 'health'] }),
      queries.invalidateQueries({ queryKey: ['dashboard'] }),
    ])
}
