import type { AgentDocument } from '#graph/ir'
import { quote } from '#graph/problem'
import { AppError } from '#kernel/errors'
import type { RecordedNode } from '../traces/service'

type Values = Record<string, unknown>

/**
 * What a rerun takes over from the run before: all that it need not do again. Without `fromNode` that is nothing.
 * @throws {AppError} `step_not_found`, `outputs_not_recorded` for a node before `fromNode`
 */
export function reusedNodes(
  document: AgentDocument,
  recorded: ReadonlyMap<string, RecordedNode>,
  fromNode: string | null,
): Map<string, Values> {
  const reused = new Map<string, Values>()
  if (fromNode === null) return reused
  if (!document.nodes.some(({ id }) => id === fromNode)) {
    throw new AppError('step_not_found', `The graph of this run has no node ${quote(fromNode)}.`)
  }
  const before = reachable(document, fromNode, 'backwards')
  const again = reachable(document, fromNode, 'forwards').add(fromNode)
  for (const { id, type } of document.nodes) {
    // An output node only takes what comes; doing it is the same as taking its result over.
    if (again.has(id) || type === 'output') continue
    const outputs = takenOver(recorded.get(id))
    if (outputs) reused.set(id, outputs)
    else if (before.has(id) && recorded.get(id)?.status !== 'skipped') throw notRecorded(id)
  }
  return reused
}

/**
 * The input of the run before, which its input node put out; null where the graph has none.
 * @throws {AppError} `outputs_not_recorded`
 */
export function recordedInput(
  { nodes }: AgentDocument,
  recorded: ReadonlyMap<string, RecordedNode>,
): unknown {
  const node = nodes.find(({ type }) => type === 'input')
  if (!node) return null
  const [value] = Object.values(takenOver(recorded.get(node.id)) ?? {})
  if (value === undefined) throw notRecorded(node.id)
  return value
}

function takenOver(node: RecordedNode | undefined): Values | null {
  if (!node || node.status === 'running' || node.status === 'skipped') return null
  const outputs = node.outputs
  // A node that failed the run has put out nothing; one whose failure went to its error port has.
  return node.status === 'err' && Object.keys(outputs ?? {}).length === 0 ? null : outputs
}

function reachable({ edges }: AgentDocument, from: string, way: 'forwards' | 'backwards'): Set<string> {
  const links = Map.groupBy(
    edges.filter(({ channel }) => channel !== 'tool'),
    ({ source, target }) => (way === 'forwards' ? source : target),
  )
  const found = new Set<string>()
  const open = [from]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const { source, target } of links.get(id) ?? []) {
      const next = way === 'forwards' ? target : source
      if (found.has(next)) continue
      found.add(next)
      open.push(next)
    }
  }
  return found
}

const notRecorded = (id: string) =>
  new AppError(
    'outputs_not_recorded',
    `What node ${quote(id)} put out is not on record as it was. Run it from an earlier node, or from the start with an input.`,
  )
