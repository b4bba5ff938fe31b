import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { control, ok } from '../api'
import type { Run } from '../runs/data'

const PAGE_SIZE = 50
const POLL_MS = 8_000

/** The runs that wait for a person, newest first; the rail and the inbox look at the same list. */
export function useWaitingRuns() {
  const query = useInfiniteQuery({
    queryKey: ['runs', 'waiting'],
    queryFn: ({ pageParam }) =>
      ok(control.runs.get({ query: { status: 'waiting', limit: PAGE_SIZE, before: pageParam } })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next_before }) => next_before ?? undefined,
    refetchInterval: POLL_MS,
  })
  return { ...query, runs: query.data?.pages.flatMap(({ runs }) => runs) }
}

/** How many runs wait, as far as they are loaded: `3`, `50+`; null where none does, or it is not known. */
export function useWaitingCount(): string | null {
  const { runs, hasNextPage } = useWaitingRuns()
  return runs?.length ? `${runs.length}${hasNextPage ? '+' : ''}` : null
}

/** What a waiting run asks for. A gate never changes, so that one reading is enough. */
export const useAwaiting = (runId: string, place: string | null) =>
  useQuery({
    queryKey: ['runs', runId, 'awaiting', place],
    enabled: place !== null,
    queryFn: () => ok(control.runs({ id: runId }).awaiting.get()),
    staleTime: Number.POSITIVE_INFINITY,
  })

export type Awaiting = NonNullable<ReturnType<typeof useAwaiting>['data']>

/** Answers the gate at `place`. Whatever comes of it, how the run is now is asked anew. */
export function useResume(runId: string, place: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (input: unknown) => ok(control.runs({ id: runId }).resume.post({ input, node: place })),
    onSettled: () => {
      void queries.invalidateQueries({ queryKey: ['runs', 'waiting'] })
      return queries.invalidateQueries({ queryKey: ['runs', runId, 'record'] })
    },
  })
}

export function useStartDurable(agentId: string) {
  return useMutation({
    mutationFn: (input: unknown) => ok(control.agents({ id: agentId })['durable-runs'].post({ input })),
  })
}

/** Where a run waits, null where it does not. */
export const placeOf = ({ status, awaiting_node }: Pick<Run, 'status' | 'awaiting_node'>) =>
  status === 'waiting' ? awaiting_node : null
