import { byCodePoint } from './hash'
import type { AgentDocument } from './ir'

interface Arrow {
  source: string
  target: string
}

/** The order in which a run goes through the nodes, and shows what happened at the same time. */
export const topologicalOrder = ({ nodes, edges }: Pick<AgentDocument, 'nodes' | 'edges'>): string[] =>
  sort(
    nodes.map(({ id }) => id),
    edges.filter(({ channel }) => channel !== 'tool'),
  ).sorted

/**
 * Kahn's order: first every node that nothing leads to, sorted by id; then each as soon as all before it are done,
 * first come, first served. `rest` cannot be ordered, because a cycle leads to it or it lies on one.
 */
export function sort(
  ids: Iterable<string>,
  arrows: readonly Arrow[],
): { sorted: string[]; rest: Set<string> } {
  const rest = new Set(ids)
  const { next, incoming } = links(rest, arrows)
  const sorted = [...rest].filter((id) => incoming.get(id) === 0).sort(byCodePoint)
  for (const id of sorted) {
    rest.delete(id)
    for (const target of next.get(id)!) {
      const left = incoming.get(target)! - 1
      incoming.set(target, left)
      if (left === 0) sorted.push(target)
    }
  }
  return { sorted, rest }
}

/**
 * Cycles that share no node, each in the direction of its arrows; none where all can be sorted. A walk goes on until it
 * meets its own way again, which is a cycle, or an end, which is on none; both are left behind, so that no arrow is
 * followed twice.
 */
export function cycles(ids: Iterable<string>, arrows: readonly Arrow[]): string[][] {
  const { rest } = sort(ids, arrows)
  const { next } = links(rest, arrows)
  return [...rest].flatMap((start) => cyclesFrom(start, next))
}

function cyclesFrom(start: string, next: Map<string, string[]>): string[][] {
  const found: string[][] = []
  const way = [start]
  const place = new Map([[start, 0]])
  while (way.length > 0) {
    const target = nextOn(next, way.at(-1)!)
    if (target !== undefined && !place.has(target)) {
      place.set(target, way.length)
      way.push(target)
      continue
    }
    const left = way.splice(target === undefined ? way.length - 1 : place.get(target)!)
    if (target !== undefined) found.push(left)
    for (const id of left) {
      place.delete(id)
      next.delete(id)
    }
  }
  return found
}

/** Where an arrow still leads to from here; arrows to what was left behind are dropped. */
function nextOn(next: Map<string, string[]>, id: string): string | undefined {
  const targets = next.get(id) ?? []
  while (targets.length > 0 && !next.has(targets.at(-1)!)) targets.pop()
  return targets.at(-1)
}

function links(ids: Set<string>, arrows: readonly Arrow[]) {
  const next = new Map<string, string[]>([...ids].map((id) => [id, []]))
  const incoming = new Map<string, number>([...ids].map((id) => [id, 0]))
  for (const { source, target } of arrows) {
    if (!next.has(source) || !next.has(target)) continue
    next.get(source)!.push(target)
    incoming.set(target, incoming.get(target)! + 1)
  }
  return { next, incoming }
}
