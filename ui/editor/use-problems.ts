import { useDeferredValue, useMemo } from 'react'
import type { AgentDocument } from '../../src/graph/ir'
import type { Problem } from '../../src/graph/problem'
import { validate } from '../../src/graph/validate'
import { texts as editor } from '../texts/editor'

const texts = editor.problems

/**
 * Everything the server would say of what is open, and the same by node. It may lag behind fast typing, and comes only
 * after a graph is on the screen: their `count` is null until then.
 */
export function useProblems(document: AgentDocument, broken: string | null) {
  const judged = useDeferredValue<AgentDocument | string | null>(broken ?? document, null)
  const problems = useMemo(() => (judged === null ? [] : problemsOf(judged)), [judged])
  const byNode = useMemo(
    () =>
      Map.groupBy(
        problems.filter(({ node_id }) => node_id !== undefined),
        ({ node_id }) => node_id!,
      ),
    [problems],
  )
  return { problems, byNode, count: judged === null ? null : problems.length }
}

function problemsOf(judged: AgentDocument | string): Problem[] {
  if (typeof judged !== 'string') return validate(judged)
  try {
    return validate(JSON.parse(judged))
  } catch (error) {
    const message = texts.notJson((error as Error).message)
    return [{ code: 'invalid_shape', message, hint: texts.notJsonHint, path: '' }]
  }
}
