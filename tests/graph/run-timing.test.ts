import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { RunEvent } from '#graph/events'
import { play, settle, wants } from './run-support'
import { type AuthoredEdge, type AuthoredNode, edge, node } from './support'

/** Layers of nodes, each fed by some of the layer before: routers that kill branches, tools that fail, models. */
function graphOf(layers: number[][], links: number[]) {
  const nodes: AuthoredNode[] = [node('a', 'input')]
  const edges: AuthoredEdge[] = []
  let before = ['a.out']
  let link = 0
  for (const [depth, layer] of layers.entries()) {
    const outs: string[] = []
    for (const [index, kind] of layer.entries()) {
      const made = nodeOf(`n${depth}_${index}`, kind)
      made.ports.in = made.ports.in.map((port) => ({ ...port, required: false }))
      nodes.push(made)
      edges.push(edge(before[(links[link++ % links.length] ?? 0) % before.length]!, `${made.id}.in`))
      outs.push(...made.ports.out.filter(({ role }) => role !== 'tool').map(({ id }) => `${made.id}.${id}`))
    }
    before = outs
  }
  const last = node('z', 'output')
  return { nodes: [...nodes, last], edges: [...edges, edge(before[0]!, 'z.in')] }
}

function nodeOf(id: string, kind: number): AuthoredNode {
  switch (kind % 5) {
    case 0:
      return node(id, 'llm', { messages: [{ role: 'user', content: `${id}: $in` }], tools: ['e'] })
    case 1:
      return node(id, 'tool', { tool: 'http_fetch', args: { url: id } })
    case 2: {
      const router = node(id, 'router', { select: '"left"' })
      router.ports.out = [{ id: 'left' }, { id: 'right' }]
      return router
    }
    case 3:
      return node(id, 'llm', { messages: [{ role: 'user', content: `${id} fails at $in` }], retry: null })
    default:
      return node(id, 'transform', { expr: `["${id}", "$in"]` })
  }
}

/** Random waits, the same for the same seed. */
function latency(seed: number) {
  let state = seed
  return () => {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff
    return settle(state % 40)
  }
}

const run = (graph: ReturnType<typeof graphOf>, seed: number, breaks: string[]) => {
  const wait = latency(seed)
  return play(graph.nodes, graph.edges, {
    input: 'go',
    latency: wait,
    rest: { tools: { e: { kind: 'builtin', ref: 'echo' } } },
    answer: ({ messages }) => {
      const { content } = messages[0] as { content: string }
      const id = content.split(/[: ]/)[0]!
      if (breaks.includes(id)) return new Error(`${id} broke`)
      return messages.length === 1 && content.includes(':') ? wants(['e', { value: id }]) : `answer of ${id}`
    },
    tools: {
      fetch: async ({ url }) => {
        await wait()
        if (url.endsWith('1')) throw new Error(`${url} is down`)
        return { status: 200, headers: {}, body: url }
      },
    },
  })
}

/** All that can be seen of a run afterwards: what it gave, its records, and its trace in order. */
function seen({ result, error, events }: Awaited<ReturnType<typeof run>>) {
  const about = Map.groupBy(events, (event: RunEvent) =>
    'node' in event ? event.node : 'span' in event ? event.span.node : '',
  )
  about.delete('')
  const order = (node: string) => {
    const opened = about.get(node)!.find((event) => event.type === 'span.open')
    return opened?.type === 'span.open' ? opened.order! : 0
  }
  const nodes = [...about].sort(([a], [b]) => order(a) - order(b))
  return { result, error: error?.message, nodes }
}

const layers = fc.array(fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 6 }), {
  minLength: 1,
  maxLength: 5,
})
const links = fc.array(fc.nat(20), { minLength: 1, maxLength: 10 })

test('who is faster changes nothing: neither output nor records nor trace', async () => {
  await fc.assert(
    fc.asyncProperty(layers, links, fc.integer(), fc.integer(), async (shape, linked, one, two) => {
      const graph = graphOf(
        shape.map((layer) => layer.map((kind) => (kind === 3 ? 4 : kind))),
        linked,
      )
      expect(seen(await run(graph, two, []))).toEqual(seen(await run(graph, one, [])))
    }),
    { numRuns: 150 },
  )
})

test('nor which of several failures is the one of the run', async () => {
  const breaks = ['n0_1', 'n1_0', 'n1_2', 'n0_4']
  await fc.assert(
    fc.asyncProperty(layers, links, fc.integer(), fc.integer(), async (shape, linked, one, two) => {
      const graph = graphOf(shape, linked)
      const first = await run(graph, one, breaks)
      const second = await run(graph, two, breaks)
      expect([second.error?.message, second.result]).toEqual([first.error?.message, first.result])
    }),
    { numRuns: 150 },
  )
})
