import { t } from 'elysia'
import { Nullable, Time } from '#kernel/http/shapes'

const Billing = t.Union([t.Literal('own'), t.Literal('organization')])
const RecordLevel = t.Union([t.Literal('off'), t.Literal('metadata'), t.Literal('full')])
const Attribution = t.Union([t.Literal('off'), t.Literal('basename'), t.Literal('path')])
const Name = t.String({ minLength: 1, maxLength: 200, pattern: '\\S' })
const Counts = t.Record(t.String({ maxLength: 100 }), t.Integer({ minimum: 0 }))

const Queue = t.Object({
  records: t.Integer(),
  bytes: t.Integer(),
  oldest_at: Nullable(Time),
  dropped: t.Integer(),
  bad: t.Integer(),
})

export const Heartbeat = t.Object({
  gateway_id: t.String({ maxLength: 100 }),
  version: t.String({ maxLength: 100 }),
  mode: t.Union([t.Literal('personal'), t.Literal('team')]),
  config_version: t.Integer(),
  keys_version: Nullable(t.String({ maxLength: 100 })),
  started_at: Time,
  org_key_source: t.Union([t.Literal('none'), t.Literal('environment'), t.Literal('stored')]),
  queue: Queue,
  refusals: Counts,
  requests: t.Integer({ minimum: 0 }),
})
export type Heartbeat = typeof Heartbeat.static

export const HeartbeatAnswer = t.Object({
  config_version: t.Integer({ description: '0 while no configuration was saved.' }),
  keys_version: t.String(),
  server_time: Time,
})

export const Gateway = t.Object({
  id: t.String(),
  name: t.String(),
  enabled: t.Boolean(),
  local: t.Boolean({ description: 'Runs in the process of a control plane and attached by itself.' }),
  token_prefix: t.String(),
  created_at: Time,
  updated_at: Time,
  last_heartbeat_at: Nullable(Time),
  online: t.Boolean({ description: 'Heard of within three heartbeats.' }),
  config_version: t.Integer(),
  observer: t.Boolean(),
  record_level: RecordLevel,
  config_current: t.Boolean({ description: 'The gateway has the configuration that was saved last.' }),
  keys_current: t.Boolean({ description: "The gateway has the developers' keys as they are now." }),
  version_differs: t.Boolean({ description: 'The gateway is of another release than this control plane.' }),
  heartbeat: Nullable(Heartbeat),
  refusals: t.Record(t.String(), t.Integer(), { description: 'Of the last 24 hours, by code.' }),
})
export type Gateway = typeof Gateway.static

export const GatewayList = t.Object({ gateways: t.Array(Gateway) })
export const CreateGateway = t.Object({ name: Name })
export const CreatedGateway = t.Object({
  gateway: Gateway,
  service_key: t.String({ description: 'Shown once.' }),
})
export const UpdateGateway = t.Object({ name: t.Optional(Name), enabled: t.Optional(t.Boolean()) })
export type UpdateGateway = typeof UpdateGateway.static

const RedactRules = t.Object({
  keys: t.Optional(t.Array(t.String({ minLength: 1, maxLength: 200 }), { maxItems: 100 })),
  patterns: t.Optional(t.Array(t.String({ minLength: 1, maxLength: 2_000 }), { maxItems: 50 })),
})

export const SaveConfig = t.Object({
  observer: t.Boolean({ description: 'Whether the gateway records at all.' }),
  record_level: t.Optional(RecordLevel),
  redact_rules: t.Optional(Nullable(RedactRules)),
  project_attribution: t.Optional(Attribution),
  max_content_bytes: t.Optional(t.Integer({ minimum: 1_024, maximum: 1_048_576 })),
})
export type SaveConfig = typeof SaveConfig.static

export const GatewayConfig = t.Object({
  config_version: t.Integer({ description: '0 while none was saved: nothing is recorded then.' }),
  observer: t.Boolean(),
  record_level: RecordLevel,
  redact_rules: Nullable(RedactRules),
  project_attribution: Attribution,
  max_content_bytes: t.Integer(),
})
export type GatewayConfig = typeof GatewayConfig.static

export const Ticket = t.Object({
  ticket: t.String({ description: 'Opens the settings of one gateway, once.' }),
  expires_at: Time,
})
export const VerifyTicket = t.Object({ ticket: t.String({ maxLength: 200 }) })
export const TicketHolder = t.Object({ user_id: t.String(), role: t.String() })

export const GatewayKey = t.Object({
  id: t.String(),
  user_id: t.String(),
  name: t.String(),
  billing: Billing,
  enabled: t.Boolean(),
  token_prefix: t.String(),
  created_at: Time,
  updated_at: Time,
  last_used_at: Nullable(Time),
})
export type GatewayKey = typeof GatewayKey.static
export const GatewayKeyList = t.Object({ keys: t.Array(GatewayKey) })
export const CreateGatewayKey = t.Object({
  user_id: t.String({ maxLength: 100 }),
  name: t.Optional(t.String({ maxLength: 200 })),
  billing: Billing,
})
export type CreateGatewayKey = typeof CreateGatewayKey.static
export const CreatedGatewayKey = t.Object({
  key: GatewayKey,
  token: t.String({ description: 'Shown once.' }),
})
export const UpdateGatewayKey = t.Object({
  name: t.Optional(Name),
  billing: t.Optional(Billing),
  enabled: t.Optional(t.Boolean()),
})
export type UpdateGatewayKey = typeof UpdateGatewayKey.static

export const DeveloperKeys = t.Object({
  keys_version: t.String(),
  keys: t.Array(
    t.Object({
      id: t.String(),
      digest: t.String({ description: 'SHA-256 of the key, in hex.' }),
      developer_id: t.String(),
      billing: Billing,
      enabled: t.Boolean(),
    }),
  ),
})
export type DeveloperKeys = typeof DeveloperKeys.static

export const Ingested = t.Object({
  accepted: t.Integer(),
  duplicates: t.Integer(),
  rejected: t.Array(t.Object({ seq: Nullable(t.Integer()), code: t.String() })),
})
export type Ingested = typeof Ingested.static
