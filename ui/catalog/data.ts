import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type {
  CatalogDetail,
  CatalogEntry,
  CatalogList,
  Install,
  Job,
  Size,
  Sort,
  Variant,
} from '../../src/inference/catalog/schema'
import type { Modality } from '../../src/inference/models/schema'
import { inference, ok, request } from '../api'
import { useRefresh } from '../registries/data'

export type { CatalogDetail, CatalogEntry, CatalogList, Job, Size, Sort, Variant }

/** Entries that are loaded at a time. */
export const PAGE = 30
/** A hub hardly changes while somebody looks around in it. */
const CATALOG_STALE_MS = 5 * 60_000
const ACTIVE_POLL_MS = 1_000
/** Somebody may have begun one elsewhere. */
const CALM_POLL_MS = 30_000

export interface Wanted {
  search: string
  modality: Modality | ''
  size: Size | ''
  sort: Sort
  limit: number
}

/** What was found before stays on show until the new answer is there. */
export const useCatalog = ({ search, modality, size, sort, limit }: Wanted) =>
  useQuery({
    queryKey: ['catalog', 'list', search, modality, size, sort, limit],
    queryFn: ({ signal }): Promise<CatalogList> =>
      ok(
        inference.admin.catalog.models.get({
          fetch: { signal },
          query: {
            sort,
            limit,
            ...(search ? { search } : {}),
            ...(modality ? { modality } : {}),
            ...(size ? { size } : {}),
          },
        }),
      ),
    staleTime: CATALOG_STALE_MS,
    placeholderData: keepPreviousData,
    retry: false,
  })

const detailOf = (repo: string) => ({
  queryKey: ['catalog', 'detail', repo],
  queryFn: ({ signal }: { signal: AbortSignal }): Promise<CatalogDetail> =>
    ok(inference.admin.catalog.models({ repo: encodeURIComponent(repo) }).get({ fetch: { signal } })),
  staleTime: CATALOG_STALE_MS,
  retry: false as const,
})

export const useCatalogDetail = (repo: string) => useQuery(detailOf(repo))

/** Begins to fetch what is about to be opened. */
export function usePrefetchDetail() {
  const queries = useQueryClient()
  return (repo: string) => void queries.prefetchQuery(detailOf(repo))
}

const DOWNLOADS = ['catalog', 'downloads'] as const

/** The newest first; of several under one id the last one only, which is what became of it. */
export const useDownloads = () =>
  useQuery({
    queryKey: DOWNLOADS,
    queryFn: async (): Promise<Job[]> =>
      latestOfEach((await ok(inference.admin.catalog.downloads.get())).downloads),
    refetchInterval: ({ state }) => (state.data?.some(isActive) ? ACTIVE_POLL_MS : CALM_POLL_MS),
  })

/** `dl-12` came after `dl-9`. */
const numberOf = ({ id }: Job) => Number(id.slice(id.lastIndexOf('-') + 1))

function latestOfEach(jobs: readonly Job[]): Job[] {
  const newestFirst = [...jobs].sort((a, b) => numberOf(b) - numberOf(a))
  return newestFirst.filter(
    ({ logicalId }, index) => newestFirst.findIndex((one) => one.logicalId === logicalId) === index,
  )
}

export const isActive = ({ status }: Pick<Job, 'status'>) =>
  status === 'downloading' || status === 'registering'

export const useActiveDownloads = (): Job[] => useDownloads().data?.filter(isActive) ?? []

export function useInstall() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (install: Install) => ok(inference.admin.catalog.install.post(install)),
    onSuccess: () => queries.invalidateQueries({ queryKey: DOWNLOADS }),
  })
}

export function useCancelDownload(id: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () =>
      request('inference', `/admin/catalog/downloads/${encodeURIComponent(id)}:cancel`, { method: 'POST' }),
    onSettled: () => queries.invalidateQueries({ queryKey: DOWNLOADS }),
  })
}

/** After a download ended: a model more is registered, and the catalog says so. */
export function useRefreshAfterInstall() {
  const queries = useQueryClient()
  const refresh = useRefresh()
  return () => {
    void refresh()
    void queries.invalidateQueries({ queryKey: ['catalog', 'list'] })
    void queries.invalidateQueries({ queryKey: ['catalog', 'detail'] })
  }
}
