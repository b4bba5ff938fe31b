import { outOfBounds } from '#graph/bounds'
import { isObject } from '#graph/read'
import { storable } from '#kernel/db/portable'
import type { Db } from '#kernel/db/tables'
import { AppError } from '#kernel/errors'
import { isoTime } from '#kernel/http/shapes'
import { newId } from '#kernel/ids'
import type { CreateDraft, Draft, DraftPage, DraftSummary, ReplaceDraft } from './schema'
import { type DraftRow, type DraftSummaryRow, draftStore } from './store'

/** Names are for lists; a document may call itself anything. */
const MAX_NAME_CHARACTERS = 200

interface Deps {
  db: Db
  now: () => number
}

export type DraftService = ReturnType<typeof draftService>

/** Working copies: mutable, never validated as a graph, never hashed. */
export function draftService({ db, now }: Deps) {
  const store = draftStore(db)

  return {
    async list(page: DraftPage): Promise<{ drafts: DraftSummary[] }> {
      return { drafts: (await store.page(page)).map(summarize) }
    },

    /** @throws {AppError} `draft_not_found` */
    async get(id: string): Promise<Draft> {
      const row = await store.find(id)
      if (!row) throw notFound(id)
      return present(row)
    },

    /** @throws {AppError} `invalid_draft` */
    async create({ ir, view, agent_id }: CreateDraft): Promise<Draft> {
      const at = now()
      const row: DraftRow = {
        id: newId('draft', at),
        agent_id: agent_id ?? null,
        // Drafts belong to all editors alike.
        owner_id: null,
        ...columnsOf(ir),
        view: viewText(view),
        created_at: at,
        updated_at: at,
      }
      await store.insert(row)
      return present(row)
    },

    /** The layout stays where none is sent. @throws {AppError} `invalid_draft`, `draft_not_found` */
    async replace(id: string, { ir, view }: ReplaceDraft): Promise<Draft> {
      const row = await store.update(id, {
        ...columnsOf(ir),
        ...(view !== undefined && { view: viewText(view) }),
        updated_at: now(),
      })
      if (!row) throw notFound(id)
      return present(row)
    },

    /** @throws {AppError} `draft_not_found` */
    async remove(id: string): Promise<void> {
      if (!(await store.remove(id))) throw notFound(id)
    },
  }
}

/** The document as text, and what lists show of it, derived at each save. */
function columnsOf(ir: unknown): Pick<DraftRow, 'ir' | 'name' | 'node_count'> {
  if (!isObject(ir)) throw new AppError('invalid_draft', 'Send the draft as "ir": a JSON object.')
  const refused = outOfBounds(ir)
  if (refused) throw new AppError('invalid_draft', `${refused.message} ${refused.hint}`)
  return {
    ir: JSON.stringify(ir),
    name: typeof ir.name === 'string' ? nameOf(ir.name) : null,
    node_count: Array.isArray(ir.nodes) ? ir.nodes.length : 0,
  }
}

const viewText = (view: unknown): string | null =>
  isObject(view) && !outOfBounds(view) ? JSON.stringify(view) : null

/** Postgres holds no U+0000 in a text. */
const nameOf = (name: string): string | null =>
  storable(name.trim().slice(0, MAX_NAME_CHARACTERS)).toWellFormed() || null

const present = ({ ir, view, ...row }: DraftRow): Draft => ({
  ...summarize(row),
  ir: JSON.parse(ir),
  view: view === null ? null : JSON.parse(view),
})

const summarize = ({ created_at, updated_at, ...row }: DraftSummaryRow): DraftSummary => ({
  ...row,
  created_at: isoTime(created_at),
  updated_at: isoTime(updated_at),
})

const notFound = (id: string) => new AppError('draft_not_found', `There is no draft ${id}.`)
