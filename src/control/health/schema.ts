import { t } from 'elysia'

export const Ready = t.Object({
  status: t.Literal('ready'),
  mcp: t.Object({ servers: t.Array(t.Object({ name: t.String(), connected: t.Boolean() })) }),
  warnings: t.Optional(
    t.Array(t.String(), { description: 'What works now but will not for long, for the operator.' }),
  ),
})

export const NotReady = t.Object({
  status: t.Literal('not-ready'),
  reason: t.String({ description: 'Names what is down: the database or the inference plane.' }),
})

export const Stats = t.Object({ runs: t.Integer(), sessions: t.Integer(), agents: t.Integer() })

export type Ready = typeof Ready.static
export type NotReady = typeof NotReady.static
export type Stats = typeof Stats.static
