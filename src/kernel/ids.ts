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

/**
 * A clock that is set back a little keeps the order of ids; one that is set back further is believed, or every id would
 * bear the time that the clock once had, until that time comes.
 */
const KEPT_IN_ORDER_MS = 10_000

let next = monotonicFactory()
let latest = 0

/** A new id: prefix and a 26-character ULID, sortable by the time of its making, also within one millisecond. */
export function newId(kind: keyof typeof PREFIX = 'bare', now = Date.now()): string {
  if (now < latest - KEPT_IN_ORDER_MS) {
    next = monotonicFactory()
    latest = now
  }
  latest = Math.max(latest, now)
  return PREFIX[kind] + next(now)
}
