import { t } from 'elysia'
import { Nullable, Time } from '#kernel/http/shapes'
import { Page } from '#kernel/paging'

const Kind = t.Union([t.Literal('schedule'), t.Literal('webhook')])

export const Trigger = t.Object({
  id: t.String(),
  agent_id: t.String(),
  version: Nullable(t.String({ description: 'Pinned by its version; `null` where the hash is the pin.' })),
  content_hash: Nullable(
    t.String({ description: 'Pinned by its hash; `null` where the version is the pin.' }),
  ),
  kind: Kind,
  config: t.Object({
    cron: t.Optional(t.String()),
    input: t.Optional(t.Unknown()),
    secret: t.Optional(t.Literal('***', { description: 'A webhook has one; what it is stays here.' })),
  }),
  enabled: t.Boolean(),
  last_fired_at: Nullable(Time),
  next_fire_at: Nullable({ ...Time, description: 'Of an enabled schedule.' }),
  missed_fires: t.Integer({
    description: 'Instants that passed unfired while nothing was there to fire them.',
  }),
  last_error: Nullable(t.String({ description: 'Why the last fire made no run; `null` when it made one.' })),
  created_at: Time,
  updated_at: Time,
})
export type Trigger = typeof Trigger.static

export const TriggerList = t.Object({ triggers: t.Array(Trigger) })

export const TriggerPage = t.Composite([
  Page,
  t.Object({ agent_id: t.Optional(t.String({ maxLength: 200, description: 'Only those of this agent.' })) }),
])
export type TriggerPage = typeof TriggerPage.static

const Config = t.Record(t.String(), t.Unknown(), {
  description:
    'Of a schedule `cron` (five fields, in UTC) and `input`, which every fire passes; of a webhook `secret`, the key of its signatures.',
})
const Enabled = t.Boolean()

export const CreateTrigger = t.Object({
  agent_id: t.String({ maxLength: 200, description: 'A published agent.' }),
  kind: Kind,
  version: t.Optional(
    Nullable(t.String({ description: 'Either this or `content_hash`. It never changes.' })),
  ),
  content_hash: t.Optional(Nullable(t.String())),
  config: Config,
  enabled: t.Optional({ ...Enabled, default: true }),
})
export type CreateTrigger = typeof CreateTrigger.static

/** Other keys reach the service, which refuses them: a pin that was silently left as it is would be a lie. */
export const PatchTrigger = t.Object(
  { enabled: t.Optional(Enabled), config: t.Optional({ ...Config, description: 'Replaced whole.' }) },
  { additionalProperties: t.Unknown() },
)
export type PatchTrigger = typeof PatchTrigger.static

/** What a delivery is answered with: the end of its run, or where it stands when it waits or takes long. */
export const Fired = t.Object({
  runId: t.String(),
  status: t.Union([
    t.Literal('created'),
    t.Literal('streaming'),
    t.Literal('waiting'),
    t.Literal('completed'),
    t.Literal('failed'),
  ]),
  output: t.Optional(t.String({ description: 'Of a completed run.' })),
  error: t.Optional(t.String({ description: 'Of a failed run.' })),
})
export type Fired = typeof Fired.static

export const HookHeaders = t.Object({
  'x-service-signature': t.Optional(
    t.String({ description: 'HMAC-SHA256 of the raw body under the secret: `sha256=<hex>` or `<hex>`.' }),
  ),
})
