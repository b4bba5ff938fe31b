const whole = new Intl.NumberFormat('en')
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

/** `12,345`. */
export const count = (value: number): string => whole.format(value)

/** `1.2M`: for figures at a glance. */
export const short = (value: number): string => compact.format(value)

/** `1 request`, `12 requests`; a plural that is more than an s is said. */
export const counted = (value: number, one: string, more = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : more}`

/** The names between braces in a text: `'model' | 'key'` of `'Give {model} a {key}.'`. */
export type Places<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Places<Rest>
  : never

/** A text in pieces: its words as they are, and at each place what `at` has for it. */
export const pieces = <const Text extends string, Piece>(
  text: Text,
  at: Record<Places<Text>, Piece>,
): (string | Piece)[] =>
  text
    .split(/\{(\w+)\}/)
    // Every second part is the name of a place.
    .map((part, index) => (index % 2 === 0 ? part : at[part as Places<Text>]))
