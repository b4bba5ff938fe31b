import { type Autosave, isSaved, newAutosave, type SaveEvent, step } from './autosave'
import type { Content, StoredDraft } from './data'
import type { LocalCopies } from './local-copies'
import { merge, sameContent } from './merge'

interface Deps {
  create: (content: Content, agentId: string | null) => Promise<StoredDraft>
  replace: (id: string, content: Content) => Promise<StoredDraft>
  fetch: (id: string) => Promise<StoredDraft>
  isGone: (error: unknown) => boolean
  now: () => number
  /** Runs something at a time; the answer takes that back. */
  at: (time: number, run: () => void) => () => void
  copies: LocalCopies
  /** What others did meanwhile is in the working copy now; `conflicts`: in so many places both had changed the same. */
  onMerged: (content: Content, conflicts: number) => void
  /** A draft was made, or made anew. */
  onDraft: (id: string) => void
  onChange: (state: KeeperState) => void
}

export interface KeeperState {
  draftId: string | null
  /** `kept`: in this browser, on its way to the server. `lost`: this browser has no room for it either. */
  status: 'saved' | 'kept' | 'saving' | 'offline' | 'lost'
  error: unknown
}

interface Start {
  draftId: string | null
  agentId: string | null
  /** Under what this browser keeps it as long as there is no draft. */
  key: string
  /** What the server has. */
  base: Content | null
}

export type Keeper = ReturnType<typeof keeper>

/** A working copy on its way to the server, and in this browser until it is there. */
export function keeper(start: Start, deps: Deps) {
  const { now, copies } = deps
  let autosave: Autosave = newAutosave(start.draftId)
  let base = start.base
  /** When the server's copy that `base` is was saved; null where nobody has looked yet. */
  let baseAt: string | null = null
  let content = start.base
  let text: string | null = null
  let stopped = false
  let fits = true
  let cancel = () => {}

  const key = () => autosave.draftId ?? start.key

  function dispatch(event: SaveEvent) {
    if (stopped) return
    const { state, action } = step(autosave, event)
    autosave = state
    cancel()
    if (action.do === 'send') void send(action.draftId)
    if (action.do === 'wait') cancel = deps.at(action.until, () => dispatch({ type: 'tick', at: now() }))
    tell()
  }

  async function send(draftId: string | null) {
    try {
      // A draft has no version that the server would compare: who saves looks first, or the last one wins.
      if (draftId !== null) await catchUp(draftId)
      const sent = content!
      const draft = await (draftId === null ? deps.create(sent, start.agentId) : deps.replace(draftId, sent))
      const before = key()
      rebase(sent, draft.updated_at)
      dispatch({ type: 'saved', at: now(), draftId: draft.id })
      if (draftId === null) deps.onDraft(draft.id)
      if (before !== key()) copies.drop(before)
      if (isSaved(autosave) && text === null) copies.drop(key())
      else keepHere()
    } catch (error) {
      dispatch({ type: 'failed', at: now(), error, gone: deps.isGone(error) })
    }
  }

  /** Others may have saved meanwhile, on other machines too: what they did must not be written over. */
  async function catchUp(draftId: string) {
    const theirs = await deps.fetch(draftId)
    const isKnown = theirs.updated_at === baseAt || sameContent(theirs, base)
    const { value, conflicts } = isKnown ? { value: content, conflicts: [] } : merge(base, content, theirs)
    rebase({ ir: theirs.ir, view: theirs.view }, theirs.updated_at)
    if (isKnown) return
    content = value as Content
    deps.onMerged(content, conflicts.length)
  }

  function rebase(theirs: Content, at: string) {
    base = theirs
    baseAt = at
  }

  function keepHere() {
    if (content) fits = copies.keep(key(), { content, text, base, agentId: start.agentId, at: now() })
  }

  function tell() {
    deps.onChange({ draftId: autosave.draftId, status: statusOf(), error: autosave.error })
  }

  function statusOf(): KeeperState['status'] {
    if (autosave.sending !== null) return 'saving'
    if (isSaved(autosave)) return text === null ? 'saved' : 'kept'
    if (!fits) return 'lost'
    return autosave.failures > 0 ? 'offline' : 'kept'
  }

  return {
    draftId: () => autosave.draftId,
    base: () => base,

    /** The working copy as it is now. It is in this browser before the server is asked. */
    changed(next: Content, code: string | null) {
      if (stopped) return
      content = next
      text = code
      keepHere()
      dispatch({ type: 'changed', at: now() })
    },

    /** Somebody else saved this draft: that is what the server has now. */
    rebase: ({ ir, view, updated_at }: StoredDraft) => rebase({ ir, view }, updated_at),

    saveNow: () => dispatch({ type: 'now', at: now() }),

    /**
     * What has to go along while the page closes; null where the server has it all, or was away: then it is merged with
     * what is there at the next visit.
     */
    parting: (): { id: string; content: Content } | null =>
      stopped || isSaved(autosave) || autosave.failures > 0 || autosave.draftId === null || content === null
        ? null
        : { id: autosave.draftId, content },

    /** No more saving: what is open here was published, or is left. `forget` also takes back the copy in this browser. */
    stop(forget: boolean) {
      stopped = true
      cancel()
      if (forget) copies.drop(key())
    },
  }
}
