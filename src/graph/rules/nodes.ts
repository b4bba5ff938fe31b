import { type Draft, type DraftNode, sentence } from '../draft'
import { ROOT_SPAN } from '../events'
import { type ConfigOf, isNodeType, kindOf, NODE_TYPES, type NodeTypeName } from '../node-types'
import { list, MAX_PROBLEMS, type Problem, type ProblemCode, quote } from '../problem'
import { read } from '../read'

/** A node of a known type whose config has the right shape, with the defaults in it. */
export type TypedNode = { [T in NodeTypeName]: DraftNode & { type: T; filled: ConfigOf<T> } }[NodeTypeName]

/** Rule 1. */
export function duplicateIds({ nodes }: Draft): Problem[] {
  const seen = new Set<string>()
  return nodes.flatMap((node) => {
    if (node.id === undefined) return []
    const known = seen.has(node.id)
    seen.add(node.id)
    const message = 'is not the only node with this id'
    if (known) return [problem(node, 'duplicate_node_id', '/id', message, 'Give each node its own id.')]
    return node.id === ROOT_SPAN
      ? [problem(node, 'duplicate_node_id', '/id', 'has the id of the run itself in its trace', OTHER_ID)]
      : []
  })
}

const OTHER_ID = `Choose another id than ${ROOT_SPAN}.`

/** Rule 2. */
export const unknownTypes = ({ nodes }: Draft): Problem[] =>
  nodes.flatMap((node) => {
    if (node.type === undefined || isNodeType(node.type)) return []
    return [problem(node, 'unknown_type', '/type', `has the unknown type ${quote(node.type)}`, KNOWN_TYPES)]
  })

const KNOWN_TYPES = `Known types: ${Object.keys(NODE_TYPES).join(', ')}.`

/** Rule 3. */
export const kindMismatches = ({ nodes }: Draft): Problem[] =>
  nodes.flatMap((node) => {
    const { type, kind } = node
    if (type === undefined || kind === undefined || !isNodeType(type)) return []
    const expected = kindOf(type, node.config ?? {})
    if (kind === expected) return []
    const message = `has the kind ${quote(kind)}, but this ${type} is of kind ${quote(expected)}`
    return [problem(node, 'kind_mismatch', '/kind', message, `Set "kind" to ${quote(expected)}.`)]
  })

/** Rule 4; also gives the nodes whose config can be judged further. */
export function configs({ nodes }: Draft): { problems: Problem[]; typed: TypedNode[] } {
  const problems: Problem[] = []
  const typed: TypedNode[] = []
  for (const node of nodes) {
    if (problems.length >= MAX_PROBLEMS) break
    const { type, config, path } = node
    if (type === undefined || !isNodeType(type) || config === undefined) continue
    const { value, mismatches } = read(NODE_TYPES[type].config, config, `${path}/config`)
    for (const mismatch of mismatches) {
      problems.push({
        ...problem(node, 'invalid_config', '', '', mismatch.hint),
        message: sentence(node.name, mismatch.path.slice(path.length), mismatch.message),
        path: mismatch.path,
      })
    }
    // The type says which config it is, and the value was just read by that config's schema.
    const one = { ...node, type, filled: value } as TypedNode
    const unclear = mismatches.length === 0 ? serverOrConnection(one) : []
    problems.push(...unclear)
    if (mismatches.length + unclear.length === 0) typed.push(one)
  }
  return { problems, typed }
}

function serverOrConnection(node: TypedNode): Problem[] {
  if (node.type !== 'mcp_tool') return []
  if ((node.filled.server === null) !== (node.filled.connection === null)) return []
  const hint = 'Give either the name of a registered server, or the id of a connection.'
  return [problem(node, 'invalid_config', '/config', 'must name exactly one of server and connection', hint)]
}

/** Rule 5. */
export const undeclaredModels = ({ models }: Draft, typed: TypedNode[]): Problem[] =>
  typed.flatMap((node) => {
    const used = modelOf(node)
    if (!used || Object.hasOwn(models, used.key)) return []
    const message = `uses the model ${quote(used.key)}, which the document does not declare`
    const hint = `Add it to "models", or use one of these: ${list(Object.keys(models))}.`
    return [problem(node, 'unknown_model', used.field, message, hint)]
  })

function modelOf({ type, filled }: TypedNode): { key: string; field: string } | undefined {
  switch (type) {
    case 'llm':
    case 'transcribe':
    case 'speak':
    case 'imagine':
      return { key: filled.model, field: '/config/model' }
    case 'guardrail': {
      const { type: by, model } = filled.check
      return by === 'model' && model !== null
        ? { key: model.model, field: '/config/check/model/model' }
        : undefined
    }
    default:
      return undefined
  }
}

/** Rule 6. */
export const missingChecks = (typed: TypedNode[]): Problem[] =>
  typed.flatMap((node) => {
    if (node.type !== 'guardrail') return []
    const { type } = node.filled.check
    if (node.filled.check[type] !== null) return []
    const hint = `Add check.${type}, or change check.type.`
    return [
      problem(node, 'check_missing', '/config/check', `checks by ${type}, but has no check.${type}`, hint),
    ]
  })

/** Rule 7. */
export const childPins = (typed: TypedNode[]): Problem[] =>
  typed.flatMap((node) => {
    if (node.type !== 'subgraph' && node.type !== 'loop' && node.type !== 'map') return []
    const { version, contentHash, maxDepth } = node.filled
    const found: Problem[] = []
    if ((version === null) === (contentHash === null)) {
      const message = 'must pin exactly one of version and contentHash'
      found.push(problem(node, 'invalid_pin', '/config', message, 'Write one of the two.'))
    }
    if (maxDepth < 1) found.push(belowOne(node, 'maxDepth'))
    if (node.type === 'loop' && node.filled.maxIterations < 1) found.push(belowOne(node, 'maxIterations'))
    return found
  })

export const belowOne = (node: DraftNode, field: string): Problem =>
  problem(node, 'out_of_range', `/config/${field}`, `needs a ${field} of at least 1`, `Set it to 1 or more.`)

export const problem = (
  node: DraftNode,
  code: ProblemCode,
  field: string,
  message: string,
  hint: string,
): Problem => ({
  code,
  message: `${node.name} ${message}.`,
  hint,
  ...(node.id !== undefined && { node_id: node.id }),
  path: `${node.path}${field}`,
})
