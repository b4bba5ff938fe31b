import type { AgentSummary } from '../../src/control/agents/schema'
import { control, ok } from '../api'
import { saveFile } from '../kit/save-file'

type Wanted = Pick<AgentSummary, 'id' | 'latest_version'>

/** Saves the newest version of agents as one JSON file, as “Publish from JSON” takes it: a document, or a list of them. */
export async function exportAgents(agents: readonly Wanted[]) {
  const documents: unknown[] = []
  // One after the other: a hundred at once would only wait in line.
  for (const agent of agents) documents.push(await documentOf(agent))
  const [only, ...others] = agents
  const name = others.length === 0 ? `${only!.id}-${only!.latest_version}` : 'agents'
  const content = others.length === 0 ? documents[0] : documents
  saveFile(`${name}.json`, JSON.stringify(content, null, 2), 'application/json')
}

async function documentOf({ id, latest_version }: Wanted) {
  const version = encodeURIComponent(latest_version)
  const { ir, view } = await ok(control.agents({ id }).versions({ version }).get())
  return view ? { ...ir, view } : ir
}
