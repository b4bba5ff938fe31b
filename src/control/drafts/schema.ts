import { t } from 'elysia'
import { Nullable, Time } from '#kernel/http/shapes'
import { Page } from '#kernel/paging'

const AgentId = t.String({ pattern: '^[A-Za-z0-9._-]{1,128}$', description: 'Id of a published agent.' })

/** Looked at by the service only as far as that it is an object: a draft may be half a document. */
const Document = t.Unknown({ description: 'Any JSON object.' })
/** What is no object is dropped. */
const View = t.Optional(t.Unknown({ description: 'Layout of the canvas.' }))

export const CreateDraft = t.Object({ ir: Document, view: View, agent_id: t.Optional(Nullable(AgentId)) })
export type CreateDraft = typeof CreateDraft.static

export const ReplaceDraft = t.Object({ ir: Document, view: View })
export type ReplaceDraft = typeof ReplaceDraft.static

export const DraftPage = t.Composite([Page, t.Object({ agent_id: t.Optional(AgentId) })])
export type DraftPage = typeof DraftPage.static

const summary = {
  id: t.String(),
  agent_id: Nullable(t.String()),
  owner_id: Nullable(t.String()),
  name: Nullable(t.String({ description: 'As the document says, where it does.' })),
  node_count: t.Integer(),
  created_at: Time,
  updated_at: Time,
}

export const DraftSummary = t.Object(summary)
export type DraftSummary = typeof DraftSummary.static

export const DraftList = t.Object({ drafts: t.Array(DraftSummary) })

export const Draft = t.Object({
  ...summary,
  ir: t.Record(t.String(), t.Unknown(), { description: 'The document, as it was sent.' }),
  view: Nullable(t.Record(t.String(), t.Unknown(), { description: 'Layout of the canvas.' })),
})
export type Draft = typeof Draft.static
