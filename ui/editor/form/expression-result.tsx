import { useEffect, useState } from 'react'
import { preview } from '../../canvas/references'
import { Worded } from '../../kit/worded'
import { texts } from '../../texts/editor-panels'
import { useNode } from './node-context'

const EXPRESSIONS: Record<string, string> = { transform: 'expr', router: 'select' }
const CHARACTERS = 400
/** Typing goes on; only what stands for a moment is worked out. */
const PAUSE_MS = 300

/** What a transform or a router makes of the last run’s values, worked out by the code that runs it. */
export function ExpressionResult() {
  const { node, reading } = useNode()
  const field = EXPRESSIONS[node.type]
  const text = field ? node.config[field] : undefined
  const isKnown = reading.inputs.ports.every((port) => reading.known.has(port))
  const [shown, setShown] = useState<{ value: string; failed: boolean } | null>(null)
  useEffect(() => {
    if (typeof text !== 'string' || text === '' || !isKnown) return setShown(null)
    let current = true
    const timer = setTimeout(async () => {
      // The expression language comes with the first expression one looks at.
      const { transform, select } = await import('../../../src/graph/expression')
      try {
        const value = await (node.type === 'router' ? select : transform)(text, reading.inputs)
        if (current) setShown({ value: preview(value, CHARACTERS), failed: false })
      } catch (error) {
        if (current) setShown({ value: (error as Error).message, failed: true })
      }
    }, PAUSE_MS)
    return () => {
      current = false
      clearTimeout(timer)
    }
  }, [text, isKnown, reading, node.type])
  if (!shown) return null
  return (
    <p className={shown.failed ? 'text-xs break-words text-bad' : 'text-xs break-words text-muted'}>
      <Worded
        text={texts.form.lastRun}
        with={{ value: <code className={shown.failed ? '' : 'text-text'}>{shown.value}</code> }}
      />
    </p>
  )
}
