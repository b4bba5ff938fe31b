import { Maximize, Minus, Plus } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { AgentDocument } from '../../src/graph/ir'
import type { CanvasFacts } from '../canvas/facts'
import { type CanvasApi, GraphCanvas, type Selection } from '../canvas/graph-canvas'
import { tidied } from '../canvas/layout'
import { IconButton } from '../kit/button'
import { Skeleton } from '../kit/placeholders'
import { texts as runs } from '../texts/runs'
import { nodeRunsOf } from '../trace/node-runs'
import { isNodeSpan, type Span } from '../trace/span'

const texts = runs.graph

interface RunGraphProps {
  document: AgentDocument
  spans: readonly Span[]
  selected: string | null
  onSelect: (span: string | null) => void
}

const NO_EDGES: ReadonlySet<number> = new Set()

/** The graph of a run, to look at: a node chosen here is a span chosen in the timeline, and the other way round. */
export function RunGraph({ document, spans, selected, onSelect }: RunGraphProps) {
  const drawn = useArranged(document)
  const facts = useFacts(drawn ?? document, spans)
  const node = spans.find(({ id }) => id === selected)?.node_id ?? null
  const selection = useMemo<Selection>(
    () => ({ nodes: new Set(node === null ? [] : [node]), edges: NO_EDGES }),
    [node],
  )
  const api = useRef<CanvasApi | null>(null)
  useEffect(() => {
    if (node !== null) api.current?.reveal(node)
  }, [node])

  function choose({ nodes }: Selection) {
    const next = [...nodes].find((id) => id !== node)
    if (next === undefined) return nodes.size === 0 && onSelect(null)
    const span = spans.find((one) => one.node_id === next && isNodeSpan(one))
    if (span) onSelect(span.id)
  }

  return (
    <div data-graph className="h-64 bg-canvas lg:h-72">
      {drawn ? (
        <GraphCanvas
          inPage
          facts={facts}
          selection={selection}
          onSelect={choose}
          onEdit={nothing}
          onConnect={nothing}
          onRefused={nothing}
          onLoose={nothing}
          onDrop={nothing}
          onReady={(ready) => {
            api.current = ready
            if (node !== null) ready.reveal(node)
          }}
        >
          <Tools api={api} />
        </GraphCanvas>
      ) : (
        <Skeleton className="m-4 h-48" />
      )}
    </div>
  )
}

const nothing = () => {}

function useFacts(document: AgentDocument, spans: readonly Span[]): CanvasFacts {
  const runs = useMemo(() => nodeRunsOf(spans), [spans])
  return useMemo(
    () => ({ document, runs, problems: new Map(), pinned: null, readOnly: true, onInsert: nothing }),
    [document, runs],
  )
}

/** As its author arranged it; what nobody arranged is arranged here. Null as long as that takes. */
function useArranged(document: AgentDocument): AgentDocument | null {
  const [arranged, setArranged] = useState<AgentDocument | null>(document.view ? document : null)
  useEffect(() => {
    if (document.view) return setArranged(document)
    let isHere = true
    // In columns it can be read too.
    const show = (shown: AgentDocument) => isHere && setArranged(shown)
    tidied(document).then(show, () => show(document))
    return () => {
      isHere = false
    }
  }, [document])
  return arranged
}

const Tools = ({ api }: { api: React.RefObject<CanvasApi | null> }) => (
  <div role="toolbar" aria-label={texts.title} className="flex rounded-lg border bg-raised p-0.5 shadow-card">
    <IconButton
      size="sm"
      label={texts.zoomOut}
      icon={<Minus aria-hidden className="size-3.5" />}
      onClick={() => api.current?.zoom('out')}
    />
    <IconButton
      size="sm"
      label={texts.zoomIn}
      icon={<Plus aria-hidden className="size-3.5" />}
      onClick={() => api.current?.zoom('in')}
    />
    <IconButton
      size="sm"
      label={texts.fit}
      icon={<Maximize aria-hidden className="size-3.5" />}
      onClick={() => api.current?.fit()}
    />
  </div>
)
