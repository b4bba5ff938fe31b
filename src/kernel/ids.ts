import { monotonicFactory } from 'ulid'

/** Prefixes of the ids we mint. Runs, triggers, sessions, messages and spans use the bare ULID. */
const PREFIX = {
  user: 'usr_',
  api_key: 'key_',
  provider: 'idp_',
  draft: 'drf_',
  artifact: 'art_',
  gateway: 'gtw_',
  gateway_key: 'gwk_',
  gateway_request: 'gwr_',
  bare: '',
} as const

const next = monotonicFactory()

/** A new id: prefix and a 26-character ULID, sortable by the time of its making, also within one millisecond. */
export const newId = (kind: keyof typeof PREFIX = 'bare', now = Date.now()): string =>
  PREFIX[kind] + next(now)
