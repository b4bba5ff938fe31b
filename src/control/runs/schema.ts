import { t } from 'elysia'
import { Nullable, Time } from '#kernel/http/shapes'
import { Page } from '#kernel/paging'
import { SentDocument } from '../agents/schema'
import { SessionId } from '../sessions/schema'

export const RunStatus = t.Union([
  t.Literal('created'),
  t.Literal('streaming'),
  t.Literal('waiting'),
  t.Literal('completed'),
  t.Literal('failed'),
])

/** A run as it leaves the server; `params`, `runtime` and the capture level stay inside. */
export const Run = t.Object({
  id: t.String(),
  session_id: Nullable(t.String()),
  status: RunStatus,
  model: t.String({ description: 'Logical id of the model; of a graph, that of its first llm node.' }),
  graph_id: Nullable(t.String()),
  graph_version: Nullable(t.String()),
  content_hash: Nullable(t.String()),
  trigger_id: Nullable(t.String()),
  user_id: Nullable(t.String()),
  output: Nullable(t.String()),
  awaiting_node: Nullable(t.String()),
  created_at: Time,
  updated_at: Time,
  completed_at: Nullable(Time),
  error: Nullable(
    t.String({ description: 'Why it failed; of a completed run with an empty output, why it is empty.' }),
  ),
  note_code: Nullable(
    t.String({
      description:
        'Why the output is empty: `upstream_error`, `no_output_node`, `output_not_reached`, `token_limit` or `tool_limit`.',
    }),
  ),
  parent_run_id: Nullable(t.String({ description: 'The run that this one does again.' })),
})
export type Run = typeof Run.static

/** The document that a run was made of, as it was then. */
export const RunGraph = t.Object({
  content_hash: Nullable(t.String({ description: 'Null of a run of a prompt, which has no graph.' })),
  ir: Nullable(
    t.Record(t.String(), t.Unknown(), {
      'x-schema': 'AgentDocument',
      description: 'Null where there is no graph, or none was kept.',
    }),
  ),
  view: Nullable(
    t.Record(t.String(), t.Unknown(), {
      description: 'Layout of the agent’s version with this hash; null where no version has it.',
    }),
  ),
})
export type RunGraph = typeof RunGraph.static

const STATUS_NAME = '(?:created|streaming|waiting|completed|failed)'
const Id = t.Optional(t.String({ maxLength: 128 }))

/** Which runs to list; what is left out does not narrow. */
export const RunQuery = t.Object({
  ...Page.properties,
  status: t.Optional(
    t.String({
      pattern: `^${STATUS_NAME}(?:,${STATUS_NAME}){0,4}$`,
      description: 'One status, or several with commas between.',
    }),
  ),
  agent_id: Id,
  version: t.Optional(t.String({ maxLength: 64, description: 'Of the agent.' })),
  trigger_id: Id,
  since: t.Optional(t.String({ format: 'date-time', description: 'Created at this time or later.' })),
  until: t.Optional(t.String({ format: 'date-time', description: 'Created before this time.' })),
  text: t.Optional(
    t.String({
      maxLength: 200,
      description: 'In the id, the model, the agent’s id, the output or the error; capitals do not count.',
    }),
  ),
})
export type RunQuery = typeof RunQuery.static

export const RunList = t.Object({
  runs: t.Array(Run),
  next_before: Nullable(
    t.String({
      description:
        'The `before` to go on with, null at the end. A search for text looks at so many runs at a time: its page may be short, or empty, and there is more all the same.',
    }),
  ),
})

export const StartRun = t.Object({
  input: t.Unknown({
    description:
      'Any JSON value. An object with the texts `text` and `image` (a URL) becomes a text and an image part; ' +
      'any other value that is not text is sent as JSON.',
  }),
  model: t.String({
    minLength: 1,
    maxLength: 256,
    pattern: '^[^\\u0000-\\u001f]+$',
    description: 'Logical id.',
  }),
  params: t.Optional(
    Nullable(
      t.Record(t.String(), t.Unknown(), {
        description: 'Generation parameters; `maxTokens` or `max_tokens`.',
      }),
    ),
  ),
  stream: t.Optional(t.Boolean({ default: true })),
  session_id: t.Optional(Nullable(SessionId)),
})
export type StartRun = typeof StartRun.static

const runOptions = {
  stream: t.Optional(t.Boolean({ description: 'True by default; of invoke, false.' })),
  session_id: t.Optional(Nullable(SessionId)),
}

export const StartGraphRun = t.Object({
  ir: SentDocument,
  input: t.Unknown({ description: 'Any JSON value.' }),
  ...runOptions,
})
export type StartGraphRun = typeof StartGraphRun.static

export const StartAgentRun = t.Object({
  input: t.Unknown({ description: 'Any JSON value.' }),
  version: t.Optional(Nullable(t.String({ description: 'Without a pin the latest is run.' }))),
  content_hash: t.Optional(Nullable(t.String({ description: 'Counts before `version`.' }))),
  ...runOptions,
})
export type StartAgentRun = typeof StartAgentRun.static

export const Rerun = t.Object({
  from_node: t.Optional(Nullable(t.String({ description: 'Where to begin; without it, from the start.' }))),
  input: t.Optional(t.Unknown({ description: 'Without it, that of the first run.' })),
  stream: t.Optional(t.Boolean({ default: true })),
})
export type Rerun = typeof Rerun.static

/** The answer to a run that does not stream. */
export const RunResult = t.Object(
  { runId: t.String(), status: t.Literal('completed'), output: t.String() },
  {
    description:
      'With `stream` (the default) a `text/event-stream` instead: `run`, `reasoning`, `delta` and `run` frames, then `data: [DONE]`.',
  },
)
export type RunResult = typeof RunResult.static

export const Cancelled = t.Object({ runId: t.String(), status: t.Literal('failed') })

const FrameId = t.String({ pattern: '^\\d{1,9}$', description: 'Id of the last frame seen.' })

export const Reattach = t.Object({ last_event_id: t.Optional(FrameId) })
/** What `EventSource` sends when it connects again; it wins over the query, which stays that of the first connect. */
export const ReattachHeaders = t.Object({ 'last-event-id': t.Optional(FrameId) })
