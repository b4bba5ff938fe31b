import type { Problem } from './problem'

/** Deeper than any real document, and shallow enough for every function that walks one. */
const MAX_DEPTH = 100
/** About what a document of 10,000 nodes has. */
const MAX_VALUES = 500_000

/** A document that is too deep, too large, or not JSON at all is not looked at any further. */
export function outOfBounds(document: unknown): Problem | undefined {
  let values = 0
  const look = (value: unknown, depth: number): Problem | undefined => {
    if (depth > MAX_DEPTH) return problem(`nested more than ${MAX_DEPTH} levels deep`, 'Flatten it.')
    if (!isJson(value)) return problem('not JSON throughout', 'Send JSON: objects, lists, text, numbers.')
    const children = childrenOf(value)
    values += children.length
    if (values > MAX_VALUES)
      return problem(`larger than ${MAX_VALUES} values`, 'Split it into several agents.')
    for (const child of children) {
      const found = look(child, depth + 1)
      if (found) return found
    }
    return undefined
  }
  return look(document, 1)
}

function childrenOf(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return NONE
  return Array.isArray(value) ? value : Object.values(value)
}
const NONE: unknown[] = []

const problem = (what: string, hint: string): Problem => ({
  code: 'invalid_shape',
  message: `The document is ${what}.`,
  hint,
  path: '',
})

function isJson(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object') return typeof value === 'string' || typeof value === 'boolean'
  if (value === null || Array.isArray(value)) return true
  const prototype = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
