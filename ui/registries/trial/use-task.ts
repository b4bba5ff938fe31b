import { useCallback, useEffect, useRef, useState } from 'react'

/** One request to a model that is answered in one piece. Times are epoch milliseconds. */
export interface Task<T> {
  phase: 'waiting' | 'done' | 'failed' | 'stopped'
  result: T | null
  error: unknown
  askedAt: number
  endedAt: number | null
}

/** Asks, and stops asking: on request, when something newer is asked, and when the panel closes. */
export function useTask<T>() {
  const [task, setTask] = useState<Task<T> | null>(null)
  const leaving = useRef<AbortController | null>(null)
  useEffect(() => () => leaving.current?.abort(), [])

  const start = useCallback(async (work: (signal: AbortSignal) => Promise<T>) => {
    leaving.current?.abort()
    const here = new AbortController()
    leaving.current = here
    const askedAt = Date.now()
    const end = (phase: Task<T>['phase'], result: T | null, error: unknown) => {
      if (!here.signal.aborted) setTask({ phase, result, error, askedAt, endedAt: Date.now() })
    }
    setTask({ phase: 'waiting', result: null, error: null, askedAt, endedAt: null })
    try {
      end('done', await work(here.signal), null)
    } catch (error) {
      end('failed', null, error)
    }
  }, [])

  const stop = useCallback(() => {
    leaving.current?.abort()
    setTask((known) => known && { ...known, phase: 'stopped', endedAt: Date.now() })
  }, [])

  return { task, start, stop }
}
