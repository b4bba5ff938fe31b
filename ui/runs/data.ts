import { useInfiniteQuery, useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import type { AgentDocument } from '../../src/graph/ir'
import { control, ok } from '../api'
import { isUnfinished } from './describe'
import { hasStatus, queryOf, type RunFilters } from './filters'
import { hasHole, mergeRuns } from './pages'

export type Run = Awaited<ReturnType<typeof fetchRun>>

const PAGE_SIZE = 50
/** While something runs its end is worth seeing at once; else new runs of others come in slowly. */
const BUSY_POLL_MS = 1500
const IDLE_POLL_MS = 6000
/** Unfinished runs beyond the first page that are asked for one by one: those that wait at a gate, mostly. */
const MOST_SINGLE = 10
/** So many pages of a search without a find, and the reader is asked whether to look further. */
const LOOKS_UNASKED = 20

const fetchRun = (id: string) => ok(control.runs({ id }).get())
type RunQuery = ReturnType<typeof queryOf>
const fetchPage = (query: RunQuery, before?: string) =>
  ok(control.runs.get({ query: { ...query, limit: PAGE_SIZE, before } }))

/** The history, newest first, page by page; what is unfinished and what is new keeps itself up to date. */
export function useRuns(filters: RunFilters) {
  const queries = useQueryClient()
  // A period counts from when it was chosen, or the list would move under its reader.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the filters are made anew at each rendering
  const query = useMemo(() => queryOf(filters, Date.now()), [JSON.stringify(filters)])
  const listKey = ['runs', 'list', query]
  const history = useInfiniteQuery({
    queryKey: listKey,
    queryFn: ({ pageParam }) => fetchPage(query, pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_before }) => next_before ?? undefined,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const pages = useMemo(() => history.data?.pages.map(({ runs }) => runs) ?? [], [history.data])
  const fresh = useQuery({
    queryKey: ['runs', 'fresh', query],
    queryFn: async () => (await fetchPage(query)).runs,
    enabled: history.data !== undefined,
    refetchInterval: ({ state }) => (state.data?.some(isUnfinished) ? BUSY_POLL_MS : IDLE_POLL_MS),
  }).data
  const single = useUnfinished(pages, fresh ?? [])

  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is made of the query
  useEffect(() => {
    if (fresh && hasHole(pages[0] ?? [], fresh, PAGE_SIZE)) void queries.resetQueries({ queryKey: listKey })
  }, [fresh, pages, queries, query])
  useLookFurther(history)

  const runs = useMemo(
    () => mergeRuns(pages, fresh ?? [], single).filter((run) => hasStatus(run, query.status)),
    [pages, fresh, single, query],
  )
  return { ...history, runs }
}

interface History {
  data?: { pages: { runs: unknown[] }[] }
  isFetching: boolean
  hasNextPage: boolean
  fetchNextPage: () => unknown
}

/** A search looks at so many runs at a time: it goes on by itself while it finds nothing, for a while. */
function useLookFurther({ data, isFetching, hasNextPage, fetchNextPage }: History) {
  const pages = data?.pages ?? []
  const found = pages.some(({ runs }) => runs.length > 0)
  const goesOn = !found && hasNextPage && !isFetching && pages.length % LOOKS_UNASKED !== 0
  useEffect(() => {
    if (goesOn) void fetchNextPage()
  }, [goesOn, fetchNextPage])
}

function useUnfinished(pages: Run[][], fresh: Run[]): Run[] {
  const polled = new Set(fresh.map(({ id }) => id))
  const old = pages.flat().filter((run) => isUnfinished(run) && !polled.has(run.id))
  return useQueries({
    queries: old.slice(0, MOST_SINGLE).map((run) => ({
      ...runQuery(run.id),
      refetchInterval: 2 * BUSY_POLL_MS,
    })),
    combine: (results) => results.flatMap(({ data }) => (data ? [data] : [])),
  })
}

const runQuery = (id: string) => ({ queryKey: ['runs', id, 'record'] as const, queryFn: () => fetchRun(id) })

export const useRun = (id: string) =>
  useQuery({
    ...runQuery(id),
    refetchInterval: ({ state }) => (state.data && isUnfinished(state.data) ? BUSY_POLL_MS : false),
  })

/** What a run was made of; that never changes. Null of a run without a graph, or whose graph was not kept. */
export const useRunGraph = ({ id, content_hash }: Pick<Run, 'id' | 'content_hash'>) =>
  useQuery({
    queryKey: ['runs', 'graph', content_hash, id],
    enabled: content_hash !== null,
    queryFn: async () => {
      const { ir, view } = await ok(control.runs({ id }).graph.get())
      // The server keeps documents as it validated them, with their defaults filled in.
      return ir === null ? null : ({ ...ir, view } as unknown as AgentDocument)
    },
    staleTime: Number.POSITIVE_INFINITY,
  })

export function useCancelRun(id: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => ok(control.runs({ id }).cancel.post()),
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: ['runs', 'waiting'] })
      return queries.invalidateQueries({ queryKey: ['runs', id] })
    },
  })
}
