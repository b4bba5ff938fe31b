import type { AgentDocument } from '../../src/graph/ir'
import { isObject } from '../../src/graph/read'
import { ApiError } from '../api'
import type { ListedModel } from '../canvas/edit/starters'
import { openDocument } from '../canvas/open'
import { texts as editor } from '../texts/editor'
import { type Content, fetchAgent, fetchDraft, fetchVersion, isGone } from './data'
import type { LocalCopies, LocalCopy } from './local-copies'
import { merge } from './merge'
import { firstAgent } from './template'

const texts = editor.opening

export interface Address {
  draft?: string
  agent?: string
  version?: string
}

/** What an editor begins with. */
export interface EditorStart {
  document: AgentDocument
  /** Text that is no document: there is only the code view then. */
  broken: string | null
  /** It differs from what the server has. */
  unsaved: boolean
  draftId: string | null
  /** The published agent it belongs to. */
  agentId: string | null
  /** What it was opened as, where that is a version. */
  version: string | null
  /** What this browser calls it as long as there is no draft. */
  key: string
  base: Content | null
  /** What the person should know about how it was opened. */
  notice: string | null
}

interface Sources {
  copies: LocalCopies
  /** Names this tab, also after a reload. */
  tab: string
  models: () => Promise<ListedModel[]>
}

/** Opens what an address names, brings back what was not saved, and merges it with what the server has by now. */
export async function openEditor({ draft, agent, version }: Address, sources: Sources): Promise<EditorStart> {
  if (draft) return openDraft(draft, sources)
  if (agent) return openVersion(agent, version, sources)
  return openNew(sources)
}

async function openDraft(id: string, { copies }: Sources): Promise<EditorStart> {
  const copy = copies.read(id)
  const about = { draftId: id, version: null, key: `gone:${id}` }
  try {
    const stored = await fetchDraft(id)
    const content: Content = { ir: stored.ir, view: stored.view ?? viewIn(stored.ir) }
    const start = { ...about, agentId: stored.agent_id }
    return copy ? restored(start, copy, content) : opened(start, content, content, null)
  } catch (error) {
    // What is only here must not be lost because the server is away, or somebody deleted the draft.
    const mayBeBack = isGone(error) || (error instanceof ApiError && error.status === 0)
    if (!copy || !mayBeBack) throw error
    const notice = isGone(error) ? texts.draftGone : texts.unreachable
    const start = { ...about, draftId: isGone(error) ? null : id, agentId: copy.agentId }
    if (isGone(error)) copies.drop(id)
    return { ...opened(start, copy.content, copy.base, copy.text), unsaved: true, notice }
  }
}

async function openVersion(id: string, asked: string | undefined, { copies }: Sources): Promise<EditorStart> {
  const version = asked ?? (await fetchAgent(id)).versions[0]!.version
  const { ir, view } = await fetchVersion(id, version)
  const start = { draftId: null, agentId: id, version, key: `agent:${id}@${version}` }
  const copy = copies.read(start.key)
  return copy ? restored(start, copy, { ir, view }) : opened(start, { ir, view }, { ir, view }, null)
}

async function openNew({ copies, tab, models }: Sources): Promise<EditorStart> {
  const start = { draftId: null, agentId: null, version: null, key: `new:${tab}` }
  const copy = copies.read(start.key)
  if (copy) {
    return { ...opened(start, copy.content, null, copy.text), unsaved: true, notice: texts.unsaved }
  }
  const document = firstAgent(await models())
  return { ...start, document, broken: null, unsaved: false, base: null, notice: null }
}

type About = Pick<EditorStart, 'draftId' | 'agentId' | 'version' | 'key'>

function restored(start: About, copy: LocalCopy, stored: Content): EditorStart {
  const { value, conflicts } = merge(copy.base, copy.content, stored)
  const content = value as Content
  const notice = conflicts.length === 0 ? texts.restored : texts.restoredOver(conflicts.length)
  return { ...opened(start, content, stored, copy.text), unsaved: true, notice }
}

function opened(start: About, { ir, view }: Content, base: Content | null, text: string | null): EditorStart {
  const whole = { ...ir, view }
  const { document } = openDocument(whole)
  return {
    ...start,
    document: document ?? firstAgent([]),
    broken: text ?? (document ? null : JSON.stringify(whole, null, 2)),
    unsaved: false,
    base,
    notice: null,
  }
}

/** Drafts of other programs may have their layout where a document has it. */
const viewIn = (ir: Record<string, unknown>): Content['view'] => (isObject(ir.view) ? ir.view : null)

/** What is saved of a document, or of text that is none: as far as it is an object, for a draft may be half a document. */
export function contentOf(document: AgentDocument, broken: string | null): Content {
  const { view, ...ir } = wholeOf(document, broken)
  return { ir, view: isObject(view) ? view : null }
}

function wholeOf(document: AgentDocument, broken: string | null): Record<string, unknown> {
  if (broken === null) return document
  try {
    const value: unknown = JSON.parse(broken)
    return isObject(value) ? value : document
  } catch {
    // Half-typed JSON: it is kept in this browser, and the last document on the server.
    return document
  }
}
