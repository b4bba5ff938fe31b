import { t } from 'elysia'
import { Nullable } from '#kernel/http/shapes'
import { APPLIES, TYPES } from './kinds'

const Registry = t.Object({ id: t.String(), label: t.String(), url: t.String() })

/** All that is ever shown of a secret setting. */
const SecretView = t.Object({
  set: t.Boolean(),
  names: t.Array(t.String()),
  unreadable: t.Optional(
    t.Literal(true, { description: 'Sealed with a key that this process does not have; set it again.' }),
  ),
})

const Value = t.Union([
  t.Boolean(),
  t.Number(),
  t.String(),
  t.Array(t.String()),
  t.Array(Registry),
  SecretView,
  t.Null(),
])

const Setting = t.Object({
  key: t.String(),
  value: Value,
  stored_value: t.Unknown({ description: 'As it is stored, also where it does not count; null for none.' }),
  default: Value,
  type: t.UnionEnum(TYPES),
  source: t.UnionEnum(['env', 'stored', 'default']),
  env_var: Nullable(t.String()),
  env_pinned: t.Boolean(),
  env_capped: t.Boolean(),
  env_cap_value: Nullable(t.Union([t.String(), t.Number()])),
  apply: t.UnionEnum(APPLIES, { description: 'From when on a change counts.' }),
  restart_pending: t.Boolean(),
  stored_invalid: t.Boolean(),
  constraints: t.Object({
    min: Nullable(t.Number()),
    max: Nullable(t.Number()),
    choices: Nullable(t.Array(t.String())),
    nullable: t.Boolean(),
  }),
  description: t.String(),
  group: t.String(),
})

const BootFact = t.Object({
  key: t.String(),
  value: t.Union([
    t.Boolean(),
    t.String(),
    t.Array(t.String()),
    t.Object({ host: t.String(), database: t.String() }),
  ]),
  description: t.String(),
  warning: Nullable(t.String()),
})

export const Settings = t.Object({
  settings: t.Array(Setting),
  boot: t.Array(BootFact, { description: 'What only a restart with another environment changes.' }),
  orphaned: t.Array(t.String(), { description: 'Stored keys that this release does not know.' }),
})

export const ChangedSettings = t.Object({
  ...Settings.properties,
  apply_errors: t.Record(t.String(), t.String(), {
    description: 'Settings that are stored but do not count in this process yet, and why.',
  }),
})

/**
 * Checked by the rules, not by the router: it would take a list or a text for an object, and drop keys such as
 * `__proto__` that must be refused by name.
 */
export const SettingChanges = t.Unsafe<Record<string, unknown>>(
  t.Unknown({
    description: 'Object of key → value; `null` resets to the default. All of it is stored, or nothing.',
  }),
)

export type Setting = typeof Setting.static
export type Settings = typeof Settings.static
export type ChangedSettings = typeof ChangedSettings.static
