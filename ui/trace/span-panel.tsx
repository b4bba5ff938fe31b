import type { ReactNode } from 'react'
import { Badge, type Tone } from '../kit/badge'
import { CodeBlock } from '../kit/copying'
import { ErrorNotice } from '../kit/notices'
import { Worded } from '../kit/worded'
import { texts as trace } from '../texts/trace'
import { NodeIoView } from './node-io'
import type { SpanStatus } from './span'
import { otherAttributes, statsOf } from './stats'
import type { Row } from './tree'

const texts = trace.span

const TONES: Record<SpanStatus, Tone> = { ok: 'good', err: 'bad', running: 'accent', skipped: 'neutral' }

export const SpanStatusBadge = ({ status }: { status: SpanStatus }) => (
  <Badge tone={TONES[status]}>{texts.status[status]}</Badge>
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
      {span.status === 'skipped' && <p className="text-sm text-muted">{texts.skippedHint}</p>}
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
              <Worded text={texts.phaseHint} with={{ node: <code>{span.node_id}</code> }} />
            </p>
          )}
          <NodeIoView runId={runId} nodeId={span.node_id} goingOn={span.status === 'running'} />
        </>
      )}
      {others.length > 0 && (
        <section className="flex min-w-0 flex-col gap-2">
          <h3 className="text-xs font-medium text-muted">{texts.others}</h3>
          <CodeBlock label={texts.attributes} text={JSON.stringify(Object.fromEntries(others), null, 2)} />
        </section>
      )}
    </div>
  )
}
