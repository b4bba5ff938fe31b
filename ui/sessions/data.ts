import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { control, ok } from '../api'

const SESSIONS = ['sessions']
const LIST = [...SESSIONS, 'list']
const PAGE_SIZE = 30

/** Newest activity first, page by page. */
export const useSessions = () =>
  useInfiniteQuery({
    queryKey: LIST,
    queryFn: async ({ pageParam }) =>
      (await ok(control.sessions.get({ query: { limit: PAGE_SIZE, before: pageParam } }))).sessions,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => (page.length < PAGE_SIZE ? undefined : page.at(-1)?.id),
  })

export const useSession = (id: string) =>
  useQuery({ queryKey: [...SESSIONS, id, 'transcript'], queryFn: () => ok(control.sessions({ id }).get()) })

export function useDeleteSession() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => ok(control.sessions({ id }).delete()),
    onSuccess: (_, id) => {
      queries.removeQueries({ queryKey: [...SESSIONS, id] })
      return queries.invalidateQueries({ queryKey: LIST })
    },
  })
}
