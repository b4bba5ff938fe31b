import { outOfBounds } from './bounds'
import { type Draft, type DraftNode, readDraft } from './draft'
import type { AgentDocument, GraphNode } from './ir'
import { isNodeType, NODE_TYPES } from './node-types'
import { cycles } from './order'
import { MAX_PROBLEMS, type Problem, quote } from './problem'
import { capabilities, danglingEdges, nodesById, takenPorts, toolEdges, unfedPorts } from './rules/edges'
import { llmTools } from './rules/llm-tools'
import {
  childPins,
  configs,
  duplicateIds,
  kindMismatches,
  missingChecks,
  undeclaredModels,
  unknownTypes,
} from './rules/nodes'

export type { Problem } from './problem'

type Parsed = { document: AgentDocument; problems: [] } | { document: null; problems: Problem[] }

/**
 * A document with its defaults filled in, or everything that is wrong with it: at most 1,000 problems, in the order
 * in which the specification checks, so that the first is the one to answer with. Never throws.
 */
export function parse(document: unknown): Parsed {
  const refused = outOfBounds(document)
  if (refused) return { document: null, problems: [refused] }
  const draft = readDraft(document)
  const problems = broken(draft)
  if (problems.length > 0) return { document: null, problems }
  // Read without a mismatch by the schema that the type is made of.
  return { document: draft.value as AgentDocument, problems: [] }
}

/** Everything that is wrong with a document; see `parse`. */
export const validate = (document: unknown): Problem[] => parse(document).problems

/** The rules of the specification by number, 1 to 13, until there are enough problems. */
function broken(draft: Draft): Problem[] {
  if (draft.problems.length >= MAX_PROBLEMS) return draft.problems
  const nodes = nodesById(draft)
  const { problems: configProblems, typed } = configs(draft)
  const rules = [
    () => duplicateIds(draft),
    () => unknownTypes(draft),
    () => kindMismatches(draft),
    () => configProblems,
    () => undeclaredModels(draft, typed),
    () => missingChecks(typed),
    () => childPins(typed),
    () => llmTools(draft, typed),
    () => danglingEdges(draft, nodes),
    () => takenPorts(draft),
    () => toolEdges(draft, nodes, typed),
    () => unfedPorts(draft),
    () => cyclic(draft, nodes),
  ]
  let problems = draft.problems
  for (const rule of rules) if (problems.length < MAX_PROBLEMS) problems = problems.concat(rule())
  return problems.slice(0, MAX_PROBLEMS)
}

const SHOWN_NODES = 8

function cyclic({ edges }: Draft, nodes: Map<string, DraftNode>): Problem[] {
  const ordering = edges.filter(({ channel }) => channel !== 'tool')
  return cycles(nodes.keys(), ordering).map((cycle) => {
    const shown = cycle.slice(0, SHOWN_NODES).map(quote)
    const way = cycle.length > SHOWN_NODES ? [...shown, '…'] : shown
    return {
      code: 'cycle',
      message: `The graph has a cycle: ${[...way, quote(cycle[0]!)].join(' → ')}.`,
      hint: 'Remove one of these edges. To repeat a step, use a loop node.',
      node_id: cycle[0]!,
      path: nodes.get(cycle[0]!)!.path,
    }
  })
}

/** The first node that no run can execute; it must not keep a document from being stored. */
export const firstUnexecutable = ({ nodes }: AgentDocument): GraphNode | undefined =>
  nodes.find(({ type }) => isNodeType(type) && !NODE_TYPES[type].executable)

/** Whether some node has to outlive the process: such a graph only runs durably. */
export const needsDurable = ({ nodes }: AgentDocument): boolean =>
  nodes.some(({ type }) => isNodeType(type) && NODE_TYPES[type].durableOnly)

/** Nodes that are offered to a model, and so are no steps of the graph. */
export const capabilityNodes = ({ edges }: AgentDocument): Set<string> => capabilities({ edges })
