import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { ApiError, control, ok, openEventStream } from '../api'
import { useModels } from '../registries/data'
import { onTokenChange, storedToken } from '../session'
import { texts as chat } from '../texts/chat'
import type { RunFrame } from './answer'
import { type Conversations, conversations, type Question } from './conversations'
import type { Begun, Source } from './follow'
import { type ChatInput, fileOf, textOf } from './input'
import { agentInput, partnerIn, partnerKey, partnerOf, withPartner } from './partner'
import { isAskable, perform, taskOf } from './tasks'
import { type LiveTurn, positionOf, type Turn } from './turns'

const texts = chat.titles

const SESSIONS_SHOWN = 100
const TITLE_CHARACTERS = 80

export type SessionSummary = Awaited<ReturnType<typeof fetchSessions>>[number]

const fetchSessions = async () =>
  (await ok(control.sessions.get({ query: { limit: SESSIONS_SHOWN } }))).sessions

export const useSessions = () => useQuery({ queryKey: ['sessions', 'recent'], queryFn: fetchSessions })

/** The stored conversation; null where there is none of this id, as before the first question of a new one. */
export const useStoredSession = (id: string | undefined) =>
  useQuery({
    queryKey: ['sessions', id],
    enabled: id !== undefined,
    queryFn: () => fetchSession(id!),
  })

/** The models that one can ask something. */
export const useChatModels = () => useModels((models) => models.filter(isAskable))

/** Forgets in the session what was said from `index` on. @throws {ApiError} */
export async function rewind(sessionId: string, turns: readonly Turn[], index: number) {
  const stored = await fetchSession(sessionId)
  const from = stored && positionOf(turns, index, stored.messages)
  if (typeof from !== 'number') return
  await ok(control.sessions({ id: sessionId }).turns.delete({}, { query: { from } }))
}

async function fetchSession(id: string) {
  try {
    return await ok(control.sessions({ id }).get())
  } catch (error) {
    if (error instanceof ApiError && error.code === 'session_not_found') return null
    throw error
  }
}

/** Stops a run; that it ended by itself meanwhile is as good. */
export async function cancelRun(runId: string) {
  try {
    await ok(control.runs({ id: runId }).cancel.post())
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'run_finished')) throw error
  }
}

/** 26 letters and digits; `crypto.randomUUID` exists on secure pages only. */
export function newSessionId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `chat-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

let here: Conversations | undefined

/** The conversations of this tab. They outlive the screen, and end with the sign-in. */
export function useConversations(): Conversations {
  const queries = useQueryClient()
  here ??= inThisTab(queries)
  return here
}

export function useLiveTurns(sessionId: string | undefined): readonly LiveTurn[] {
  const store = useConversations()
  const turns = useSyncExternalStore(store.subscribe, () => store.turns(sessionId ?? ''))
  useEffect(() => {
    if (sessionId !== undefined) store.resume(sessionId)
  }, [store, sessionId])
  return turns
}

function inThisTab(queries: QueryClient): Conversations {
  const store = conversations({
    source: (question) => sourceOf(question, queries),
    shelf: sessionStorage,
    now: Date.now,
    // A hidden tab draws no frames, and needs none: the answer itself is up to date all the same.
    soon: requestAnimationFrame,
    ended: () => {
      void queries.invalidateQueries({ queryKey: ['sessions'] })
      void queries.invalidateQueries({ queryKey: ['runs', 'fresh'] })
    },
    failureOf: (error) =>
      error instanceof ApiError
        ? { code: error.code, message: error.message, runId: error.runId }
        : { message: error instanceof Error ? error.message : String(error) },
  })
  addEventListener('pagehide', store.saveAll)
  onTokenChange(() => {
    if (storedToken() === null) store.clear()
  })
  return store
}

function sourceOf(question: Question, queries: QueryClient): Required<Source> {
  const { sessionId, model, agent, input } = question
  const path = (runId: string, rest = '') => `/runs/${encodeURIComponent(runId)}${rest}`
  return {
    async start(signal) {
      await ensureSession(question, queries)
      const task = await taskOf(question, queries)
      if (task) return perform(task, question, signal)
      if (agent !== undefined)
        return startAgent(agent, { input: agentInput(input), session_id: sessionId }, signal)
      return startStream('/runs', { input, model, session_id: sessionId }, signal)
    },
    async attach(runId, lastEventId, signal) {
      const headers: Record<string, string> = lastEventId === null ? {} : { 'last-event-id': lastEventId }
      const { events } = await openEventStream(path(runId, '/stream'), { headers, signal })
      return events as AsyncIterable<RunFrame>
    },
    record: (runId, signal) => ok(control.runs({ id: runId }).get({ fetch: { signal } })),
    wait,
  }
}

async function startStream(path: string, body: unknown, signal: AbortSignal) {
  const { events } = await openEventStream(path, { method: 'POST', body, signal })
  return events as AsyncIterable<RunFrame>
}

interface AgentBody {
  input: unknown
  session_id: string
}

/** An agent with steps that wait, or run other agents, runs durably; the server knows which ones those are. */
async function startAgent(
  id: string,
  body: AgentBody,
  signal: AbortSignal,
): Promise<AsyncIterable<RunFrame> | Begun> {
  try {
    return await startStream(`/agents/${encodeURIComponent(id)}/runs`, body, signal)
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'durable_required')) throw error
  }
  const run = await ok(control.agents({ id })['durable-runs'].post(body, { fetch: { signal } }))
  return { runId: run.run_id }
}

/** A new conversation gets its title from the first question; later ones remember who was asked last. */
async function ensureSession(question: Question, queries: QueryClient) {
  const { sessionId, input } = question
  const partner = partnerOf(question)
  const key = ['sessions', sessionId]
  const known = queries.getQueryData<{ metadata: Record<string, unknown> | null } | null>(key)
  const last = partnerIn(known?.metadata)
  if (last && partnerKey(last) === partnerKey(partner)) return
  // There is nothing to load of a conversation that begins here.
  if (known === undefined) queries.setQueryData(key, null)
  const title = textOf(input).trim().replace(/\s+/g, ' ').slice(0, TITLE_CHARACTERS) || wordFor(input)
  const metadata = withPartner({ title, ...known?.metadata }, partner)
  await ok(control.sessions.post({ id: sessionId, metadata }))
  void queries.invalidateQueries({ queryKey: ['sessions', 'recent'] })
}

const wordFor = (input: ChatInput) =>
  fileOf(input)?.contentType.startsWith('audio/')
    ? texts.recording
    : fileOf(input)
      ? texts.file
      : texts.picture

const wait = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      reject(signal.reason)
    })
  })
