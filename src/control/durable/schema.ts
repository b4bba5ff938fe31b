import { t } from 'elysia'
import { Nullable, Time } from '#kernel/http/shapes'
import { SessionId } from '../sessions/schema'

/** The body of a run of an agent; `stream` is accepted like there, and means nothing here. */
export const StartDurable = t.Object({
  input: t.Unknown({ description: 'Any JSON value.' }),
  version: t.Optional(Nullable(t.String({ description: 'Without a pin the latest is run.' }))),
  content_hash: t.Optional(Nullable(t.String({ description: 'Counts before `version`.' }))),
  session_id: t.Optional(Nullable(SessionId)),
  stream: t.Optional(t.Boolean({ description: 'Without effect: poll the run, or follow its trace.' })),
})
export type StartDurable = typeof StartDurable.static

export const Enqueued = t.Object({ run_id: t.String() })

export const Resume = t.Object({
  input: t.Unknown({
    description: 'The answer: any JSON value. It must hold the keys that the gate requires.',
  }),
  node: t.Optional(
    t.String({
      description:
        'The gate that is meant, as `awaiting` told it: where the run waits elsewhere by now, 409.',
    }),
  ),
})
export type Resume = typeof Resume.static

export const Resumed = t.Object({
  runId: t.String(),
  status: t.Literal('resuming'),
  awaitingNode: t.String({ description: 'The gate that was answered.' }),
})

export const Awaiting = t.Object({
  node: t.String({
    description: 'Its place: the id of the node, behind the place of the child run it is in.',
  }),
  prompt: Nullable(t.String()),
  inputSchema: Nullable(t.Record(t.String(), t.Unknown())),
  deadline: Nullable(Time),
  input: Nullable(
    t.Record(t.String(), t.Unknown(), {
      description: 'What the person is asked about: the values of the in-ports. Null where it is too large.',
    }),
  ),
})
export type Awaiting = typeof Awaiting.static

export const Fork = t.Object({
  from_step: t.String({ description: 'The node that is done again, and all after it.' }),
  input: t.Optional(t.Unknown({ description: 'Without it, that of the first run.' })),
  stream: t.Optional(t.Boolean({ description: 'Without effect.' })),
})
export type Fork = typeof Fork.static
