import type { Row } from './tree'

/** What a key does in the tree: selects a row, or folds and unfolds one. */
export type Move = { kind: 'select' | 'toggle'; id: string }

/** A page of rows, for Page Up and Page Down. */
const PAGE_ROWS = 15

/** The keys of a tree as screen readers teach them; null for a key that is not one of them. */
export function moved(rows: readonly Row[], index: number, key: string): Move | null {
  const to = (target: number): Move | null => {
    const row = rows[Math.min(Math.max(0, target), rows.length - 1)]
    return row ? { kind: 'select', id: row.span.id } : null
  }
  const row = rows[index]
  switch (key) {
    case 'ArrowDown':
      return to(index + 1)
    case 'ArrowUp':
      return to(index - 1)
    case 'PageDown':
      return to(index + PAGE_ROWS)
    case 'PageUp':
      return to(index - PAGE_ROWS)
    case 'Home':
      return to(0)
    case 'End':
      return to(rows.length - 1)
    case 'ArrowRight':
      if (!row || row.childCount === 0) return null
      return row.collapsed ? { kind: 'toggle', id: row.span.id } : to(index + 1)
    case 'ArrowLeft':
      if (!row) return null
      if (row.childCount > 0 && !row.collapsed) return { kind: 'toggle', id: row.span.id }
      return row.parentId === null ? null : { kind: 'select', id: row.parentId }
    default:
      return null
  }
}
