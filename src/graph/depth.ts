/**
 * Values of a run are walked and written as JSON in many places, which takes the engine seconds beyond some ten
 * thousand levels, and overflows its stack somewhere above. No real value comes near this.
 */
export const MAX_VALUE_DEPTH = 1_000

export function isTooDeep(value: unknown, levels = MAX_VALUE_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  const children = Array.isArray(value) ? value : Object.values(value)
  return children.some((child) => isTooDeep(child, levels - 1))
}
