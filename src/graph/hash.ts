import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import type { AgentDocument } from './ir'

/**
 * Text that is the same for the same JSON value, whoever wrote it: keys in code-point order at every level, no white
 * space, text as raw UTF-8, numbers in their shortest form. A lone surrogate has no UTF-8 form and stays an escape, so
 * that two texts never become one; -0 is 0, as in any JSON that is written and read back.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join()}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const object = value as Record<string, unknown>
  const keys = Object.keys(object).sort(byCodePoint)
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalJson(object[key])}`).join()}}`
}

/** What names a version by its content: layout and any hash that came with it do not count. */
export function contentHash({ view, contentHash, ...content }: AgentDocument): string {
  return `sha256:${bytesToHex(sha256(utf8ToBytes(canonicalJson(content))))}`
}

/** A document as the registry keeps it: stamped with its hash, the layout beside it. */
export function stored(document: AgentDocument) {
  const { view, ...content } = document
  const hash = contentHash(document)
  return { ir: { ...content, contentHash: hash }, view, contentHash: hash }
}

/** JavaScript sorts by UTF-16 unit, where a character beyond U+FFFF would come before U+E000. */
export function byCodePoint(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index++) {
    const left = a.charCodeAt(index)
    const right = b.charCodeAt(index)
    if (left !== right) return rank(left) - rank(right)
  }
  return a.length - b.length
}

/** Puts surrogates, the halves of the highest characters, above all other units. */
function rank(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}
