/** Text of a value as a run's input or output has it: a string as it is, anything else as compact JSON. */
export const asText = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value ?? null)

/** Parses text that may not be JSON; `undefined` then. */
export function tryParse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
