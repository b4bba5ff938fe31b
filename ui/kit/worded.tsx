import { Fragment, type ReactNode } from 'react'

/** The names between braces in a text: `'model' | 'key'` of `'Give {model} a {key}.'`. */
type Places<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Places<Rest>
  : never

interface WordedProps<Text extends string> {
  /** `Set {variable} to change it.` */
  text: Text
  /** What stands at each place of the text. */
  with: Record<Places<Text>, ReactNode>
}

/** A text with elements in it, which a translation may put in another order. */
export function Worded<const Text extends string>({ text, with: elements }: WordedProps<Text>) {
  // Every second piece is the name of a place.
  return text.split(/\{(\w+)\}/).map((piece, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text never change places
    <Fragment key={index}>{index % 2 === 0 ? piece : elements[piece as Places<Text>]}</Fragment>
  ))
}
