import { useMemo, useRef, useState } from 'react'
import type { AgentSummary } from '../../src/control/agents/schema'
import type { AgentDocument } from '../../src/graph/ir'
import { outlineOf } from '../canvas/outline'
import { OutlineView, viewBoxOf } from '../canvas/outline-view'
import { useVersion } from './data'
import { useInSight } from './use-in-sight'

/** The graph of an agent’s newest version, from afar. It is fetched when it comes into sight. */
export function Thumbnail({ agent }: { agent: AgentSummary }) {
  const ref = useRef<HTMLDivElement>(null)
  const [isSeen, setIsSeen] = useState(false)
  useInSight(ref, () => setIsSeen(true), !isSeen)
  return (
    <div ref={ref} aria-hidden className="h-32 overflow-hidden rounded-t-xl border-b bg-canvas">
      {isSeen && <Graph agent={agent} />}
    </div>
  )
}

function Graph({ agent: { id, latest_version, latest_content_hash } }: { agent: AgentSummary }) {
  const { data } = useVersion(id, { version: latest_version, content_hash: latest_content_hash })
  const outline = useMemo(
    // Published documents are whole: the server has filled in what was left out.
    () => (data ? outlineOf({ ...data.ir, view: data.view ?? undefined } as AgentDocument) : null),
    [data],
  )
  if (!outline) return null
  return (
    <svg aria-hidden viewBox={viewBoxOf(outline)} className="size-full animate-fade-in p-2">
      <OutlineView outline={outline} />
    </svg>
  )
}
