import { contentHash } from '../../../src/graph/hash'
import type { AgentDocument, GraphNode } from '../../../src/graph/ir'
import { isNodeType, NODE_TYPES } from '../../../src/graph/node-types'
import type { Problem } from '../../../src/graph/problem'
import { titleOf } from '../../canvas/sentence'

/** Why the live document cannot be run here, in a sentence with a way out; null where it can. */
export function gateOf(document: AgentDocument, problems: readonly Problem[]): string | null {
  if (problems.length > 0) {
    const count = problems.length === 1 ? 'One problem keeps' : `${problems.length} problems keep`
    return `${count} it from running. The list of problems leads to each.`
  }
  if (document.nodes.length === 0) return 'There is nothing to run yet: add an Input, a Model and an Output.'
  const durable = document.nodes.filter(({ type }) => isNodeType(type) && NODE_TYPES[type].durableOnly)
  if (durable.length > 0) {
    return `${listed(durable)} must outlive a restart, so this agent only runs durably: publish it, and run it from its page.`
  }
  const reserved = document.nodes.filter(({ type }) => !isNodeType(type) || !NODE_TYPES[type].executable)
  return reserved.length > 0
    ? `${listed(reserved)}: nothing can run nodes of this type yet. Remove it.`
    : null
}

const listed = (nodes: readonly GraphNode[]): string =>
  nodes
    .slice(0, 3)
    .map((node) => `“${titleOf(node)}”`)
    .join(', ') + (nodes.length > 3 ? ` and ${nodes.length - 3} more` : '')

/** Whether the last run can be taken up at a node: a node to begin at, or why not. */
export type Restart = { from: string } | { reason: string }

/** Running from a node on takes over what the last run put out before it, so it has to be a run of this very graph. */
export function restartAt(document: AgentDocument, hash: string | null, node: string): Restart {
  if (hash === null) return { reason: 'Run it once from the start: there is nothing to take over yet.' }
  if (hash !== contentHash(document)) {
    return {
      reason:
        'The graph changed since the last run, so what that put out may not fit any more. Run it once from the start.',
    }
  }
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
  if (only === undefined)
    return { reason: 'Nothing comes after this node, so keeping its output saves nothing.' }
  if (next.size > 1) {
    return { reason: 'Its output goes to several nodes. Run from the one you are working on instead.' }
  }
  return restartAt(document, hash, only)
}
