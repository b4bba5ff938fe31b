import type { AgentDocument } from '../../src/graph/ir'
import { texts } from '../texts/canvas'
import { heightOf, WIDTH } from './geometry'
import type { Plan } from './layout-worker'
import { type Position, place } from './view'

/** Path of the worker's script, which `build/interface.ts` bundles and fills in. */
declare const LAYOUT_WORKER: string

const TIMEOUT_MS = 30_000

/** The document with every node where it reads best, from left to right. @throws where that takes too long */
export async function tidied(document: AgentDocument): Promise<AgentDocument> {
  return place(document, await arranged(planOf(document)))
}

function planOf({ nodes, edges }: AgentDocument): Plan {
  const ids = new Set(nodes.map(({ id }) => id))
  return {
    nodes: nodes.map((node) => ({ id: node.id, width: WIDTH, height: heightOf(node) })),
    edges: edges.flatMap(({ source, target }) =>
      ids.has(source) && ids.has(target) ? [{ source, target }] : [],
    ),
  }
}

function arranged(plan: Plan): Promise<Record<string, Position>> {
  const worker = new Worker(LAYOUT_WORKER)
  const { promise, resolve, reject } = Promise.withResolvers<Record<string, Position>>()
  const timer = setTimeout(() => reject(new Error(texts.layout.timedOut)), TIMEOUT_MS)
  worker.addEventListener('message', ({ data }: MessageEvent<Record<string, Position>>) => resolve(data))
  worker.addEventListener('error', ({ message }) => reject(new Error(message || texts.layout.failed)))
  worker.postMessage(plan)
  return promise.finally(() => {
    clearTimeout(timer)
    worker.terminate()
  })
}
