import { useQuery } from '@tanstack/react-query'
import type { ModelBinding } from '../../src/graph/ir'
import { ApiError, control, ok, request } from '../api'
import type { ListedModel } from '../canvas/edit/starters'
import { useModels } from '../registries/data'

/** A working copy as it is kept: the document, its layout beside it. */
export interface Content {
  ir: Record<string, unknown>
  view: Record<string, unknown> | null
}

export interface StoredDraft extends Content {
  id: string
  agent_id: string | null
  updated_at: string
}

export const fetchDraft = async (id: string): Promise<StoredDraft> => ok(control.drafts({ id }).get())

export const createDraft = async ({ ir, view }: Content, agentId: string | null): Promise<StoredDraft> =>
  ok(control.drafts.post({ ir, view, agent_id: agentId }))

export const replaceDraft = async (id: string, { ir, view }: Content): Promise<StoredDraft> =>
  ok(control.drafts({ id }).put({ ir, view }))

/** Browsers carry at most 64 KiB for a page that is gone. */
const MAX_PARTING_BYTES = 60_000

/** Sends a working copy while the page closes. What is too large for that waits in this browser instead. */
export function sendParting(id: string, { ir, view }: Content) {
  const body = JSON.stringify({ ir, view })
  if (new Blob([body]).size > MAX_PARTING_BYTES) return
  const headers = { 'content-type': 'application/json' }
  request('control', `/drafts/${encodeURIComponent(id)}`, {
    method: 'PUT',
    body,
    headers,
    keepalive: true,
  }).catch(
    // The copy in this browser stays, and is merged in at the next visit.
    () => undefined,
  )
}

export const isGone = (error: unknown) => error instanceof ApiError && error.code === 'draft_not_found'

export const fetchAgent = (id: string) => ok(control.agents({ id }).get())

export const fetchVersion = (id: string, version: string) =>
  ok(
    control
      .agents({ id })
      .versions({ version: encodeURIComponent(version) })
      .get(),
  )

/** The agent that has an id; null where there is none. */
export const useAgentOf = (id: string, enabled = true) =>
  useQuery({
    queryKey: ['agents', id, 'maybe'],
    enabled: enabled && id !== '',
    queryFn: async () => {
      try {
        return await fetchAgent(id)
      } catch (error) {
        if (error instanceof ApiError && error.code === 'agent_not_found') return null
        throw error
      }
    },
  })

export const useNewestVersion = (
  agent: { id: string; versions: { version: string }[] } | null | undefined,
) => {
  const version = agent?.versions[0]?.version
  return useQuery({
    queryKey: ['agents', agent?.id, 'version', version, 'compared'],
    enabled: version !== undefined,
    queryFn: () => fetchVersion(agent!.id, version!),
  })
}

/** Of an agent that is looked at as published: the draft that was edited last. */
export const useDraftOf = (agentId: string | null) =>
  useQuery({
    queryKey: ['drafts', 'of', agentId],
    enabled: agentId !== null,
    queryFn: async () =>
      (await ok(control.drafts.get({ query: { agent_id: agentId!, limit: 1 } }))).drafts[0] ?? null,
  }).data

/** Models of this install, as far as a document names them. */
export const useListedModels = (): { models: ListedModel[]; isPending: boolean } => {
  const { data, isPending } = useModels()
  const models = (data ?? []).map(({ logicalId, binding }) => ({
    logicalId,
    modality: binding.modality ?? 'chat',
    binding: binding.binding as ModelBinding['binding'],
  }))
  return { models, isPending }
}

/** A file as an artifact, for inputs that are too large to be sent inline. */
export async function uploadArtifact(file: File): Promise<{ ref: string; contentType: string }> {
  const contentType = file.type || 'application/octet-stream'
  const answer = await request('control', '/artifacts', {
    method: 'POST',
    body: file,
    headers: { 'content-type': contentType },
  })
  const { ref } = (await answer.json()) as { ref: string }
  return { ref, contentType }
}
