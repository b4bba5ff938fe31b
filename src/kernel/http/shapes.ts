import { t } from 'elysia'

/** Shapes that every plane answers with. */
export const Health = t.Object({ status: t.Literal('ok') })

export const ErrorBody = t.Object({
  error: t.Object({ message: t.String(), code: t.String() }),
  runId: t.Optional(t.String({ description: 'On failures of a run.' })),
  problems: t.Optional(
    t.Array(
      t.Object({
        code: t.String(),
        message: t.String(),
        hint: t.String(),
        node_id: t.Optional(t.String()),
        edge_id: t.Optional(t.String()),
        path: t.String({ description: 'JSON pointer into the document as it was sent.' }),
      }),
      { description: 'Of an `invalid_ir`: everything that is wrong with the document.' },
    ),
  ),
  reference: t.Optional(t.String({ description: 'Of an `internal_error`: what to look for in the log.' })),
})

export const InferenceErrorBody = t.Object({
  error: t.Object({
    message: t.String(),
    type: t.Union([t.Literal('invalid_request_error'), t.Literal('server_error')]),
    code: t.String(),
  }),
})

/** ISO 8601 with offset. */
export const Time = t.String({ format: 'date-time' })

export const isoTime = (epochMs: number): string => new Date(epochMs).toISOString()
export const isoTimeOrNull = (epochMs: number | null): string | null =>
  epochMs === null ? null : isoTime(epochMs)

export const Nullable = <T extends Parameters<typeof t.Union>[0][number]>(schema: T) =>
  t.Union([schema, t.Null()])

/** A 204 without a body. */
export const NoContent = t.Void({ description: 'Done; no body.' })

/** A stream of server-sent events. */
export const EventStream = t.Any({
  description: 'A stream of server-sent events.',
  contentType: 'text/event-stream',
})
