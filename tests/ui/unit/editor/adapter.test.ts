import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { canonicalJson } from '#graph/hash'
import { fromCanvas, toCanvas } from '../../../../ui/canvas/adapter'
import { entryOf } from '../../../../ui/canvas/view'
import { drawable, small } from './documents'

const RUNS = { numRuns: 300 }

test('the canvas loses nothing of a document: what it shows is the document again', () => {
  fc.assert(
    fc.property(drawable, (document) => {
      expect(canonicalJson(fromCanvas(toCanvas(document)))).toBe(canonicalJson(document))
    }),
    RUNS,
  )
})

test('moving a node changes its place in the layout and nothing else', () => {
  fc.assert(
    fc.property(drawable, fc.nat(), fc.constantFrom([7, 0], [0, -3], [7, -3]), (document, pick, [dx, dy]) => {
      const canvas = toCanvas(document)
      const index = pick % Math.max(1, canvas.nodes.length)
      const moved = canvas.nodes[index]
      fc.pre(moved !== undefined)
      const to = { x: moved.position.x + dx!, y: moved.position.y + dy! }
      const nodes = canvas.nodes.with(index, { ...moved, position: to })
      const after = fromCanvas({ ...canvas, nodes })
      const { id } = moved.data.node
      const before = entryOf(document, id)
      expect(entryOf(after, id)).toEqual({ ...(isRecord(before) ? before : {}), position: to })
      const { [id]: _, ...others } = nodesOf(document)
      const { [id]: __, ...othersAfter } = nodesOf(after)
      expect(othersAfter).toEqual(others)
      expect({ ...after, view: null }).toEqual({ ...document, view: null })
    }),
    RUNS,
  )
})

test('every node and wire has a name of its own on the canvas, whatever the document calls them', () => {
  fc.assert(
    fc.property(drawable, (document) => {
      const { nodes, edges } = toCanvas(document)
      expect(new Set(nodes.map(({ id }) => id)).size).toBe(document.nodes.length)
      expect(new Set(edges.map(({ id }) => id)).size).toBe(document.edges.length)
    }),
    RUNS,
  )
})

test('an edit to one node leaves the view of all others the same object', () => {
  const document = small()
  const before = toCanvas(document)
  const nodes = document.nodes.with(1, { ...document.nodes[1]!, label: 'Think' })
  const after = toCanvas({ ...document, nodes }, before)
  expect(after.nodes.map((node, index) => node === before.nodes[index])).toEqual([
    true,
    false,
    true,
    true,
    true,
  ])
  expect(after.edges.every((edge, index) => edge === before.edges[index])).toBe(true)
})

test('nodes that nobody placed stand in columns, and none lies on another', () => {
  const { nodes } = toCanvas(small())
  const x = Object.fromEntries(nodes.map(({ id, position }) => [id, position.x]))
  expect(x.ask! < x.think! && x.think! < x.end!).toBe(true)
  const overlaps = nodes.flatMap((a) =>
    nodes.filter(
      (b) =>
        a.id < b.id &&
        Math.abs(a.position.x - b.position.x) < a.width! &&
        a.position.y < b.position.y + b.height! &&
        b.position.y < a.position.y + a.height!,
    ),
  )
  expect(overlaps).toEqual([])
})

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const nodesOf = ({ view }: { view: Record<string, unknown> | null }): Record<string, unknown> =>
  isRecord(view?.nodes) ? view.nodes : {}
