import { t } from 'elysia'
import { Nullable } from '#kernel/http/shapes'

/** What is left out is as the settings have it. */
export const OtlpTest = t.Object(
  {
    endpoint: t.Optional(t.String()),
    headers: t.Optional(t.Record(t.String(), t.String())),
  },
  { additionalProperties: false },
)
export type OtlpTest = typeof OtlpTest.static

export const OtlpTestResult = t.Object({
  ok: t.Boolean(),
  error: Nullable(t.String()),
  latency_ms: t.Number(),
})
export type OtlpTestResult = typeof OtlpTestResult.static
