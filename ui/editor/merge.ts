import { canonicalJson } from '../../src/graph/hash'
import { isObject } from '../../src/graph/read'
import type { Content } from './data'

/** A value with the changes of two sides in it, and where both had changed the same: there `mine` was kept. */
export interface Merged {
  value: unknown
  conflicts: string[]
}

/**
 * Brings the changes from `base` to `mine` together with those from `base` to `theirs`. Lists of things with an `id` are
 * merged thing by thing, any other list as a whole.
 */
export function merge(base: unknown, mine: unknown, theirs: unknown): Merged {
  const conflicts: string[] = []
  return { value: mergeAny(base, mine, theirs, '', conflicts), conflicts }
}

/** Whether two working copies say the same; null is one that nobody has. */
export const sameContent = (a: Partial<Content> | null, b: Partial<Content> | null): boolean =>
  a !== null && b !== null && canonicalJson([a.ir, a.view ?? null]) === canonicalJson([b.ir, b.view ?? null])

function mergeAny(base: unknown, mine: unknown, theirs: unknown, path: string, conflicts: string[]): unknown {
  if (same(mine, theirs) || same(theirs, base)) return mine
  if (same(mine, base)) return theirs
  if (isObject(mine) && isObject(theirs)) {
    return mergeObjects(isObject(base) ? base : {}, mine, theirs, path, conflicts)
  }
  const lists = [mine, theirs].map(byId)
  if (lists[0] && lists[1]) {
    const merged = mergeObjects(byId(base) ?? {}, lists[0], lists[1], path, conflicts)
    return Object.values(merged)
  }
  conflicts.push(path)
  return mine
}

function mergeObjects(
  base: Record<string, unknown>,
  mine: Record<string, unknown>,
  theirs: Record<string, unknown>,
  path: string,
  conflicts: string[],
): Record<string, unknown> {
  const keys = new Set([...Object.keys(theirs), ...Object.keys(mine)])
  const entries = [...keys].flatMap((key) => {
    const merged = mergeAny(own(base, key), own(mine, key), own(theirs, key), `${path}/${key}`, conflicts)
    return merged === undefined ? [] : [[key, merged] as const]
  })
  return Object.fromEntries(entries)
}

/** A list of things with ids of their own, by id. The mark keeps their order: a key that is a number would come first. */
function byId(value: unknown): Record<string, unknown> | null {
  if (!Array.isArray(value) || !value.every((one) => isObject(one) && typeof one.id === 'string')) return null
  const entries = value.map((one) => [`#${one.id}`, one] as const)
  return new Set(entries.map(([id]) => id)).size === entries.length ? Object.fromEntries(entries) : null
}

const own = (object: Record<string, unknown>, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined

const same = (a: unknown, b: unknown): boolean =>
  a === b || (a !== undefined && b !== undefined && canonicalJson(a) === canonicalJson(b))
