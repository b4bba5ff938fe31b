import { useCallback, useMemo, useState } from 'react'
import type { Span } from './span'
import { type Gap, gapsOf, timelineOf } from './timeline'
import type { Tree } from './tree'

/** Which of a trace's gaps are folded, and the axis that makes. A gap is known by where it begins. */
export function useFolding(spans: readonly Span[], { originNs }: Tree, lengthNs: number) {
  const [starts, setStarts] = useState<ReadonlySet<number>>(new Set())
  const gaps = useMemo(() => gapsOf(spans, originNs, lengthNs), [spans, originNs, lengthNs])
  const folded = useMemo(() => gaps.filter(({ fromNs }) => starts.has(fromNs)), [gaps, starts])
  const timeline = useMemo(() => timelineOf(lengthNs, folded), [lengthNs, folded])

  const foldGap = useCallback(({ fromNs }: Gap) => {
    setStarts((known) => {
      const next = new Set(known)
      if (!next.delete(fromNs)) next.add(fromNs)
      return next
    })
  }, [])
  const isAll = folded.length === gaps.length
  const foldGaps = useCallback(
    () => setStarts(isAll ? new Set() : new Set(gaps.map(({ fromNs }) => fromNs))),
    [isAll, gaps],
  )
  return { gaps, folded, timeline, foldGap, foldGaps }
}
