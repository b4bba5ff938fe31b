import { shouting } from '../support/graphs'

export const INPUT = 'hello'

/** The graph of the benchmark: input → transform → output, without a model. */
export function threeNodes() {
  const ir = shouting({ id: 'agent.bench' })
  ir.nodes[1]!.config = { expr: '{"answer": "$in", "kind": "greeting"}' }
  return ir
}
