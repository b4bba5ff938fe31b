/** Sessions and turns that are remembered; the oldest go first. */
const KEPT = 4_096

/**
 * What has to be known of earlier requests: how many messages a session had, so that only new ones are kept, and how
 * often a turn was tried. It dies with the process, which costs a repeated message or an attempt counted from 1.
 */
export function sessionMemory() {
  const messages = new Map<string, number>()
  const attempts = new Map<string, number>()

  return {
    /** 1 for a turn's first request. */
    attemptOf(turnKey: string | null): number {
      if (turnKey === null) return 1
      const attempt = (attempts.get(turnKey) ?? 0) + 1
      put(attempts, turnKey, attempt)
      return attempt
    },

    /** How many messages the request before had; the same again for a retry, 0 for a new or compacted session. */
    messagesBefore(session: string | null, agent: string | null, now: number, attempt: number): number {
      const key = `${session ?? ''}\n${agent ?? ''}`
      const before = session === null ? 0 : (messages.get(key) ?? 0)
      if (attempt > 1) return Math.min(before, Math.max(0, now - 1))
      if (session !== null) put(messages, key, now)
      return before < now ? before : 0
    },
  }
}

/** The latest is the last, so that the first is the one to drop. */
function put<V>(map: Map<string, V>, key: string, value: V) {
  map.delete(key)
  map.set(key, value)
  if (map.size > KEPT) map.delete(map.keys().next().value!)
}
