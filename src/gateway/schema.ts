import { t } from 'elysia'
import { Nullable } from '#kernel/http/shapes'

export const Readiness = t.Object({
  status: t.Union([t.Literal('ready'), t.Literal('not-ready')]),
  gateway_id: t.String(),
  mode: t.Union([t.Literal('personal'), t.Literal('team')]),
  config_version: Nullable(t.Integer({ description: 'Null until an admin saved a configuration.' })),
  keys_version: Nullable(t.String({ description: "Of the developers' keys; null in personal mode." })),
  control_plane_url: Nullable(t.String({ description: 'Null for a gateway that is attached to none.' })),
  observer: t.Boolean({ description: 'Whether the saved configuration is in observer mode.' }),
  recording: t.Boolean(),
  queue_records: t.Integer({ description: 'Records that the control plane has not taken yet.' }),
  reasons: t.Array(t.String(), { description: 'What is missing or amiss, for a person.' }),
})
export type Readiness = typeof Readiness.static

const Provider = t.Union([t.Literal('anthropic'), t.Literal('openai')])

const OrgKeyFacts = {
  configured: t.Boolean(),
  source: t.Union([t.Literal('none'), t.Literal('environment'), t.Literal('stored')]),
  locked: t.Boolean({ description: 'Set by the deployment: it cannot be replaced here.' }),
}
export const OrgKeyStatus = t.Object({
  ...OrgKeyFacts,
  provider: Provider,
  providers: t.Object({ anthropic: t.Object(OrgKeyFacts), openai: t.Object(OrgKeyFacts) }),
})

export const OrgKeyQuery = t.Object({ provider: t.Optional(Provider) })

export const SetOrgKey = t.Object({
  value: t.String({
    minLength: 8,
    maxLength: 1_000,
    pattern: '^[\\x21-\\x7e]+$',
    description: 'Write-only.',
  }),
  provider: t.Optional(Provider),
})

/** The envelope that both families of client tools print. */
export const GatewayErrorBody = t.Object({
  type: t.Literal('error'),
  error: t.Object({ type: t.String(), code: t.String(), message: t.String() }),
  request_id: t.String(),
})
