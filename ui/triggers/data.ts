import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { CreateTrigger, Fired, PatchTrigger } from '../../src/control/triggers/schema'
import { baseUrl } from '../addresses'
import { control, ok, request } from '../api'
import { signatureOf } from './signing'

const TRIGGERS = ['triggers']
/** Nobody tells the page that a schedule fired. */
const REFRESH_MS = 10_000
/** As many as one answer holds; nobody gives an agent more. */
const LIMIT = 200

/** Those of one agent, or the latest of all, newest first. */
export const useTriggers = (agentId?: string) =>
  useQuery({
    queryKey: [...TRIGGERS, 'list', agentId],
    queryFn: async () =>
      (await ok(control.triggers.get({ query: { agent_id: agentId, limit: LIMIT } }))).triggers,
    refetchInterval: REFRESH_MS,
  })

/** Where deliveries to a webhook go. */
export const useHookUrl = (id: string) =>
  useQuery({
    queryKey: [...TRIGGERS, 'url', id],
    queryFn: async () => `${await baseUrl('control')}/hooks/${id}`,
    staleTime: Number.POSITIVE_INFINITY,
  }).data

function useChange<Input, Result>(mutationFn: (input: Input) => Promise<Result>) {
  const queries = useQueryClient()
  return useMutation({ mutationFn, onSuccess: () => queries.invalidateQueries({ queryKey: TRIGGERS }) })
}

export const useCreateTrigger = () => useChange((body: CreateTrigger) => ok(control.triggers.post(body)))

export const usePatchTrigger = (id: string) =>
  useChange((body: PatchTrigger) => ok(control.triggers({ id }).patch(body)))

export const useDeleteTrigger = () => useChange((id: string) => ok(control.triggers({ id }).delete()))

/** Delivers a body as another program would, signed with the secret. */
export const useTestDelivery = (id: string, secret: string) =>
  useChange(async (body: string): Promise<Fired> => {
    const headers = { 'x-service-signature': signatureOf(secret, body), 'content-type': 'application/json' }
    return (await request('control', `/hooks/${id}`, { method: 'POST', headers, body })).json()
  })
