import { graph, node } from './graphs'

/** Numbers from 0 to below 1 that are the same for the same seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}

const effect = (id: string, server: string, path: string) =>
  node(id, 'tool', { config: { tool: 'http_fetch', args: { url: `${server}/${path}` } } })

/** A child that has one effect, and says the path of it behind what it was given. */
export const childOf = (server: string) =>
  graph(
    [
      node('in', 'input'),
      effect('do', server, 'child'),
      node('say', 'transform', {
        config: { expr: '$string($in.was) & $in.did.body' },
        in: ['was', 'did'],
      }),
      node('out', 'output'),
    ],
    ['in.out>do.in', 'in.out>say.was', 'do.out>say.did', 'say.out>out.in'],
    { id: 'agent.crash-child' },
  )

const CHILD = { agent: 'agent.crash-child', version: '1.0.0' }

/**
 * A graph of up to three branches side by side, of up to three steps each: effects, gates, a gate whose time runs out,
 * a map and a loop over a child. Its output holds what every branch ended with, so it tells of every wrong step.
 */
export function randomGraph(seed: number, server: string) {
  const random = seeded(seed)
  const pick = (most: number) => 1 + Math.floor(random() * most)
  const nodes = [node('in', 'input')]
  const edges: string[] = []
  const ends: string[] = []
  const branches = pick(3)
  for (let branch = 0; branch < branches; branch++) {
    let last = 'in'
    for (let step = pick(3); step > 0; step--) {
      const id = `b${branch}s${step}`
      nodes.push(...stepOf(id, random(), server))
      edges.push(`${last}.out>${id}.in`)
      last = nodes.at(-1)!.id
      if (last !== id) edges.push(`${id}.out>${last}.in`)
    }
    ends.push(last)
  }
  const ports = ends.map((_, index) => `p${index}`)
  const expr = JSON.stringify(Object.fromEntries(ports.map((port) => [port, `$in.${port}`])))
  nodes.push(node('join', 'transform', { config: { expr }, in: ports }), node('out', 'output'))
  edges.push(...ends.map((end, index) => `${end}.out>join.${ports[index]}`), 'join.out>out.in')
  return graph(nodes, edges, { id: `agent.crash-${seed}` })
}

function stepOf(id: string, dice: number, server: string) {
  if (dice < 0.45) {
    const body = node(`${id}x`, 'transform', { config: { expr: '$in.in.body' } })
    return [effect(id, server, id), body]
  }
  if (dice < 0.6) return [node(id, 'human', { config: { prompt: id } })]
  if (dice < 0.7)
    return [node(id, 'human', { config: { timeout: 0.1, onTimeout: 'default', default: `${id}-default` } })]
  if (dice < 0.85) {
    const list = node(id, 'transform', { config: { expr: '["a","b","c"]' } })
    return [list, node(`${id}m`, 'map', { config: { ...CHILD, concurrency: 2 } })]
  }
  return [
    node(id, 'transform', { config: { expr: '"l"' } }),
    node(`${id}l`, 'loop', { config: { ...CHILD, maxIterations: 2 } }),
  ]
}
