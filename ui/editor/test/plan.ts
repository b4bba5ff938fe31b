import { contentHash } from '../../../src/graph/hash'
import type { AgentDocument, GraphNode } from '../../../src/graph/ir'
import { isNodeType, NODE_TYPES } from '../../../src/graph/node-types'
import type { Problem } from '../../../src/graph/problem'
import { titleOf } from '../../canvas/sentence'
import { texts as panels } from '../../texts/editor-panels'

const texts = panels.test

/** Why the live document cannot be run here, in a sentence with a way out; null where it can. */
export function gateOf(document: AgentDocument, problems: readonly Problem[]): string | null {
  if (problems.length > 0) return texts.gate.problems(problems.length)
  if (document.nodes.length === 0) return texts.gate.empty
  const durable = document.nodes.filter(({ type }) => isNodeType(type) && NODE_TYPES[type].durableOnly)
  if (durable.length > 0) return texts.gate.durable(listed(durable))
  const reserved = document.nodes.filter(({ type }) => !isNodeType(type) || !NODE_TYPES[type].executable)
  return reserved.length > 0 ? texts.gate.reserved(listed(reserved)) : null
}

const LISTED = 3

function listed(nodes: readonly GraphNode[]): string {
  const named = nodes
    .slice(0, LISTED)
    .map((node) => texts.gate.node(titleOf(node)))
    .join(', ')
  return nodes.length > LISTED ? texts.gate.more(named, nodes.length - LISTED) : named
}

/** Whether the last run can be taken up at a node: a node to begin at, or why not. */
export type Restart = { from: string } | { reason: string }

/** Running from a node on takes over what the last run put out before it, so it has to be a run of this very graph. */
export function restartAt(document: AgentDocument, hash: string | null, node: string): Restart {
  if (hash === null) return { reason: texts.restart.noRun }
  if (hash !== contentHash(document)) return { reason: texts.restart.changed }
  return { from: node }
}

/** A pinned output is kept: the run begins at the one node that it leads to. */
export function restartAfter(document: AgentDocument, hash: string | null, pinned: string): Restart {
  const next = new Set(
    document.edges
      .filter(({ source, channel }) => source === pinned && channel !== 'tool')
      .map(({ target }) => target),
  )
  const [only] = next
  if (only === undefined) return { reason: texts.restart.last }
  if (next.size > 1) return { reason: texts.restart.several }
  return restartAt(document, hash, only)
}
