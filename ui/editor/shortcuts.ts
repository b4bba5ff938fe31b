import { type RefObject, useEffect, useEffectEvent } from 'react'
import { isMac } from '../shell/keyboard'

/** What keys do in the editor: one list for those who press them and for the page that tells them. */
export const SHORTCUTS = {
  save: { keys: ['Mod', 'S'], group: 'document' },
  undo: { keys: ['Mod', 'Z'], group: 'document' },
  redo: { keys: ['Mod', 'Shift', 'Z'], group: 'document' },
  publish: { keys: ['Mod', 'Shift', 'P'], group: 'document' },
  code: { keys: ['Mod', 'E'], group: 'document' },
  run: { keys: ['Mod', 'Enter'], group: 'document' },
  add: { keys: ['A'], group: 'canvas' },
  search: { keys: ['/'], group: 'canvas' },
  copy: { keys: ['Mod', 'C'], group: 'canvas' },
  cut: { keys: ['Mod', 'X'], group: 'canvas' },
  paste: { keys: ['Mod', 'V'], group: 'canvas' },
  duplicate: { keys: ['Mod', 'D'], group: 'canvas' },
  all: { keys: ['Mod', 'A'], group: 'canvas' },
  remove: { keys: ['Delete'], group: 'canvas' },
  tidy: { keys: ['Shift', 'T'], group: 'canvas' },
  fit: { keys: ['F'], group: 'canvas' },
  problems: { keys: ['P'], group: 'canvas' },
  leave: { keys: ['Esc'], group: 'canvas' },
  help: { keys: ['?'], group: 'canvas' },
} as const

export type Command = keyof typeof SHORTCUTS

/** As they are printed on the keys of this machine. */
export const keysOf = (command: Command): string[] =>
  SHORTCUTS[command].keys.map((key) => {
    if (key === 'Mod') return isMac ? '⌘' : 'Ctrl'
    return key === 'Shift' && isMac ? '⇧' : key
  })

const LETTERS: Record<string, Command> = {
  s: 'save',
  z: 'undo',
  y: 'redo',
  e: 'code',
  enter: 'run',
  c: 'copy',
  x: 'cut',
  d: 'duplicate',
  a: 'all',
}
const SHIFTED: Record<string, Command> = { z: 'redo', p: 'publish' }
const PLAIN: Record<string, Command> = {
  a: 'add',
  '/': 'search',
  f: 'fit',
  p: 'problems',
  T: 'tidy',
  '?': 'help',
  Delete: 'remove',
  Backspace: 'remove',
  Escape: 'leave',
}
/** They mean the text while one types. */
const OF_TEXT = new Set<Command>(['copy', 'cut', 'all', 'duplicate'])

interface Pressed {
  key: string
  ctrlKey: boolean
  metaKey: boolean
  shiftKey: boolean
  altKey: boolean
}

/** What a key press asks for; `typing`: the focus is in a field. Pasting comes as an event of its own. */
export function commandOf(event: Pressed, typing: boolean): Command | null {
  if (event.altKey) return null
  const command = event.ctrlKey || event.metaKey ? withModifier(event) : typing ? null : PLAIN[event.key]
  return command === undefined || command === null || (typing && OF_TEXT.has(command)) ? null : command
}

const withModifier = ({ key, shiftKey }: Pressed): Command | undefined =>
  (shiftKey ? SHIFTED : LETTERS)[key.toLowerCase()]

/** Runs commands by keys pressed within the editor. Code fields that have an undo of their own keep it. */
export function useShortcuts(root: RefObject<HTMLElement | null>, run: (command: Command) => void) {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const target = event.target as HTMLElement
    if (event.defaultPrevented || !isOurs(root.current, target)) return
    const typing = target.closest('input, textarea, select, [contenteditable=true]') !== null
    const command = commandOf(event, typing)
    if (!command || (target.closest('[data-own-history]') && (command === 'undo' || command === 'redo')))
      return
    // A selected text is copied as text.
    if ((command === 'copy' || command === 'cut') && String(getSelection())) return
    event.preventDefault()
    run(command)
  })
  useEffect(() => {
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}

/** Dialogs and menus lie outside, and keep their keys; a page without any focus is the editor’s. */
const isOurs = (root: HTMLElement | null, target: HTMLElement) =>
  root !== null &&
  (root.contains(target) || target.contains(root)) &&
  document.querySelector('[role=dialog][data-state=open], [role=menu]') === null
