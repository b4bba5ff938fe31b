import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useEffectEvent, useMemo, useRef, useState } from 'react'
import type { AgentDocument } from '../../src/graph/ir'
import { openDocument } from '../canvas/open'
import { texts as editor } from '../texts/editor'
import { type Content, createDraft, fetchDraft, isGone, replaceDraft, sendParting } from './data'
import { begin, type History, record, redo, undo } from './history'
import { type Keeper, type KeeperState, keeper } from './keeper'
import { localCopies } from './local-copies'
import { merge, sameContent } from './merge'
import { contentOf, type EditorStart } from './opening'
import { joinTabs } from './other-tabs'

const texts = editor.merged

interface State {
  history: History<AgentDocument>
  broken: string | null
}

export interface EditorState {
  document: AgentDocument
  /** Code that is no document (yet); the document is the last one it was. */
  broken: string | null
  canUndo: boolean
  canRedo: boolean
  /** `to` names what is edited: edits to the same soon after each other are one step back. */
  edit: (next: AgentDocument, to?: string | null) => void
  /** The whole as code. */
  write: (text: string) => void
  undo: () => void
  redo: () => void
  saving: KeeperState
  saveNow: () => void
  /** A draft is being made, and has no id yet. */
  drafting: boolean
  /** Ends the saving, as the draft is no more. */
  settle: () => void
  /** Other tabs of this browser that have the same draft open. */
  others: number
  /** How what somebody else saved came in, in a sentence. */
  merged: string | null
}

/** The document that is being edited: its history, its way to the server, and the other tabs that have it open. */
export function useEditor(
  start: EditorStart,
  tab: string,
  readOnly: boolean,
  onDraft: (id: string) => void,
): EditorState {
  const [{ history, broken }, setState] = useState<State>(() => ({
    history: begin(start.document),
    broken: start.broken,
  }))
  const document = history.present
  const [saving, setSaving] = useState<KeeperState>({ draftId: start.draftId, status: 'saved', error: null })
  // What the server, or nobody yet, has of it: only what comes after is a change.
  const known = useRef<unknown>(start.unsaved ? null : start.document)
  const text = useRef(start.unsaved ? undefined : start.broken)

  const edit = useCallback(
    (next: AgentDocument, to: string | null = null) =>
      setState((now) => ({ history: record(now.history, next, to, Date.now()), broken: null })),
    [],
  )
  const [merged, setMerged] = useState<string | null>(null)
  const keep = useKeeper(start, setSaving, onDraft, ({ ir, view }, conflicts) => {
    const { document: both } = openDocument({ ...ir, view })
    // It is on its way already.
    known.current = both ?? known.current
    if (both) edit(both)
    setMerged(told(conflicts))
  })

  useEffect(() => {
    if (readOnly || (known.current === document && text.current === broken)) return
    known.current = document
    text.current = broken
    keep.current?.changed(contentOf(document, broken), broken)
  }, [document, broken, readOnly, keep])

  async function pull(id: string) {
    const stored = await fetchDraft(id)
    const theirs: Content = { ir: stored.ir, view: stored.view }
    const mine = contentOf(document, broken)
    const { value, conflicts } = merge(keep.current?.base() ?? null, mine, theirs)
    const { ir, view } = value as Content
    const { document: both } = openDocument({ ...ir, view })
    keep.current?.rebase(stored)
    if (!both || sameContent(contentOf(both, null), mine)) return
    if (sameContent(contentOf(both, null), theirs)) known.current = both
    edit(both)
    return conflicts.length
  }
  const others = useOthers(saving, tab, pull)
  usePullOnReturn(readOnly ? null : saving.draftId, async (id) => {
    const conflicts = await pull(id)
    if (conflicts !== undefined) setMerged(told(conflicts))
  })

  return useMemo(
    () => ({
      document,
      broken,
      canUndo: history.past.length > 0,
      canRedo: history.future.length > 0,
      edit,
      write: (code) => setState((now) => written(now, code)),
      undo: () => setState((now) => ({ history: undo(now.history), broken: null })),
      redo: () => setState((now) => ({ history: redo(now.history), broken: null })),
      saving,
      drafting: saving.draftId === null && saving.status === 'saving',
      saveNow: () => keep.current?.saveNow(),
      settle: () => keep.current?.stop(true),
      others,
      merged,
    }),
    [document, broken, history, edit, saving, others, merged, keep],
  )
}

/** Code that is a document becomes the document; any other is kept as it is. */
function written(now: State, code: string): State {
  let value: unknown
  try {
    value = JSON.parse(code)
  } catch {
    return { ...now, broken: code }
  }
  const { document } = openDocument(value)
  return document
    ? { history: record(now.history, document, 'code', Date.now()), broken: null }
    : { ...now, broken: code }
}

function useKeeper(
  start: EditorStart,
  onChange: (state: KeeperState) => void,
  onDraft: (id: string) => void,
  onMerged: (content: Content, conflicts: number) => void,
) {
  const made = useRef<Keeper | null>(null)
  const queries = useQueryClient()
  const drafted = useEffectEvent((id: string) => {
    onDraft(id)
    void queries.invalidateQueries({ queryKey: ['drafts'] })
  })
  const merged = useEffectEvent(onMerged)
  if (made.current === null) {
    made.current = keeper(start, {
      create: createDraft,
      replace: replaceDraft,
      fetch: fetchDraft,
      isGone,
      now: Date.now,
      at(time, run) {
        const timer = setTimeout(run, Math.max(0, time - Date.now()))
        return () => clearTimeout(timer)
      },
      copies: localCopies(localStorage),
      onMerged: (content, conflicts) => merged(content, conflicts),
      onDraft: (id) => drafted(id),
      onChange,
    })
  }
  useEffect(() => {
    const current = made.current!
    const part = () => {
      const left = current.parting()
      if (left) sendParting(left.id, left.content)
    }
    addEventListener('pagehide', part)
    addEventListener('online', current.saveNow)
    return () => {
      removeEventListener('pagehide', part)
      removeEventListener('online', current.saveNow)
      // Left for another screen: what is open goes along at once.
      current.saveNow()
      void queries.invalidateQueries({ queryKey: ['drafts'] })
    }
  }, [queries])
  return made
}

const told = (conflicts: number): string => (conflicts === 0 ? texts.both : texts.over(conflicts))

/** Who comes back to the page sees what others did on other machines meanwhile. */
function usePullOnReturn(draftId: string | null, onReturn: (id: string) => Promise<unknown>) {
  const back = useEffectEvent(() => {
    // The next save brings both together; this only failed to do so at once.
    if (draftId !== null && document.visibilityState === 'visible') onReturn(draftId).catch(() => undefined)
  })
  useEffect(() => {
    addEventListener('visibilitychange', back)
    addEventListener('focus', back)
    return () => {
      removeEventListener('visibilitychange', back)
      removeEventListener('focus', back)
    }
  }, [])
}

const CHANNEL = 'tycho.editor'

function useOthers(
  { draftId, status }: KeeperState,
  tab: string,
  onSaved: (id: string) => Promise<unknown>,
): number {
  const [others, setOthers] = useState(0)
  const tabs = useRef<ReturnType<typeof joinTabs> | null>(null)
  const saved = useEffectEvent((id: string) => {
    // The next save of either tab brings them together; this one only failed to do so at once.
    onSaved(id).catch(() => undefined)
  })
  useEffect(() => {
    if (draftId === null) return
    const joined = joinTabs(new BroadcastChannel(CHANNEL), `${tab}.${Math.random()}`, draftId, {
      onOthers: setOthers,
      onSaved: () => saved(draftId),
    })
    tabs.current = joined
    addEventListener('pagehide', joined.leave)
    return () => {
      removeEventListener('pagehide', joined.leave)
      joined.leave()
      tabs.current = null
      setOthers(0)
    }
  }, [draftId, tab])
  const before = useRef(status)
  useEffect(() => {
    if (before.current === 'saving' && status !== 'saving' && status !== 'offline') tabs.current?.saved()
    before.current = status
  }, [status])
  return others
}
