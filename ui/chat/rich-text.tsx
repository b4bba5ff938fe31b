import { type ComponentType, lazy, Suspense, useDeferredValue } from 'react'

// The parser is large and nobody needs it before the first answer.
const Markdown = lazy(() =>
  import('./markdown').then(
    (it): { default: ComponentType<{ text: string }> } => ({ default: it.Markdown }),
    // Tycho was updated or stopped since this page was loaded: plain text reads well enough.
    () => ({ default: Plain }),
  ),
)

const Plain = ({ text }: { text: string }) => (
  <p className="text-base leading-relaxed whitespace-pre-wrap">{text}</p>
)

/** An answer's text: formatted once the parser is there, plain until then. */
export function RichText({ text }: { text: string }) {
  // A long answer may take longer to format than the next token takes to come.
  const shown = useDeferredValue(text)
  return (
    <Suspense fallback={<Plain text={text} />}>
      <Markdown text={shown} />
    </Suspense>
  )
}
