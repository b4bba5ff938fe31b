import { Fragment, type ReactNode } from 'react'
import { type Places, pieces } from '../texts/words'

interface WordedProps<Text extends string> {
  /** `Set {variable} to change it.` */
  text: Text
  /** What stands at each place of the text. */
  with: Record<Places<Text>, ReactNode>
}

/** A text with elements in it, which a translation may put in another order. */
export const Worded = <const Text extends string>({ text, with: elements }: WordedProps<Text>) =>
  pieces(text, elements).map((piece, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text never change places
    <Fragment key={index}>{piece}</Fragment>
  ))
