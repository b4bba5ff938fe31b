import { useMemo } from 'react'
import { useAgentChoices } from '../agents/data'
import { texts } from '../texts/runs'
import type { Run } from './data'

type Titled = Pick<Run, 'graph_id' | 'model'>

/** What a run is called: its agent's name, or what stood for one; without an agent, the model. */
export function useRunTitle(): (run: Titled) => string {
  const agents = useAgentChoices()
  return useMemo(() => {
    const names = new Map(agents.map(({ id, name }) => [id, name]))
    return ({ graph_id, model }) => (graph_id && (names.get(graph_id) || graph_id)) || model || texts.untitled
  }, [agents])
}
