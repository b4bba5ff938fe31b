import { useQueries, useQuery } from '@tanstack/react-query'
import { control, ok, request } from '../api'
import { parseTrace } from '../trace/span'

export interface ToolCall {
  name: string
  arguments: unknown
  ok: boolean
  result: unknown
}

/** Of an answer; a graph of more models is looked into on its run's page. */
const MOST_NODES = 8
const POLL_MS = 2_000

/** The nodes of a run that asked a model, in the order they began. */
const useModelNodes = (runId: string, enabled: boolean, goingOn: boolean) =>
  useQuery({
    queryKey: ['runs', runId, 'model-nodes'],
    enabled,
    queryFn: async () => {
      const answer = await request('control', `/runs/${encodeURIComponent(runId)}/trace`)
      const { spans } = parseTrace(await answer.text())
      const nodes = spans.filter(
        ({ phase, node_id }) => node_id !== null && phase?.startsWith('model.generate'),
      )
      return [...new Set(nodes.map(({ node_id }) => node_id!))].slice(0, MOST_NODES)
    },
    refetchInterval: goingOn ? POLL_MS : false,
    staleTime: goingOn ? 0 : Number.POSITIVE_INFINITY,
  })

/** What the models of a run thought, and which tools they called, as far as it was recorded. */
export function useRecorded(runId: string, { enabled = true, goingOn = false } = {}) {
  const nodes = useModelNodes(runId, enabled, goingOn)
  return useQueries({
    queries: (nodes.data ?? []).map((id) => ({
      queryKey: ['runs', runId, 'said', id],
      queryFn: async () =>
        (
          await ok(
            control
              .runs({ id: runId })
              .nodes({ node_id: encodeURIComponent(id) })
              .io.get(),
          )
        ).outputs,
      refetchInterval: goingOn ? POLL_MS : (false as const),
      staleTime: goingOn ? 0 : Number.POSITIVE_INFINITY,
    })),
    combine: (results) => {
      const outputs = results.flatMap(({ data }) => (data ? [data as Record<string, unknown>] : []))
      return {
        loading: nodes.isLoading || results.some(({ isLoading }) => isLoading),
        reasoning: outputs
          .map(({ reasoning }) => (typeof reasoning === 'string' ? reasoning : ''))
          .filter(Boolean)
          .join('\n\n'),
        calls: outputs.flatMap(({ tool_calls }) =>
          Array.isArray(tool_calls) ? (tool_calls as ToolCall[]) : [],
        ),
      }
    },
  })
}

export const useToolCalls = (runId: string, goingOn: boolean) => useRecorded(runId, { goingOn })
