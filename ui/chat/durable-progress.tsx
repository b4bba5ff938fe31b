import { useRun } from '../runs/data'
import { isUnfinished } from '../runs/describe'
import { RunStatusBadge } from '../runs/status'
import { Step } from '../waiting/following'
import { GatePanel } from '../waiting/gate-panel'

/** How a durable run goes: where it is, and what it asks of a person; of one that has ended the answer says all. */
export function DurableProgress({ runId }: { runId: string }) {
  const { data: run } = useRun(runId)
  if (!run) return null
  return (
    <>
      {isUnfinished(run) && (
        <p role="status" className="flex min-w-0 flex-wrap items-center gap-2 text-sm text-muted">
          <RunStatusBadge run={run} />
          {run.status === 'streaming' && <Step runId={runId} />}
        </p>
      )}
      <GatePanel run={run} />
    </>
  )
}
