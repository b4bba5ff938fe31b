import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { cycles, sort, topologicalOrder } from '#graph/order'
import { document, edge, node, parsed } from './support'

describe('the order of nodes', () => {
  test('begins with those nothing leads to, sorted by id; then first come, first served', () => {
    const arrows = [
      { source: 'z', target: 'a' },
      { source: 'c', target: 'b' },
      { source: 'c', target: 'a' },
    ]
    expect(sort(['z', 'a', 'b', 'c'], arrows).sorted).toEqual(['c', 'z', 'b', 'a'])
  })
  test('of a document', () => {
    const nodes = [node('out', 'output'), node('b', 'transform'), node('a', 'transform'), node('in', 'input')]
    const edges = [edge('in.out', 'b.in'), edge('in.out', 'a.in'), edge('a.out', 'out.in')]
    expect(topologicalOrder(parsed(document(nodes, edges)))).toEqual(['in', 'b', 'a', 'out'])
  })
  test('any graph is either sorted, or has cycles', () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f']
    const arrow = fc.record({ source: fc.constantFrom(...ids), target: fc.constantFrom(...ids) })
    fc.assert(
      fc.property(fc.array(arrow, { maxLength: 10 }), (arrows) => {
        const { sorted, rest } = sort(ids, arrows)
        const found = cycles(ids, arrows)
        expect(found.length > 0).toBe(rest.size > 0)
        for (const { source, target } of arrows) {
          if (sorted.includes(target)) expect(sorted.indexOf(source)).toBeLessThan(sorted.indexOf(target))
        }
        const members = found.flat()
        expect(new Set(members).size).toBe(members.length)
        for (const cycle of found) {
          cycle.forEach((source, index) => {
            const target = cycle[(index + 1) % cycle.length]
            expect(arrows.some((one) => one.source === source && one.target === target)).toBe(true)
          })
        }
        // Without the nodes that were named, no cycle is left.
        const left = ids.filter((id) => !members.includes(id))
        expect(sort(left, arrows).rest.size).toBe(0)
      }),
      { numRuns: 1_000 },
    )
  })
})
