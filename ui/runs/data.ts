import { useInfiniteQuery, useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { control, ok } from '../api'
import { isUnfinished } from './describe'
import { hasHole, mergeRuns } from './pages'

export type Run = Awaited<ReturnType<typeof fetchRun>>

const PAGE_SIZE = 50
/** While something runs its end is worth seeing at once; else new runs of others come in slowly. */
const BUSY_POLL_MS = 1500
const IDLE_POLL_MS = 6000
/** Unfinished runs beyond the first page that are asked for one by one: those that wait at a gate, mostly. */
const MOST_SINGLE = 10

const fetchRun = (id: string) => ok(control.runs({ id }).get())
const fetchPage = (before: string | undefined) =>
  ok(control.runs.get({ query: { limit: PAGE_SIZE, before } }))

const listKey = ['runs', 'list'] as const

/** The history, newest first, page by page; what is unfinished and what is new keeps itself up to date. */
export function useRuns() {
  const queries = useQueryClient()
  const history = useInfiniteQuery({
    queryKey: listKey,
    queryFn: ({ pageParam }) => fetchPage(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ runs }) => (runs.length < PAGE_SIZE ? undefined : runs.at(-1)!.id),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
  const pages = useMemo(() => history.data?.pages.map(({ runs }) => runs) ?? [], [history.data])
  const fresh = useQuery({
    queryKey: ['runs', 'fresh'],
    queryFn: async () => (await fetchPage(undefined)).runs,
    enabled: history.data !== undefined,
    refetchInterval: ({ state }) => (state.data?.some(isUnfinished) ? BUSY_POLL_MS : IDLE_POLL_MS),
  }).data
  const single = useUnfinished(pages, fresh ?? [])

  useEffect(() => {
    if (fresh && hasHole(pages[0] ?? [], fresh, PAGE_SIZE)) void queries.resetQueries({ queryKey: listKey })
  }, [fresh, pages, queries])

  const runs = useMemo(() => mergeRuns(pages, fresh ?? [], single), [pages, fresh, single])
  return { ...history, runs }
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

export function useCancelRun(id: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => ok(control.runs({ id }).cancel.post()),
    onSettled: () => queries.invalidateQueries({ queryKey: ['runs', id] }),
  })
}
