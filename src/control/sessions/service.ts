import { storable } from '#kernel/db/portable'
import type { Db } from '#kernel/db/tables'
import { AppError } from '#kernel/errors'
import type { Principal } from '#kernel/http/plane'
import { isoTime } from '#kernel/http/shapes'
import { newId } from '#kernel/ids'
import type { Page } from '#kernel/paging'
import type { AppendTurn, EnsureSession, Message, Rewind, Session, SessionSummary } from './schema'
import { type MessageRow, type SessionRow, sessionStore } from './store'

interface Deps {
  db: Db
  now: () => number
}

export interface Turn {
  user: string
  assistant: string
  runId: string | null
}

/** Who asks; a deployment's own token has no account. */
type Caller = Pick<Principal, 'role'> & { userId: string | null }

export type SessionService = ReturnType<typeof sessionService>

export function sessionService({ db, now }: Deps) {
  const store = sessionStore(db)

  /** Another account's session does not exist, for all that the caller can tell. */
  async function visible(principal: Caller, id: string): Promise<SessionRow> {
    const row = await store.find(id)
    if (!row || !maySee(principal, row)) throw notFound(id)
    return row
  }

  /** Makes the session unless it is there, and is then as good as `visible`. */
  async function ensureRow(principal: Caller, id: string, metadata: string | null = null) {
    const at = now()
    await store.insertIfMissing({
      id,
      user_id: principal.userId,
      metadata,
      created_at: at,
      updated_at: at,
    })
    await visible(principal, id)
  }

  return {
    async list(principal: Principal, page: Page) {
      const rows = await store.page(page, principal.role === 'admin' ? null : principal.userId)
      return { sessions: rows.map(summarize) }
    },

    async get(principal: Principal, id: string): Promise<Session> {
      const row = await visible(principal, id)
      const messages = await store.messages(id)
      return {
        id,
        created_at: isoTime(row.created_at),
        updated_at: isoTime(row.updated_at),
        metadata: parsed(row.metadata),
        user_id: row.user_id,
        messages: messages.map(present),
      }
    },

    async ensure(
      principal: Principal,
      { id: wanted, metadata }: NonNullable<EnsureSession>,
    ): Promise<SessionSummary> {
      const id = wanted ?? newId('bare', now())
      const json = metadata ? JSON.stringify(metadata) : null
      await ensureRow(principal, id, json)
      if (metadata !== undefined) await store.setMetadata(id, json)
      const row = await store.summary(id)
      // Deleted in this very moment: to the caller it is gone.
      if (!row) throw notFound(id)
      return summarize(row)
    },

    async remove(principal: Principal, id: string) {
      await visible(principal, id)
      await db.transaction().execute(async (tx) => {
        await sessionStore(tx).detachRuns(id)
        await sessionStore(tx).remove(id)
      })
    },

    async appendTurn(principal: Principal, id: string, { user_content, assistant_content }: AppendTurn) {
      await visible(principal, id)
      const turn = { user: user_content, assistant: assistant_content, runId: null }
      const rows = await db.transaction().execute((tx) => appendTo(tx, id, turn, now()))
      if (!rows) throw notFound(id)
      return { messages: rows.map(present) }
    },

    /** Forgets the messages from a position on, so that a turn can be asked anew; the runs they came from stay. */
    async rewind(principal: Principal, id: string, { from }: Rewind) {
      await visible(principal, id)
      await db.transaction().execute(async (tx) => {
        const store = sessionStore(tx)
        if (!(await store.touch(id, now()))) throw notFound(id)
        await store.removeFrom(id, from)
      })
    },

    /** For a run: the messages so far. Makes the session where it is new, as the caller's own. */
    async replay(principal: Caller, id: string): Promise<Pick<MessageRow, 'role' | 'content'>[]> {
      const [row, messages] = await Promise.all([store.find(id), store.messages(id)])
      if (!row) await ensureRow(principal, id)
      else if (!maySee(principal, row)) throw notFound(id)
      return messages.map(({ role, content }) => ({ role, content }))
    },

    /** For a run: adds its turn in the transaction that completes it. Nothing is added where a side is blank. */
    async appendTo(tx: Db, id: string, turn: Turn) {
      if (turn.user.trim() !== '' && turn.assistant.trim() !== '') await appendTo(tx, id, turn, now())
    },
  }
}

/** Adds both messages of a turn; `null` when the session is gone. */
async function appendTo(
  tx: Db,
  sessionId: string,
  { user, assistant, runId }: Turn,
  now: number,
): Promise<MessageRow[] | null> {
  const store = sessionStore(tx)
  if (!(await store.touch(sessionId, now))) return null
  const position = await store.nextPosition(sessionId)
  const row = (role: MessageRow['role'], content: string, at: number): MessageRow => ({
    id: newId('bare', now),
    session_id: sessionId,
    run_id: runId,
    role,
    content: storable(content),
    position: at,
    created_at: now,
  })
  const rows = [row('user', user, position), row('assistant', assistant, position + 1)]
  await store.insertMessages(rows)
  return rows
}

const maySee = ({ role, userId }: Caller, { user_id }: SessionRow): boolean =>
  role === 'admin' || user_id === null || user_id === userId

const notFound = (id: string) => new AppError('session_not_found', `There is no session ${id}.`)

const parsed = (json: string | null): Record<string, unknown> | null =>
  json === null ? null : JSON.parse(json)

type SummaryRow = SessionRow & { message_count: number | null; preview: string | null }

const summarize = (row: SummaryRow): SessionSummary => ({
  id: row.id,
  created_at: isoTime(row.created_at),
  last_activity: isoTime(row.updated_at),
  message_count: row.message_count ?? 0,
  preview: row.preview,
  metadata: parsed(row.metadata),
  user_id: row.user_id,
})

const present = ({ id, run_id, role, content, position, created_at }: MessageRow): Message => ({
  id,
  run_id,
  role,
  content,
  position,
  created_at: isoTime(created_at),
})
