import { useEffect, useState } from 'react'

/** The time in epoch milliseconds, renewed every so often while `ticking`; it stands still otherwise. */
export function useNow(ticking: boolean, everyMs: number): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (!ticking) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), everyMs)
    return () => clearInterval(timer)
  }, [ticking, everyMs])
  return now
}
