import type { Db } from '#kernel/db/tables'
import { AppError } from '#kernel/errors'
import { isoTime, isoTimeOrNull } from '#kernel/http/shapes'
import { newId } from '#kernel/ids'
import type { SecretBox } from '#kernel/secrets'
import type { AgentService } from '../agents/service'
import { refuseUnexecutable } from '../runs/preflight'
import { checkConfig, invalid } from './config'
import { readCron } from './cron'
import type { CreateTrigger, PatchTrigger, Trigger, TriggerPage } from './schema'
import { type TriggerRow, triggerStore } from './store'

interface Deps {
  db: Db
  agents: Pick<AgentService, 'resolve'>
  secrets: Pick<SecretBox, 'seal'>
  now: () => number
}

export type TriggerService = ReturnType<typeof triggerService>

/** What starts runs of a published agent without anybody's doing: the clock, or another program. */
export function triggerService({ db, agents, secrets, now }: Deps) {
  const store = triggerStore(db)

  async function need(id: string): Promise<TriggerRow> {
    const row = await store.find(id)
    if (!row) throw triggerNotFound(id)
    return row
  }

  /** The columns of a config that is in order. */
  function columnsOf(kind: Trigger['kind'], given: Record<string, unknown>) {
    const { config, secret } = checkConfig(kind, given)
    return { config: JSON.stringify(config), secret: secret === null ? null : secrets.seal(secret) }
  }

  /**
   * Its pin is what it was made with, for good.
   * @throws {AppError} `invalid_trigger`; then `agent_not_found` or `agent_version_not_found`; then
   *   `node_type_unavailable`
   */
  async function create({ agent_id, kind, version, content_hash, config, enabled = true }: CreateTrigger) {
    const pin = { version: version ?? null, content_hash: content_hash ?? null }
    if ((pin.version === null) === (pin.content_hash === null)) {
      throw invalid('Pin exactly one of version and content_hash.')
    }
    const columns = columnsOf(kind, config)
    const { document } = await agents.resolve(agent_id, pin)
    refuseUnexecutable(document)
    const at = now()
    const row: TriggerRow = {
      id: newId('bare', at),
      agent_id,
      ...pin,
      kind,
      ...columns,
      enabled: enabled ? 1 : 0,
      last_fired_at: null,
      next_fire_at: enabled ? nextFire(columns.config, at) : null,
      missed_fires: 0,
      last_error: null,
      created_at: at,
      updated_at: at,
    }
    await store.insert(row)
    return present(row)
  }

  return {
    async list(page: TriggerPage): Promise<{ triggers: Trigger[] }> {
      return { triggers: (await store.newestFirst(page)).map(present) }
    },

    /** @throws {AppError} `trigger_not_found` */
    get: async (id: string): Promise<Trigger> => present(await need(id)),

    create,

    /** What a sample brings along: disabled, and only where its agent has no trigger yet. */
    async ensure(
      agentId: string,
      version: string,
      trigger: Pick<CreateTrigger, 'kind' | 'config'>,
    ): Promise<void> {
      if ((await store.newestFirst({ agent_id: agentId, limit: 1 })).length > 0) return
      await create({ ...trigger, agent_id: agentId, version, enabled: false })
    },

    /**
     * A schedule that is switched on, or given another time, waits for its next instant: what passed before does not
     * count (specification, part 8: no backfill).
     * @throws {AppError} `invalid_trigger`, `trigger_not_found`
     */
    async patch(id: string, { enabled, config, ...others }: PatchTrigger): Promise<Trigger> {
      refuseForeign(others)
      const was = await need(id)
      const columns = config && columnsOf(was.kind, config)
      const isEnabled = enabled ?? was.enabled === 1
      if (isEnabled && was.kind === 'webhook' && (columns ?? was).secret === null) {
        throw invalid('The webhook has no secret yet. Send config.secret before, or together with, enabled.')
      }
      const at = now()
      // What is not changed is not written either: it may be changing at this very moment.
      const row = await store.update(id, {
        ...columns,
        ...(enabled !== undefined && { enabled: enabled ? 1 : 0 }),
        ...waitingAnew(was, { isEnabled, config: columns?.config ?? was.config }, at),
        updated_at: at,
      })
      if (!row) throw triggerNotFound(id)
      return present(row)
    },

    /** Its runs stay, and still name it. @throws {AppError} `trigger_not_found` */
    async remove(id: string): Promise<void> {
      if (!(await store.remove(id))) throw triggerNotFound(id)
    },
  }
}

function refuseForeign(others: Record<string, unknown>) {
  const foreign = Object.keys(others)[0]
  if (foreign === undefined) return
  throw invalid(`${foreign.slice(0, 50)} cannot be changed: only enabled and config can. Make a new trigger.`)
}

/** Nothing where the schedule goes on as it was. */
function waitingAnew(
  was: TriggerRow,
  { isEnabled, config }: { isEnabled: boolean; config: string },
  now: number,
): { next_fire_at?: number | null } {
  if (!isEnabled) return { next_fire_at: null }
  const isUnmoved = was.enabled === 1 && cronOf(config) === cronOf(was.config)
  return isUnmoved ? {} : { next_fire_at: nextFire(config, now) }
}

const cronOf = (config: string): string | undefined => JSON.parse(config).cron

function nextFire(config: string, after: number): number | null {
  const cron = cronOf(config)
  return cron === undefined ? null : readCron(cron).firstAfter(after)
}

/** Row to wire. Of the signing secret only its presence leaves the server, as `***` (specification, part 2). */
const present = (row: TriggerRow): Trigger => ({
  id: row.id,
  agent_id: row.agent_id,
  version: row.version,
  content_hash: row.content_hash,
  kind: row.kind,
  config: row.secret === null ? JSON.parse(row.config) : { secret: '***' },
  enabled: row.enabled === 1,
  last_fired_at: isoTimeOrNull(row.last_fired_at),
  next_fire_at: isoTimeOrNull(row.next_fire_at),
  missed_fires: row.missed_fires,
  last_error: row.last_error,
  created_at: isoTime(row.created_at),
  updated_at: isoTime(row.updated_at),
})

export const triggerNotFound = (id: string) => new AppError('trigger_not_found', `There is no trigger ${id}.`)
