import type { Db } from '#kernel/db/tables'
import type { Principal } from '#kernel/http/plane'
import type { SecretBox } from '#kernel/secrets'
import type { SettingsService } from '../settings/service'
import { readiness } from './readiness'
import type { NotReady, Ready, Stats } from './schema'
import { healthStore } from './store'

/** A run is mostly taken within milliseconds, and that of a dead owner within 15 seconds. */
const LATE_MS = 60_000

interface Deps {
  db: Db
  settings: SettingsService
  secrets: SecretBox
  /** Base of the inference plane's data plane; ends in `/v1`. */
  inferenceUrl: string
  now: () => number
}

type Readiness = { ready: Ready; notReady: null } | { ready: null; notReady: NotReady }

export type HealthService = ReturnType<typeof healthService>

export function healthService({ db, settings, secrets, inferenceUrl, now }: Deps) {
  const store = healthStore(db)
  let isQueueLate = false
  const { downReason } = readiness({
    dependencies: {
      // Here, so that it is asked no more often than the rest.
      async database() {
        await store.ping()
        isQueueLate = await store.isOverdue(now() - LATE_MS)
      },
      'inference plane': (signal) => askForModels(inferenceUrl, signal),
    },
    now,
  })

  function warnings(): string[] {
    const found: string[] = []
    if (secrets.ephemeral)
      found.push('SERVICE_SECRET_KEY is not set: stored secrets cannot be read after a restart.')
    if (settings.unreadableSecrets().length > 0)
      found.push(
        'Stored secrets cannot be read with this SERVICE_SECRET_KEY. Restore the key or set them again.',
      )
    if (isQueueLate)
      found.push('Durable runs wait longer than a minute for a process to take them: see `tycho worker`.')
    return found
  }

  return {
    /** Ready, or which dependency is not. */
    async readiness(): Promise<Readiness> {
      const reason = await downReason()
      if (reason !== null) return { ready: null, notReady: { status: 'not-ready', reason } }
      const found = warnings()
      const ready: Ready = { status: 'ready', mcp: { servers: [] } }
      return { ready: found.length > 0 ? { ...ready, warnings: found } : ready, notReady: null }
    },

    /** How much there is of what the caller may see: an admin all, others their own and the ownerless; agents are everybody's. */
    async stats({ role, userId }: Principal): Promise<Stats> {
      const visible = role === 'admin' ? 'all' : { userId }
      const [runs, sessions, agents] = await Promise.all([
        store.count('runs', visible),
        store.count('sessions', visible),
        store.countAgents(),
      ])
      return { runs, sessions, agents }
    },
  }
}

async function askForModels(inferenceUrl: string, signal: AbortSignal) {
  const response = await fetch(`${inferenceUrl}/models`, { signal })
  await response.body?.cancel()
  if (!response.ok) throw new Error(`GET /v1/models answered ${response.status}`)
}
