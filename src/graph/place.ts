/**
 * A node's id as a part of a place. Places are joined with `/`, `#` and `@`; an id may hold anything, and must not look
 * like the place of another step.
 */
export const placeOf = (id: string): string => id.replace(/[%/#@]/g, encodeURIComponent)
