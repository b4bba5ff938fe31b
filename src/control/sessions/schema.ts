import { t } from 'elysia'
import { Nullable, Time } from '#kernel/http/shapes'

/** Callers may choose their own. */
export const SessionId = t.String({ pattern: '^[A-Za-z0-9._~:@-]{1,128}$' })

/** What the caller wants to remember of a session; opaque to the server. */
const Metadata = t.Record(t.String(), t.Unknown())

export const SessionSummary = t.Object({
  id: t.String(),
  created_at: Time,
  last_activity: Time,
  message_count: t.Integer(),
  preview: Nullable(t.String({ description: 'The start of the first user message.' })),
  metadata: Nullable(Metadata),
  user_id: Nullable(t.String()),
})
export type SessionSummary = typeof SessionSummary.static

export const SessionList = t.Object({ sessions: t.Array(SessionSummary) })

export const Message = t.Object({
  id: t.String(),
  run_id: Nullable(t.String()),
  role: t.Union([t.Literal('user'), t.Literal('assistant')]),
  content: t.String(),
  position: t.Integer({ description: 'Dense, from 0.' }),
  created_at: Time,
})
export type Message = typeof Message.static

export const Session = t.Object({
  id: t.String(),
  created_at: Time,
  updated_at: Time,
  metadata: Nullable(Metadata),
  user_id: Nullable(t.String()),
  messages: t.Array(Message),
})
export type Session = typeof Session.static

/** Without a body, or without an id, the server mints one. */
export const EnsureSession = Nullable(
  t.Object({
    id: t.Optional(Nullable(SessionId)),
    metadata: t.Optional(Nullable(Metadata)),
  }),
)
export type EnsureSession = typeof EnsureSession.static

const NonBlank = t.String({ pattern: '\\S', description: 'Not blank.' })

export const AppendTurn = t.Object({ user_content: NonBlank, assistant_content: NonBlank })
export type AppendTurn = typeof AppendTurn.static

/** Where a conversation is taken up again from. */
export const Rewind = t.Object({
  from: t.Integer({ minimum: 0, description: 'Position of the first message that goes.' }),
})
export type Rewind = typeof Rewind.static

export const AppendedTurn = t.Object({ messages: t.Array(Message, { minItems: 2, maxItems: 2 }) })
