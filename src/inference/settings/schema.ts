import { t } from 'elysia'
import { Nullable } from '#kernel/http/shapes'

/** How many engines may be in memory at once (interface, 10.3). */
export const MAX_RESIDENT = { default: 2, min: 1, max: 16 } as const

export const InferenceSettings = t.Object({
  maxResident: t.Object({
    value: t.Integer(),
    storedValue: Nullable(t.Integer()),
    default: t.Integer(),
    type: t.Literal('int'),
    source: t.UnionEnum(['env', 'stored', 'default']),
    envVar: t.String(),
    envPinned: t.Boolean(),
    apply: t.Literal('live'),
    constraints: t.Object({ min: t.Integer(), max: t.Integer() }),
    description: t.String(),
  }),
})
export type InferenceSettings = typeof InferenceSettings.static

/** `null` resets to the default. The range is checked by the service: a pinned key is refused before it. */
export const InferenceSettingsPatch = t.Object({
  maxResident: t.Optional(Nullable(t.Number())),
})
export type InferenceSettingsPatch = typeof InferenceSettingsPatch.static
