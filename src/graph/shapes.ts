import Type, { type Static, type TProperties, type TSchema } from 'typebox'

/**
 * The words in which the document's schema is written. Every schema is what a *filled* document looks like: what an
 * author may leave out has a `default`. Only the keywords that `read.ts` knows are used.
 */

/** An object that knows all its keys. */
export const closed = <P extends TProperties>(properties: P, options: object = {}) =>
  Type.Object(properties, { additionalProperties: false, ...options })

/** Part of the envelope: also read in snake_case. */
export const envelope = <P extends TProperties>(properties: P, options: object = {}) =>
  closed(properties, { 'x-snake-case': true, ...options })

export const choice = <const T extends string>(choices: readonly T[], options: object = {}) =>
  Type.Unsafe<T>({ type: 'string', enum: choices, ...options })

/** An object whose keys are the author's own. */
export const openObject = (options: object = {}) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', ...options })

export const mapOf = <T extends TSchema>(value: T) =>
  Type.Unsafe<Record<string, Static<T>>>({ type: 'object', additionalProperties: value, default: {} })

export const anyJson = (options: object = {}) => Type.Unsafe<unknown>({ default: null, ...options })

/** May be left out, and is null then. */
export function orNull<T extends TSchema>(schema: T) {
  const { type, enum: choices, ...rest } = schema as unknown as { type: string; enum?: unknown[] }
  const orNone = choices && { enum: [...choices, null] }
  return Type.Unsafe<Static<T> | null>({ type: [type, 'null'], ...orNone, ...rest, default: null })
}

/** Gives a field its meaning in words, for the docs, the editor and the API's description. */
export const says = <T extends TSchema>(description: string, schema: T): T =>
  Object.assign(schema, { description })

/** One of several shapes: told apart by `property` where given, else by their JSON types. */
export const oneOf = <const T extends TSchema[]>(variants: T, property?: string, options: object = {}) =>
  Type.Unsafe<Static<T[number]>>({
    anyOf: variants,
    ...(property && { discriminator: { propertyName: property } }),
    ...options,
  })
