import { type DocumentDiff, diffDocuments } from '#graph/diff'
import { stored } from '#graph/hash'
import type { AgentDocument } from '#graph/ir'
import { storable } from '#kernel/db/portable'
import type { CaptureLevel, Db } from '#kernel/db/tables'
import type { Env } from '#kernel/env'
import { AppError } from '#kernel/errors'
import { isoTime } from '#kernel/http/shapes'
import type { Page } from '#kernel/paging'
import { captureLevel } from '../settings/capture'
import { readDocument } from './document'
import { type CapturePolicyOfAgent, readPolicy, readRules } from './policy'
import type { Agent, AgentList, AgentVersion, IoPolicy, Publish, PutIoPolicy } from './schema'
import { agentStore, type VersionRow } from './store'

/** Names are for lists; a document may call itself anything. */
const MAX_NAME_CHARACTERS = 200

interface Deps {
  db: Db
  env: Pick<Env, 'SERVICE_TOPOLOGY'>
  settings: { get(key: 'telemetry.io_capture'): CaptureLevel }
  now: () => number
}

/** Which version is meant: `content_hash` counts before `version`; the latest without either. */
export interface Pin {
  version?: string | null
  content_hash?: string | null
}

export interface ResolvedAgent {
  version: string
  contentHash: string
  /** With all its defaults filled in, its hash stamped, and without a layout. */
  document: AgentDocument
}

export type AgentService = ReturnType<typeof agentService>

export function agentService({ db, env, settings, now }: Deps) {
  const store = agentStore(db)

  async function detail(id: string): Promise<Agent> {
    const [agent, versions] = await Promise.all([store.summary(id), store.versions(id)])
    if (!agent) throw notFound(id)
    return {
      id: agent.id,
      name: agent.name,
      created_at: isoTime(agent.created_at),
      updated_at: isoTime(agent.updated_at),
      versions: versions.map(({ created_at, ...version }) => ({
        ...version,
        created_at: isoTime(created_at),
      })),
    }
  }

  /** A missing version of an agent that is there is another failure than a missing agent. */
  async function missing(id: string, which: string): Promise<AppError> {
    return (await store.summary(id)) ? versionNotFound(id, which) : notFound(id)
  }

  function pinned(id: string, { version, content_hash }: Pin): Promise<VersionRow | undefined> {
    if (typeof content_hash === 'string') return store.versionByHash(id, content_hash)
    return typeof version === 'string' ? store.version(id, version) : store.newestVersion(id)
  }

  async function versionRow(id: string, version: string): Promise<VersionRow> {
    const row = await store.version(id, version)
    if (!row) throw await missing(id, `version ${version}`)
    return row
  }

  function presentPolicy(
    id: string,
    policy: CapturePolicyOfAgent | null,
    updatedAt: number | null,
  ): IoPolicy {
    const { level, ceiling, topology_default } = captureLevel({
      ceiling: settings.get('telemetry.io_capture'),
      topology: env.SERVICE_TOPOLOGY,
      policy: policy?.io_capture,
    })
    const wanted = policy?.io_capture ?? topology_default
    return {
      agent_id: id,
      io_capture: wanted,
      effective: level,
      capped: level !== wanted,
      ceiling,
      topology_default,
      io_retention_seconds: policy?.io_retention_seconds ?? null,
      redact_rules: policy?.redact_rules ?? null,
      updated_at: updatedAt === null ? null : isoTime(updatedAt),
      has_explicit_policy: policy !== null,
    }
  }

  return {
    /** For a run or a trigger. @throws {AppError} `agent_not_found`, `agent_version_not_found` */
    async resolve(id: string, pin: Pin = {}): Promise<ResolvedAgent> {
      const row = await pinned(id, pin)
      if (!row) throw await missing(id, pin.content_hash ?? `version ${pin.version}`)
      return {
        version: row.version,
        contentHash: row.content_hash,
        document: { ...JSON.parse(row.ir), view: null },
      }
    },

    /** For a run: what the agent's own policy asks for; `null` when nobody set one. */
    async policyOf(id: string): Promise<CapturePolicyOfAgent | null> {
      const row = await store.policy(id)
      return row ? readPolicy(row) : null
    },

    async list(page: Page): Promise<AgentList> {
      const rows = await store.newestFirst(page)
      return {
        agents: rows.map(({ created_at, updated_at, version_count, ...agent }) => ({
          ...agent,
          created_at: isoTime(created_at),
          updated_at: isoTime(updated_at),
          version_count: version_count ?? 0,
        })),
      }
    },

    get: detail,

    /** @throws {AppError} `invalid_ir`, `agent_exists` */
    async publish({ ir, name }: Publish): Promise<Agent> {
      const document = readDocument(ir)
      const at = now()
      await db.transaction().execute(async (tx) => {
        const agents = agentStore(tx)
        const isNew = await agents.insert({
          id: document.id,
          name: nameOf(name ?? ''),
          created_at: at,
          updated_at: at,
        })
        if (!isNew) throw new AppError('agent_exists', exists(document.id))
        await agents.insertVersion(rowOf(document, 1, at))
      })
      return detail(document.id)
    },

    /**
     * Adds a version, or finds that very content under it: then nothing changes, its layout neither.
     * @throws {AppError} `agent_not_found`, `invalid_ir`, `agent_id_mismatch`, `version_conflict`
     */
    async addVersion(id: string, ir: unknown): Promise<{ agent: Agent; isNew: boolean }> {
      if (!(await store.summary(id))) throw notFound(id)
      const document = readDocument(ir)
      if (document.id !== id) throw new AppError('agent_id_mismatch', mismatch(id, document.id))
      const at = now()
      const isNew = await db.transaction().execute(async (tx) => {
        const agents = agentStore(tx)
        if (!(await agents.lock(id))) throw notFound(id)
        const row = rowOf(document, await agents.nextSeq(id), at)
        const taken = await agents.version(id, row.version)
        if (taken?.content_hash === row.content_hash) return false
        if (taken) throw new AppError('version_conflict', conflict(id, row.version))
        await agents.insertVersion(row)
        await agents.touch(id, at)
        return true
      })
      return { agent: await detail(id), isNew }
    },

    version: async (id: string, version: string): Promise<AgentVersion> =>
      presentVersion(await versionRow(id, version)),

    /** The version with that content; null where there is none, or none any more. */
    async published(id: string, contentHash: string): Promise<AgentVersion | null> {
      const row = await store.versionByHash(id, contentHash)
      return row ? presentVersion(row) : null
    },

    async diff(id: string, { a, b }: { a: string; b: string }): Promise<DocumentDiff> {
      const [before, after] = await Promise.all([versionRow(id, a), versionRow(id, b)])
      return { a, b, ...diffDocuments(JSON.parse(before.ir), JSON.parse(after.ir)) }
    },

    /** Versions and policy go with it; runs, chats and drafts stay. @throws {AppError} `agent_not_found` */
    async remove(id: string): Promise<void> {
      if (!(await store.remove(id))) throw notFound(id)
    },

    async ioPolicy(id: string): Promise<IoPolicy> {
      const [agent, row] = await Promise.all([store.summary(id), store.policy(id)])
      if (!agent) throw notFound(id)
      return presentPolicy(id, row ? readPolicy(row) : null, row?.updated_at ?? null)
    },

    /** Replaces the whole policy. Never changes a content hash. @throws {AppError} `agent_not_found`, `invalid_policy` */
    async setIoPolicy(
      id: string,
      { io_capture, io_retention_seconds, redact_rules }: PutIoPolicy,
    ): Promise<IoPolicy> {
      const rules = redact_rules ? readRules(redact_rules) : null
      const policy = { io_capture, io_retention_seconds: io_retention_seconds ?? null, redact_rules: rules }
      const at = now()
      await db.transaction().execute(async (tx) => {
        const agents = agentStore(tx)
        if (!(await agents.lock(id))) throw notFound(id)
        const redactRules = rules === null ? null : JSON.stringify(rules)
        await agents.putPolicy({ agent_id: id, ...policy, redact_rules: redactRules, updated_at: at })
      })
      return presentPolicy(id, policy, at)
    },
  }
}

function rowOf(document: AgentDocument, seq: number, now: number): VersionRow {
  const { ir, view, contentHash } = stored(document)
  return {
    agent_id: document.id,
    version: document.version,
    seq,
    content_hash: contentHash,
    name: nameOf(document.name) ?? document.id,
    ir: JSON.stringify(ir),
    view: view === null ? null : JSON.stringify(view),
    created_at: now,
  }
}

const presentVersion = ({ ir, view, created_at, name, ...row }: VersionRow): AgentVersion => ({
  ...row,
  created_at: isoTime(created_at),
  ir: JSON.parse(ir),
  view: view === null ? null : JSON.parse(view),
})

/** Postgres holds no U+0000 in a text. */
const nameOf = (name: string): string | null =>
  storable(name.trim().slice(0, MAX_NAME_CHARACTERS)).toWellFormed() || null

const notFound = (id: string) => new AppError('agent_not_found', `There is no agent ${id}.`)

const versionNotFound = (id: string, which: string) =>
  new AppError(
    'agent_version_not_found',
    `The agent ${id} has no ${which}. GET /agents/${id} lists its versions.`,
  )

const exists = (id: string) =>
  `There is an agent ${id} already. Publish this as a new version of it (POST /agents/${id}/versions), or choose another id.`

const mismatch = (id: string, other: string) =>
  `The document is of the agent ${other}, not of ${id}. Set its "id" to ${id}, or publish it as an agent of its own.`

const conflict = (id: string, version: string) =>
  `The agent ${id} has a version ${version} with other content. Versions never change: publish this under a new one.`
