import { useEffect, useState } from 'react'
import { ApiError } from '../api'

/** The error's message when it is about this field, so that it can stand beside it. */
export const aboutField = (error: unknown, ...codes: string[]): string | undefined =>
  error instanceof ApiError && codes.includes(error.code) ? error.message : undefined

/** Seconds until the server takes another try, counting down; 0 when there is nothing to wait for. */
export function useWait(error: unknown): number {
  const [until, setUntil] = useState(0)
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const wait = error instanceof ApiError ? error.retryAfterSeconds : null
    setNow(Date.now())
    setUntil(wait ? Date.now() + wait * 1000 : 0)
  }, [error])
  const seconds = Math.max(0, Math.ceil((until - now) / 1000))
  useEffect(() => {
    if (seconds === 0) return
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [seconds])
  return seconds
}

export function waitText(seconds: number): string {
  if (seconds < 90) return `${seconds} s`
  return `${Math.ceil(seconds / 60)} min`
}
