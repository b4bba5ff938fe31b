import { useEffect, useState } from 'react'

const SHOWN_MS = 5_000

/** A sentence that answers what was just tried, for a moment. */
export function useHint() {
  const [hint, setHint] = useState<string | null>(null)
  useEffect(() => {
    if (hint === null) return
    const timer = setTimeout(() => setHint(null), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [hint])
  return [hint, setHint] as const
}
