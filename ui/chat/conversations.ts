import { type Answer, type Failure, isOver, newAnswer, withFailure, withFrame, withRecord } from './answer'
import { follow, type Heard, type Source } from './follow'
import type { ChatInput } from './input'
import type { LiveTurn } from './turns'
import { forget, keep, kept, type Shelf, type Unfinished } from './unfinished'

export interface Question {
  sessionId: string
  /** The logical id of who answers, empty where an agent does. */
  model: string
  /** The id of the agent that answers instead of a model. */
  agent?: string
  input: ChatInput
}

interface Deps {
  /** How the turn's run is started and listened to. */
  source: (question: Question) => Required<Source>
  shelf: Shelf
  now: () => number
  /** Calls back soon, once for many calls in a row: at the next frame, in a browser. */
  soon: (run: () => void) => void
  /** A turn is over; the server's lists know more now. */
  ended: (sessionId: string) => void
  failureOf: (error: unknown) => Failure & { runId?: string | null }
}

/** Writing the whole turn for every token would be waste; leaving the page writes what is missing. */
const KEEP_EVERY_MS = 500
/** Conversations whose finished turns stay in memory. */
const MOST_CONVERSATIONS = 20

const NONE: readonly LiveTurn[] = []

/**
 * The turns asked in this tab, with their answers as they come in. They live outside the screen: who looks at another
 * one meanwhile must not lose the answer, for a run that nobody listens to is ended after ten seconds.
 */
export function conversations({ source, shelf, now, soon, ended, failureOf }: Deps) {
  const bySession = new Map<string, readonly LiveTurn[]>()
  const listening = new Map<string, AbortController>()
  const listeners = new Set<() => void>()
  let notifying = false

  function notify() {
    if (notifying) return
    notifying = true
    soon(() => {
      notifying = false
      for (const listener of listeners) listener()
    })
  }

  function put(sessionId: string, turns: readonly LiveTurn[]) {
    bySession.delete(sessionId)
    bySession.set(sessionId, turns)
    for (const id of bySession.keys()) {
      if (bySession.size <= MOST_CONVERSATIONS) break
      if (!listening.has(id)) bySession.delete(id)
    }
    notify()
  }

  const lastOf = (sessionId: string) => bySession.get(sessionId)?.at(-1)

  /** The one turn of a conversation that may be going on is its last. */
  function change(sessionId: string, update: (turn: LiveTurn) => LiveTurn) {
    const turns = bySession.get(sessionId)
    const last = turns?.at(-1)
    if (turns && last) put(sessionId, [...turns.slice(0, -1), update(last)])
  }

  const answerWith = (sessionId: string, update: (answer: Answer) => Answer) =>
    change(sessionId, (turn) => ({ ...turn, reconnecting: false, answer: update(turn.answer) }))

  function save(sessionId: string) {
    const turn = lastOf(sessionId)
    if (!turn) return
    // A completed answer is in the session; a failed, stopped or empty one is nowhere else.
    if (turn.answer.phase === 'completed' && turn.answer.text !== '') forget(shelf, sessionId)
    else keep(shelf, unfinishedOf(sessionId, turn))
  }

  function hear(sessionId: string, heard: Heard) {
    switch (heard.kind) {
      case 'frame':
        return answerWith(sessionId, (answer) => withFrame(answer, heard.frame, now()))
      case 'begun':
        return answerWith(sessionId, (answer) => ({ ...answer, runId: heard.runId, durable: true }))
      case 'said': {
        const { output, messageId } = heard.said
        const run = { status: 'completed', output, error: null }
        return answerWith(sessionId, (answer) => withRecord({ ...answer, messageId }, run, now()))
      }
      case 'record':
        return answerWith(sessionId, (answer) => withRecord(answer, heard.run, now()))
      case 'reconnecting':
        return change(sessionId, (turn) => ({ ...turn, reconnecting: true }))
    }
  }

  async function listen(question: Question, begins: boolean) {
    const { sessionId } = question
    const leaving = new AbortController()
    listening.set(sessionId, leaving)
    const from = source(question)
    const { runId, lastEventId } = lastOf(sessionId)!.answer
    let savedAt = 0
    try {
      const events = follow(
        begins ? from : { ...from, start: undefined },
        { runId, lastEventId },
        leaving.signal,
      )
      for await (const heard of events) {
        hear(sessionId, heard)
        if (now() - savedAt < KEEP_EVERY_MS) continue
        savedAt = now()
        save(sessionId)
      }
      await complete(question, from, leaving.signal)
    } catch (error) {
      const { runId: failedRun, ...failure } = failureOf(error)
      answerWith(sessionId, (answer) =>
        withFailure({ ...answer, runId: answer.runId ?? failedRun ?? null }, failure, now()),
      )
    }
    if (listening.get(sessionId) === leaving) listening.delete(sessionId)
    if (leaving.signal.aborted) return
    save(sessionId)
    ended(sessionId)
  }

  /** Why a completed run has no answer, and which of the texts of an agent's models is its answer, its record tells. */
  async function complete({ sessionId, agent }: Question, from: Required<Source>, signal: AbortSignal) {
    const answer = lastOf(sessionId)?.answer
    if (answer?.phase !== 'completed' || answer.runId === null || answer.failure || answer.durable) return
    if (answer.text !== '' && agent === undefined) return
    const run = await from.record(answer.runId, signal)
    answerWith(sessionId, (known) => withRecord(known, run, now()))
  }

  return {
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },

    /** The turns asked here, oldest first; the same list as long as nothing changed. */
    turns: (sessionId: string): readonly LiveTurn[] => bySession.get(sessionId) ?? NONE,

    ask(question: Question) {
      const { sessionId, model, agent, input } = question
      const last = lastOf(sessionId)
      if (last && !isOver(last.answer)) return
      const key = `${sessionId}:${now()}:${(bySession.get(sessionId) ?? NONE).length}`
      const turn: LiveTurn = {
        kind: 'live',
        key,
        model,
        agent,
        input,
        reconnecting: false,
        answer: newAnswer(now()),
      }
      put(sessionId, [...(bySession.get(sessionId) ?? NONE), turn])
      void listen(question, true)
    },

    /** Forgets the turns from that one on, as the session does, so that it can be asked anew. */
    drop(sessionId: string, keys: ReadonlySet<string>) {
      forget(shelf, sessionId)
      put(
        sessionId,
        (bySession.get(sessionId) ?? NONE).filter(({ key }) => !keys.has(key)),
      )
    },

    /** After a reload: takes up the turn that was going on, or shows the one that failed. */
    resume(sessionId: string) {
      if (bySession.has(sessionId)) return
      const turn = kept(shelf, sessionId)
      if (!turn) return
      const { model, agent, input, answer } = turn
      put(sessionId, [
        {
          kind: 'live',
          key: `${sessionId}:kept`,
          model,
          agent,
          input,
          // What has no stream is asked for its record again and again anyway.
          reconnecting: !isOver(answer) && !answer.durable,
          answer,
        },
      ])
      if (!isOver(answer)) void listen({ sessionId, model, agent, input }, false)
    },

    /** Ends the wait for a run that has no id yet; a run that has one is cancelled at the server. */
    abandon(sessionId: string) {
      listening.get(sessionId)?.abort()
      answerWith(sessionId, (answer) => withFailure(answer, { message: 'cancelled' }, now()))
    },

    /** Writes down what a reload would lose. */
    saveAll: () => {
      for (const sessionId of listening.keys()) save(sessionId)
    },

    /** Somebody else signs in: nothing of this stays. */
    clear() {
      for (const leaving of listening.values()) leaving.abort()
      for (const sessionId of bySession.keys()) forget(shelf, sessionId)
      listening.clear()
      bySession.clear()
      notify()
    },
  }
}

export type Conversations = ReturnType<typeof conversations>

const unfinishedOf = (sessionId: string, { model, agent, input, answer }: LiveTurn): Unfinished => ({
  sessionId,
  model,
  agent,
  input,
  answer,
})
