import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { PutIoPolicy } from '../../src/control/agents/schema'
import { ApiError, control, ok } from '../api'

const AGENTS = ['agents']
const LIST = [...AGENTS, 'list']
const DRAFTS = ['drafts']
const PAGE_SIZE = 50

/** Newest first, page by page. */
export const useAgents = () =>
  useInfiniteQuery({
    queryKey: LIST,
    queryFn: async ({ pageParam }) =>
      (await ok(control.agents.get({ query: { limit: PAGE_SIZE, before: pageParam } }))).agents,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => (page.length < PAGE_SIZE ? undefined : page.at(-1)?.id),
  })

const PICKED_PAGE_SIZE = 200
/** Five thousand agents: a list to choose from ends somewhere. */
const MOST_PICKED_PAGES = 25

type AgentItems = Awaited<ReturnType<typeof fetchChoices>>
const NONE: AgentItems = []
const flattened = ({ pages }: { pages: AgentItems[] }) => pages.flat()

const fetchChoices = async (before: string | undefined) =>
  (await ok(control.agents.get({ query: { limit: PICKED_PAGE_SIZE, before } }))).agents

/** All agents to choose one of or to name, by pages that follow one another by themselves. */
export function useAgentChoices() {
  const query = useInfiniteQuery({
    queryKey: [...LIST, 'choices'],
    queryFn: ({ pageParam }) => fetchChoices(pageParam),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page, pages) =>
      page.length < PICKED_PAGE_SIZE || pages.length >= MOST_PICKED_PAGES ? undefined : page.at(-1)?.id,
    select: flattened,
  })
  const { hasNextPage, isFetching, fetchNextPage } = query
  useEffect(() => {
    if (hasNextPage && !isFetching) void fetchNextPage()
  }, [hasNextPage, isFetching, fetchNextPage])
  return query.data ?? NONE
}

export const useAgent = (id: string, enabled = true) =>
  useQuery({ queryKey: [...AGENTS, id, 'detail'], enabled, queryFn: () => ok(control.agents({ id }).get()) })

/** Versions never change, so one reading is enough; an agent made anew under the id has another hash. */
export const useVersion = (
  id: string,
  { version, content_hash }: { version: string; content_hash: string },
  enabled = true,
) =>
  useQuery({
    enabled,
    queryKey: [...AGENTS, id, 'version', version, content_hash],
    queryFn: () =>
      ok(
        control
          .agents({ id })
          .versions({ version: encodeURIComponent(version) })
          .get(),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const useDiff = (id: string, a: string, b: string) =>
  useQuery({
    queryKey: [...AGENTS, id, 'diff', a, b],
    queryFn: () => ok(control.agents({ id }).diff.get({ query: { a, b } })),
  })

/** One after the other; what is deleted when one of them fails stays deleted. */
export function useDeleteAgents() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (ids: readonly string[]) => {
      for (const id of ids) {
        await deleted(id)
        queries.removeQueries({ queryKey: [...AGENTS, id] })
      }
    },
    onSettled: () => queries.invalidateQueries({ queryKey: LIST }),
  })
}

/** What somebody else deleted meanwhile is deleted. */
async function deleted(id: string) {
  try {
    await ok(control.agents({ id }).delete())
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'agent_not_found') throw error
  }
}

/**
 * Publishes documents, one after the other, each as an agent, or as a version of the agent that has its id already. The
 * same document once more changes nothing, so after a failure one may begin anew.
 */
export function usePublish() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async (documents: readonly unknown[]) => {
      const agents: { id: string }[] = []
      for (const ir of documents) agents.push(await published(ir))
      return agents
    },
    onSettled: () => queries.invalidateQueries({ queryKey: AGENTS }),
  })
}

async function published(ir: unknown): Promise<{ id: string }> {
  try {
    return await ok(control.agents.post({ ir }))
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'agent_exists') throw error
    // The server has read the document as far as to know its id.
    const { id } = ir as { id: string }
    return await ok(control.agents({ id }).versions.post({ ir }))
  }
}

const policyKey = (id: string) => [...AGENTS, id, 'io-policy']

export const useIoPolicy = (id: string) =>
  useQuery({ queryKey: policyKey(id), queryFn: () => ok(control.agents({ id })['io-policy'].get()) })

export function useSetIoPolicy(id: string) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (policy: PutIoPolicy) => ok(control.agents({ id })['io-policy'].put(policy)),
    onSuccess: (policy) => queries.setQueryData(policyKey(id), policy),
  })
}

/** The few that were edited last. */
export const useLatestDrafts = (limit: number) =>
  useQuery({
    queryKey: [...DRAFTS, 'latest', limit],
    queryFn: async () => (await ok(control.drafts.get({ query: { limit } }))).drafts,
  })

export const useDraft = (id: string) =>
  useQuery({ queryKey: [...DRAFTS, id], queryFn: () => ok(control.drafts({ id }).get()) })

export function useDeleteDraft() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => ok(control.drafts({ id }).delete()),
    onSuccess: () => queries.invalidateQueries({ queryKey: DRAFTS }),
  })
}
