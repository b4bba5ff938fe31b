import fc from 'fast-check'
import type { AgentDocument } from '#graph/ir'
import { NODE_TYPES, type NodeTypeName } from '#graph/node-types'
import { openDocument } from '../../../../ui/canvas/open'
import { document, edge, json, node } from '../../../graph/support'

/** A document as the editor opens it; it need not be valid. */
function opened(value: unknown): AgentDocument {
  const { document: filled, problems } = openDocument(value)
  if (!filled) throw new Error(problems.map(({ message }) => message).join(' '))
  return filled
}

/** input → llm → output, with two further nodes beside it. */
export const small = () =>
  opened(
    document(
      [
        node('ask', 'input'),
        node('think', 'llm'),
        node('end', 'output'),
        node('way', 'router'),
        node('fetch', 'tool'),
      ],
      [edge('ask.out', 'think.in'), edge('think.out', 'end.in')],
    ),
  )

const types = Object.keys(NODE_TYPES) as NodeTypeName[]
const ID = fc.constantFrom('a', 'b', 'c', 'd', '__proto__', 'x y')
const coordinates = fc.record({
  x: fc.integer({ min: -500, max: 500 }),
  y: fc.integer({ min: -500, max: 500 }),
})

/** What may lie in a layout: places, places with more beside them, and whatever other programs write there. */
const entry = fc.oneof(
  coordinates.map((position) => ({ position })),
  fc.tuple(coordinates, json(2)).map(([position, icon]) => ({ icon, position, 'x-other': icon })),
  json(2),
)
const view = fc.option(
  fc.oneof(
    fc.record({
      nodes: fc.dictionary(ID, entry, { noNullPrototype: true }),
      viewport: json(1),
    }),
    fc.dictionary(fc.string(), json(2), { noNullPrototype: true }),
  ),
)

/** Any document that can be drawn: with ids that repeat, wires that lead nowhere, and layouts of other programs. */
export const drawable: fc.Arbitrary<AgentDocument> = fc
  .record({
    nodes: fc.array(
      fc.tuple(ID, fc.constantFrom(...types), fc.dictionary(fc.string(), json(2), { noNullPrototype: true })),
      { maxLength: 6 },
    ),
    edges: fc.array(fc.tuple(ID, ID, fc.constantFrom('e', 'f'), fc.constantFrom('data', 'control', 'tool')), {
      maxLength: 6,
    }),
    view,
    metadata: fc.option(fc.dictionary(fc.string(), json(2), { noNullPrototype: true })),
  })
  .map(({ nodes, edges, view: layout, metadata }) =>
    opened(
      document(
        nodes.map(([id, type, config]) => ({ ...node(id, type), config })),
        edges.map(([from, to, id, channel]) => ({
          ...edge(`${from}.out`, `${to}.in`),
          source: from,
          target: to,
          id,
          channel,
        })),
        { view: layout, metadata },
      ),
    ),
  )
