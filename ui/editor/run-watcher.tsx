import { useEffect } from 'react'
import { type RunFacts, useRunFacts } from './use-test-run'

/** Follows one run, and tells what it makes of the nodes. */
export function RunWatcher({ runId, onFacts }: { runId: string; onFacts: (facts: RunFacts) => void }) {
  const facts = useRunFacts(runId)
  useEffect(() => onFacts(facts), [facts, onFacts])
  return null
}
