import { useCallback, useEffect, useRef, useState } from 'react'
import { ApiError } from '../../api'
import { openChat } from './calls'
import { ended, isGoingOn, newTrial, type Trial, withChunk, withProblem } from './chat-trial'

/** Asks a model, and follows the answer until it is over or the panel closes. */
export function useChatTrial(model: string) {
  const [trial, setTrial] = useState<Trial | null>(null)
  const leaving = useRef<AbortController | null>(null)
  useEffect(() => () => leaving.current?.abort(), [])

  const ask = useCallback(
    async (question: { prompt: string; image: string | null }) => {
      leaving.current?.abort()
      const here = new AbortController()
      leaving.current = here
      setTrial(newTrial(Date.now()))
      const change = (update: (trial: Trial) => Trial) => {
        if (leaving.current === here) setTrial((known) => known && update(known))
      }
      try {
        for await (const { data } of await openChat(model, question, here.signal)) {
          const now = Date.now()
          change((known) => withChunk(known, data, now))
        }
        change((known) => (isGoingOn(known) ? ended(known, 'done', Date.now()) : known))
      } catch (error) {
        if (here.signal.aborted) return
        const { message } = error as Error
        const code = error instanceof ApiError ? error.code : undefined
        change((known) => withProblem(known, { code, message }, Date.now()))
      }
    },
    [model],
  )

  const stop = useCallback(() => {
    leaving.current?.abort()
    setTrial((known) => known && ended(known, 'stopped', Date.now()))
  }, [])

  return { trial, ask, stop }
}
