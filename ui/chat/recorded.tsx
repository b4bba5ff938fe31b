import { useEffect, useRef, useState } from 'react'
import { texts } from '../texts/chat'
import { useRecorded } from './recorded-data'
import { ThoughtFold } from './thinking'
import { ToolChips } from './tool-chips'

/** What led to an answer of earlier: asked for when the turn comes into sight. */
export function Recorded({ runId }: { runId: string }) {
  const holder = useRef<HTMLDivElement>(null)
  const [seen, setSeen] = useState(false)
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && setSeen(true))
    observer.observe(holder.current!)
    return () => observer.disconnect()
  }, [])
  const { reasoning, calls } = useRecorded(runId, { enabled: seen })
  return (
    <div ref={holder} className="flex min-w-0 flex-col gap-2 empty:min-h-px">
      {reasoning !== '' && <ThoughtFold title={texts.thinking.recorded} text={reasoning} />}
      {calls.length > 0 && <ToolChips runId={runId} names={calls.map(({ name }) => name)} goingOn={false} />}
    </div>
  )
}
