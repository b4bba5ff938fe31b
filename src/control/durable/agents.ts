import type { AgentPin, ChildAgents } from '#graph/durable'
import type { AgentDocument } from '#graph/ir'
import { AppError } from '#kernel/errors'
import type { AgentService } from '../agents/service'
import type { GraphStore } from '../runs/graph-store'
import { type Lookups, preflight } from '../runs/preflight'

/** Documents that are kept parsed: the children of a map are mostly of one. */
const KEPT = 50

interface Deps {
  agents: Pick<AgentService, 'resolve'>
  graphs: GraphStore
  lookups: Lookups
}

/** The agents that graphs run as their children; what they are made of is kept like that of any run. */
export function childAgents({ agents, graphs, lookups }: Deps): ChildAgents {
  const documents = new Map<string, AgentDocument>()

  return {
    async resolve({ agent, version, contentHash }: AgentPin) {
      const found = await agents.resolve(agent, { version, content_hash: contentHash })
      await preflight(found.document, lookups, true)
      await graphs.keep(found.contentHash, found.document)
      return found.contentHash
    },

    async load(contentHash) {
      const known = documents.get(contentHash)
      if (known) return known
      const document = await graphs.find(contentHash)
      if (!document)
        throw new AppError('agent_version_not_found', `The agent with the content ${contentHash} is gone.`)
      documents.set(contentHash, document)
      if (documents.size > KEPT) documents.delete(documents.keys().next().value!)
      return document
    },
  }
}
