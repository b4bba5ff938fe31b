import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type {
  ArchiveList,
  Report,
  SavePrices,
  SessionTimeline,
} from '../../src/control/gateways/reports/schema'
import type { CreateGatewayKey, SaveConfig, UpdateGatewayKey } from '../../src/control/gateways/schema'
import { control, ok, request } from '../api'

const GATEWAYS = ['gateway', 'gateways']
const KEYS = ['gateway', 'keys']
const PRICES = ['gateway', 'prices']
const REFRESH_MS = 15_000
const SESSIONS_PAGE = 50
const TIMELINE_PAGE = 500
const REPORT_ROWS = 1_000
/** As many as may be live at once on a glance. */
const RECENT_SESSIONS = 200

export type Timeline = typeof SessionTimeline.static
export type Archive = (typeof ArchiveList.static)['archives'][number]
export type Prices = SavePrices['prices']
export type { Report }

export interface ReportFilters {
  from?: string
  to?: string
  developer?: string
  project?: string
  model?: string
  client?: string
  gateway?: string
}

export const useReport = (filters: ReportFilters, groups: readonly string[], live = false) =>
  useQuery({
    queryKey: ['gateway', 'report', filters, groups],
    queryFn: () =>
      ok(
        control.gateway.reports.get({
          query: { ...filters, group_by: groups.join(','), limit: REPORT_ROWS },
        }),
      ),
    placeholderData: (before) => before,
    refetchInterval: live ? REFRESH_MS : false,
  })

export const useToolReport = ({ model: _, ...filters }: ReportFilters) =>
  useQuery({
    queryKey: ['gateway', 'tools', filters],
    queryFn: () => ok(control.gateway.tools.get({ query: filters })),
    placeholderData: (before) => before,
  })

export const useRecentSessions = () =>
  useQuery({
    queryKey: ['gateway', 'sessions', 'recent'],
    queryFn: async () =>
      (await ok(control.gateway.sessions.get({ query: { limit: RECENT_SESSIONS } }))).sessions,
    refetchInterval: REFRESH_MS,
  })

export const useGatewaySessions = (filters: { developer?: string; project?: string }) =>
  useInfiniteQuery({
    queryKey: ['gateway', 'sessions', 'list', filters],
    queryFn: async ({ pageParam }) =>
      (
        await ok(
          control.gateway.sessions.get({
            query: { ...filters, limit: SESSIONS_PAGE, before: pageParam },
          }),
        )
      ).sessions,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => (page.length < SESSIONS_PAGE ? undefined : page.at(-1)!.id),
  })

/** Session ids are what client tools say they are: anything may be in one. */
const sessionAt = (id: string) => control.gateway.sessions({ id: encodeURIComponent(id) })

export const useTimeline = (id: string) =>
  useInfiniteQuery({
    queryKey: ['gateway', 'session', id],
    queryFn: ({ pageParam }): Promise<Timeline> =>
      ok(sessionAt(id).get({ query: { limit: TIMELINE_PAGE, after: pageParam } })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  })

export const useRecord = (sessionId: string, requestId: string) =>
  useQuery({
    queryKey: ['gateway', 'session', sessionId, 'request', requestId],
    queryFn: () => ok(sessionAt(sessionId).requests({ request_id: requestId }).get()),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const useGateways = (enabled = true) =>
  useQuery({
    queryKey: GATEWAYS,
    queryFn: async () => (await ok(control.gateways.get())).gateways,
    refetchInterval: REFRESH_MS,
    enabled,
  })

/** A mutation after which everything about gateways is asked for anew. */
function useChanging<V, R>(mutationFn: (variables: V) => Promise<R>, queryKey: readonly string[]) {
  const queries = useQueryClient()
  return useMutation({ mutationFn, onSuccess: () => queries.invalidateQueries({ queryKey }) })
}

export const useCreateGateway = () =>
  useChanging((name: string) => ok(control.gateways.post({ name })), GATEWAYS)
export const useUpdateGateway = () =>
  useChanging(
    ({ id, ...changes }: { id: string; name?: string; enabled?: boolean }) =>
      ok(control.gateways({ id }).patch(changes)),
    GATEWAYS,
  )
export const useDeleteGateway = () =>
  useChanging((id: string) => ok(control.gateways({ id }).delete()), GATEWAYS)

export const useGatewayConfig = (id: string) =>
  useQuery({
    queryKey: [...GATEWAYS, id, 'config'],
    queryFn: () => ok(control.gateways({ id }).config.get()),
  })
export const useSaveConfig = (id: string) =>
  useChanging((config: SaveConfig) => ok(control.gateways({ id }).config.put(config)), GATEWAYS)

/** Begins to record, and leaves what else is configured as it is. */
export const useBeginRecording = () =>
  useChanging(async (id: string) => {
    const { config_version: _, ...config } = await ok(control.gateways({ id }).config.get())
    return ok(control.gateways({ id }).config.put({ ...config, observer: true, record_level: 'metadata' }))
  }, GATEWAYS)

export const ticketFor = async (id: string): Promise<string> =>
  (await ok(control.gateways({ id }).tickets.post())).ticket

export const useGatewayKeys = () =>
  useQuery({ queryKey: KEYS, queryFn: async () => (await ok(control['gateway-keys'].get())).keys })
export const useCreateGatewayKey = () =>
  useChanging((body: CreateGatewayKey) => ok(control['gateway-keys'].post(body)), KEYS)
export const useUpdateGatewayKey = () =>
  useChanging(
    ({ id, ...changes }: UpdateGatewayKey & { id: string }) =>
      ok(control['gateway-keys']({ id }).patch(changes)),
    KEYS,
  )
export const useDeleteGatewayKey = () =>
  useChanging((id: string) => ok(control['gateway-keys']({ id }).delete()), KEYS)

export const usePrices = () =>
  useQuery({ queryKey: PRICES, queryFn: () => ok(control['gateway-prices'].get()) })
/** Models of the last 30 days that were used when they had no price, the most used first; null until it is known. */
export function useUnpricedModels(): string[] | null {
  const { data, isPending } = useReport({}, ['model'])
  if (isPending) return null
  return (data?.rows ?? [])
    .filter(({ model, unpriced }) => model && unpriced > 0)
    .sort((a, b) => b.unpriced - a.unpriced)
    .map(({ model }) => model!)
}
export const useSavePrices = () =>
  useChanging((prices: Prices) => ok(control['gateway-prices'].put({ prices })), PRICES)
/** What it prices anew is on every screen of the gateway. */
export const useReprice = () =>
  useChanging(() => ok(control['gateway-prices']['~reprice'].post()), ['gateway'])

export const useArchives = () =>
  useQuery({
    queryKey: ['gateway', 'archives'],
    queryFn: async () => (await ok(control.gateway.archives.get())).archives,
  })

export const fetchArchive = async (day: string): Promise<Blob> =>
  (await request('control', `/gateway/archives/${day}`)).blob()
