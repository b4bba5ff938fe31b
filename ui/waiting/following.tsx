import { ErrorNotice } from '../kit/notices'
import type { Run } from '../runs/data'
import { explain } from '../runs/describe'
import { RunStatusBadge } from '../runs/status'
import { texts as waiting } from '../texts/waiting'
import { useTrace } from '../trace/data'
import { titleOf } from '../trace/row'
import { ValueView } from '../trace/value-view'

const texts = waiting.progress

/** How a run goes on after it was answered: what it does, then what came of it. */
export function Following({ run }: { run: Run }) {
  const explanation = explain(run)
  return (
    <div role="status" className="flex min-w-0 flex-col gap-2">
      <p className="flex min-w-0 flex-wrap items-center gap-2 text-sm text-muted">
        <RunStatusBadge run={run} />
        {run.status === 'streaming' && <Step runId={run.id} />}
      </p>
      {run.output && <ValueView label={texts.output} value={run.output} formatted />}
      {explanation?.kind === 'error' && (
        <ErrorNotice title={explanation.title} error={explanation.message} help={explanation.help} />
      )}
      {explanation?.kind === 'note' && <p className="text-sm text-muted">{explanation.message}</p>}
    </div>
  )
}

/** What a run does just now, by the spans that are open. */
export function Step({ runId }: { runId: string }) {
  const { spans } = useTrace(runId)
  const open = spans.findLast(
    ({ status, node_id, phase }) => status === 'running' && node_id !== null && phase === null,
  )
  return open ? <span className="truncate">{texts.at(titleOf(open))}</span> : null
}
