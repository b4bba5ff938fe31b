import { type RefObject, useEffect, useEffectEvent } from 'react'
import type { AgentDocument } from '../../src/graph/ir'
import { copyText, paste, readFragment } from '../canvas/edit/clipboard'
import type { Position } from '../canvas/view'
import { useToast } from '../kit/toasts'
import { texts as editor } from '../texts/editor'

const texts = editor.clipboard

interface Deps {
  root: RefObject<HTMLElement | null>
  document: AgentDocument
  chosen: ReadonlySet<string>
  readOnly: boolean
  /** Where what is pasted comes. */
  at: () => Position | undefined
  onPaste: (document: AgentDocument, ids: ReadonlySet<string>) => void
  onRefused: (reason: string) => void
}

/** Nodes as text on the clipboard, for any graph. */
export function useClipboard({ root, document, chosen, readOnly, at, onPaste, onRefused }: Deps) {
  const toast = useToast()
  // Pasting comes from the browser, with the text: no permission has to be asked for.
  const pasted = useEffectEvent((event: ClipboardEvent) => {
    const target = event.target as HTMLElement
    const isOurs = root.current?.contains(target) || target.contains(root.current)
    if (readOnly || !isOurs || target.closest('input, textarea, [contenteditable=true]')) return
    const fragment = readFragment(event.clipboardData?.getData('text/plain') ?? '')
    if (!fragment) return
    event.preventDefault()
    const { document: grown, ids } = paste(document, fragment, at())
    onPaste(grown, ids)
  })
  useEffect(() => {
    addEventListener('paste', pasted)
    return () => removeEventListener('paste', pasted)
  }, [])

  /** Resolves to whether it is on the clipboard now. */
  return async function copy(): Promise<boolean> {
    if (chosen.size === 0) return false
    try {
      await navigator.clipboard.writeText(copyText(document, chosen))
      toast(texts.copied(chosen.size))
      return true
    } catch {
      onRefused(texts.refused)
      return false
    }
  }
}
