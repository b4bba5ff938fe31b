import { CircleCheck, CircleX } from 'lucide-react'
import { Badge } from '../kit/badge'
import { ErrorNotice, Notice } from '../kit/notices'
import { Skeleton } from '../kit/placeholders'
import { texts as trace } from '../texts/trace'
import { useNodeIo } from './data'
import { gateOf } from './payload'
import { ValueView } from './value-view'

const texts = trace.io

interface NodeIoViewProps {
  runId: string
  nodeId: string
  goingOn: boolean
}

/** What went into a node and came out of it, or why that is not known. */
export function NodeIoView({ runId, nodeId, goingOn }: NodeIoViewProps) {
  const { data, error, refetch } = useNodeIo(runId, nodeId, goingOn)
  if (error) return <ErrorNotice title={texts.failed} error={error} onRetry={() => void refetch()} />
  if (!data) {
    return (
      <div role="status" className="flex flex-col gap-2">
        <span className="sr-only">{texts.loading}</span>
        <Skeleton className="h-20 w-full rounded-lg" />
        <Skeleton className="h-20 w-full rounded-lg" />
      </div>
    )
  }
  const gate = gateOf(data)
  if (gate) {
    return goingOn ? <p className="text-sm text-muted">{texts.pending}</p> : <Notice>{gate}</Notice>
  }
  const { reasoning, tool_calls, ...outputs } = data.outputs ?? {}
  return (
    <div className="flex flex-col gap-4">
      <Ports title={texts.input} values={data.inputs ?? {}} />
      {reasoning !== undefined && <Ports title={texts.thinking} values={{ reasoning }} />}
      {Array.isArray(tool_calls) && tool_calls.length > 0 && <ToolCalls calls={tool_calls as ToolCall[]} />}
      <Ports title={texts.output} values={outputs} />
    </div>
  )
}

const Ports = ({ title, values }: { title: string; values: Record<string, unknown> }) =>
  Object.keys(values).length === 0 ? null : (
    <section className="flex min-w-0 flex-col gap-2">
      <h3 className="text-xs font-medium text-muted">{title}</h3>
      {Object.entries(values).map(([port, value]) => (
        <ValueView key={port} label={port} value={value} />
      ))}
    </section>
  )

interface ToolCall {
  name: string
  arguments: unknown
  ok: boolean
  result: unknown
}

const ToolCalls = ({ calls }: { calls: ToolCall[] }) => (
  <section className="flex min-w-0 flex-col gap-2">
    <h3 className="text-xs font-medium text-muted">{texts.toolCalls}</h3>
    {calls.map((call, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a recorded list never changes its order
      <div key={index} className="flex flex-col gap-2 rounded-lg border p-2">
        <div className="flex items-center justify-between gap-2">
          <span className="truncate font-mono text-xs">{call.name}</span>
          <Badge
            tone={call.ok ? 'good' : 'bad'}
            icon={call.ok ? <CircleCheck aria-hidden /> : <CircleX aria-hidden />}
          >
            {call.ok ? texts.toolOk : texts.toolFailed}
          </Badge>
        </div>
        <ValueView label={texts.arguments} value={call.arguments} />
        <ValueView label={texts.result} value={call.result} />
      </div>
    ))}
  </section>
)
