import { passingJournal } from '#graph/journal'
import type { ArtifactPort, CounterPort, ModelPort, Ports, RetrievalPort, ToolPort } from '#graph/ports'
import type { Inference } from '../../inference'
import type { Media } from '../../inference-media'

interface Deps {
  inference: Inference
  media: Media
  tools: ToolPort
  retrieval: RetrievalPort
  artifacts: ArtifactPort
  counters: CounterPort
  toolResultMaxChars: () => number
  now: () => number
}

/** What the nodes of interactive runs may ask of the world; asked for once per run, because settings are. */
export function runPorts({
  inference,
  media,
  tools,
  retrieval,
  artifacts,
  counters,
  toolResultMaxChars,
  now,
}: Deps) {
  const models: ModelPort = { chat: inference.chat, ...media }
  const clock = { now, elapsed: () => performance.now(), sleep }
  const journal = passingJournal()
  return (): Ports => ({
    models,
    tools,
    retrieval,
    artifacts,
    counters,
    clock,
    journal,
    settings: { toolResultMaxChars: toolResultMaxChars() },
  })
}

const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason)
    const leave = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', leave)
      resolve()
    }, ms)
    signal.addEventListener('abort', leave, { once: true })
  })
