import { t } from 'elysia'
import { Nullable } from '#kernel/http/shapes'

/** More than there will ever be samples, or slots in all of them. */
const MAX_IDS = 100
const MAX_LOGICAL_ID_CHARACTERS = 200

export const CatalogEntry = t.Object({
  id: t.String(),
  title: t.String(),
  description: t.String(),
  capabilities: t.Array(t.String(), { description: 'What it shows.' }),
  durable: t.Boolean({ description: 'Needs durable runs.' }),
  input_example: t.Unknown({ description: 'An input to try it with; null where only a caller has one.' }),
  agent_id: t.String(),
  agent_name: t.String(),
  agent_names: t.Array(t.String(), { description: 'All agents it brings.' }),
  installed: t.Boolean({ description: 'All its agents exist.' }),
  model_slots: t.Record(
    t.String(),
    t.Object({
      label: t.String(),
      description: t.String(),
      modality: Nullable(t.String({ description: 'Null is a chat model.' })),
    }),
    { description: 'Models to choose at installation, by slot. A slot of several samples is one choice.' },
  ),
  connections: t.Array(t.Object({ key: t.String(), name: t.String(), transport: t.String() })),
  rag_sources: t.Array(t.Object({ key: t.String(), name: t.String() })),
  trigger: Nullable(t.Object({ kind: t.String(), enabled: t.Boolean() })),
})
export type CatalogEntry = typeof CatalogEntry.static

export const Catalog = t.Object({ samples: t.Array(CatalogEntry) })
export type Catalog = typeof Catalog.static

export const Install = t.Object({
  ids: t.Array(t.String({ maxLength: 100 }), { minItems: 1, maxItems: MAX_IDS }),
  models: t.Optional(
    Nullable(
      t.Record(
        t.String(),
        t.Object({
          logical_id: t.String({
            maxLength: MAX_LOGICAL_ID_CHARACTERS,
            description: 'As registered on the inference plane.',
          }),
          binding: t.String({ description: '`mlx`, `llamacpp` or `standard-compatible`.' }),
        }),
        { description: 'A model for each slot of the samples that are not installed yet.' },
      ),
    ),
  ),
})
export type Install = typeof Install.static

export const ReportEntry = t.Object({
  id: t.String(),
  agent_id: t.String(),
  status: t.Union([t.Literal('installed'), t.Literal('already_installed'), t.Literal('error')]),
  connections: t.Array(t.Object({ key: t.String(), connection_id: t.String(), created: t.Boolean() })),
  rag_sources: t.Array(t.Object({ key: t.String(), source_id: t.String(), created: t.Boolean() })),
  warnings: t.Array(t.String()),
  error: t.Optional(t.Object({ code: t.String(), message: t.String() })),
})
export type ReportEntry = typeof ReportEntry.static

export const InstallReport = t.Object({
  report: t.Array(ReportEntry, { description: 'In the order of `ids`.' }),
})
export type InstallReport = typeof InstallReport.static
