// TypeScript's library does not know it yet.
const { rawJSON } = JSON as typeof JSON & { rawJSON(text: string): unknown }

/** JSON in which a bigint is the integer it is: nanoseconds since 1970 do not fit a JavaScript number. */
export const exactText = (value: unknown): string =>
  JSON.stringify(value, (_, field) => (typeof field === 'bigint' ? rawJSON(String(field)) : field))

export const exactJson = (value: unknown): Response =>
  new Response(exactText(value), { headers: { 'content-type': 'application/json' } })
