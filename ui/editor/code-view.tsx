import { lazy, Suspense, useState } from 'react'
import type { AgentDocument } from '../../src/graph/ir'
import type { Problem } from '../../src/graph/problem'
import { Skeleton } from '../kit/placeholders'
import { texts } from '../texts/editor'

const JsonMirror = lazy(() => import('./code/json-mirror').then((it) => ({ default: it.JsonMirror })))

interface CodeViewProps {
  document: AgentDocument
  broken: string | null
  problems: readonly Problem[]
  onWrite: (text: string) => void
  goTo: string | null
  readOnly: boolean
}

/** The whole document as JSON. It is the document as soon as it can be read as one, and is never lost before. */
export function CodeView({ document, broken, problems, onWrite, goTo, readOnly }: CodeViewProps) {
  const [typed, setTyped] = useState<{ text: string; means: unknown } | null>(null)
  const written = JSON.stringify(document, null, 2)
  // What the person typed stays as typed, spaces and all, as long as it still is what the document says.
  const text =
    broken ?? (typed && JSON.stringify(typed.means) === JSON.stringify(document) ? typed.text : written)
  return (
    <Suspense fallback={<Skeleton className="h-full w-full" />}>
      <JsonMirror
        value={text}
        onChange={(next) => {
          setTyped({ text: next, means: meaningOf(next) })
          onWrite(next)
        }}
        problems={problems}
        label={texts.code.label}
        goTo={goTo}
        readOnly={readOnly}
        className="h-full overflow-auto bg-surface"
      />
    </Suspense>
  )
}

function meaningOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON yet: then it is kept as broken text.
    return null
  }
}
