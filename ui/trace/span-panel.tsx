import type { ReactNode } from 'react'
import { Badge, type Tone } from '../kit/badge'
import { CodeBlock } from '../kit/copying'
import { ErrorNotice } from '../kit/notices'
import { NodeIoView } from './node-io'
import type { SpanStatus } from './span'
import { otherAttributes, statsOf } from './stats'
import type { Row } from './tree'

const STATUS: Record<SpanStatus, { tone: Tone; label: string }> = {
  ok: { tone: 'good', label: 'Done' },
  err: { tone: 'bad', label: 'Failed' },
  running: { tone: 'accent', label: 'Running' },
  skipped: { tone: 'neutral', label: 'Skipped' },
}

export const SpanStatusBadge = ({ status }: { status: SpanStatus }) => (
  <Badge tone={STATUS[status].tone}>{STATUS[status].label}</Badge>
)

interface SpanDetailsProps {
  runId: string
  row: Row
  /** Below the figures: what one can do from here. */
  children?: ReactNode
}

/** All that is known of one span: its figures, then what its node took in and gave out. */
export function SpanDetails({ runId, row, children }: SpanDetailsProps) {
  const { span } = row
  const others = otherAttributes(row)
  return (
    <div className="flex min-w-0 flex-col gap-5">
      {span.error && <ErrorNotice error={span.error} />}
      {span.status === 'skipped' && (
        <p className="text-sm text-muted">This node was on a branch that the run did not take.</p>
      )}
      <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 text-xs">
        {statsOf(row).map(({ label, value }) => (
          <div key={label} className="contents">
            <dt className="text-muted">{label}</dt>
            <dd className="min-w-0 text-right font-mono text-text">{value}</dd>
          </div>
        ))}
      </dl>
      {children}
      {span.node_id !== null && (
        <>
          {span.phase !== null && (
            <p className="text-xs text-muted">
              A phase carries timing only. Below is what its node, <code>{span.node_id}</code>, took in and
              gave out.
            </p>
          )}
          <NodeIoView runId={runId} nodeId={span.node_id} goingOn={span.status === 'running'} />
        </>
      )}
      {others.length > 0 && (
        <section className="flex min-w-0 flex-col gap-2">
          <h3 className="text-xs font-medium text-muted">Further attributes</h3>
          <CodeBlock label="attributes" text={JSON.stringify(Object.fromEntries(others), null, 2)} />
        </section>
      )}
    </div>
  )
}
