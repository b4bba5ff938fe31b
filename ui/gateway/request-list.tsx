import { Badge } from '../kit/badge'
import { Button } from '../kit/button'
import { texts } from '../texts/gateway-reports'
import { count } from '../texts/words'
import { bytes } from '../trace/format'
import { CacheBar } from './cache-bar'
import { milliseconds, money, share } from './format'
import { isFailure, type Request } from './timeline'

interface RequestListProps {
  requests: readonly Request[]
  onShow: (id: string) => void
}

/** The requests of a turn, each with its tools. */
export const RequestList = ({ requests, onShow }: RequestListProps) => (
  <ol className="flex flex-col gap-3 border-t border-dashed bg-canvas px-4 py-3 sm:pl-10">
    {requests.map((request) => (
      <li key={request.id} className="flex min-w-0 flex-col gap-2 text-sm">
        <RequestFacts request={request} onShow={() => onShow(request.id)} />
        {request.tools.length > 0 && <Tools tools={request.tools} />}
      </li>
    ))}
  </ol>
)

function RequestFacts({ request, onShow }: { request: Request; onShow: () => void }) {
  const tokens = {
    input: request.input,
    cacheRead: request.cache_read,
    cacheWrite: request.cache_write_5m + request.cache_write_1h,
  }
  const all = tokens.input + tokens.cacheRead + tokens.cacheWrite
  return (
    <div className="grid items-center gap-x-4 gap-y-1.5 lg:grid-cols-[minmax(0,1fr)_12rem_auto]">
      <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
        <Badge tone={isFailure(request) ? 'bad' : 'neutral'}>{outcome(request)}</Badge>
        {request.attempt > 1 && <Badge tone="warn">{texts.requests.attempt(request.attempt)}</Badge>}
        <span className="font-medium">{request.model || texts.values.noModel}</span>
        {request.kind !== 'generate' && <span className="text-xs text-muted">{request.kind}</span>}
        <span className="text-xs text-muted">
          {milliseconds(request.total_ms)}
          {request.ttft_ms !== null && `, ${texts.requests.firstToken(milliseconds(request.ttft_ms))}`}
          {request.stop_reason && `, ${request.stop_reason}`}
        </span>
      </div>
      <div className="flex min-w-0 flex-col gap-1">
        <CacheBar tokens={tokens} />
        {all + request.output > 0 && (
          <span className="text-xs text-muted">
            {texts.requests.tokens({
              input: count(all),
              cached: share(all > 0 ? tokens.cacheRead / all : null),
              output: `${request.estimated ? '≈' : ''}${count(request.output)}`,
            })}
          </span>
        )}
      </div>
      <div className="flex items-center gap-3 lg:justify-end">
        <span className="text-xs text-muted">{costOf(request, all)}</span>
        <Button size="sm" onClick={onShow}>
          {texts.requests.record}
        </Button>
      </div>
    </div>
  )
}

function outcome({ status, ended, error_type }: Request): string {
  const why = error_type ? ` ${error_type}` : ''
  if (ended === 'client_abort') return texts.requests.aborted
  if (status === 0) return `${texts.values.noAnswer}${why}`
  if (ended === 'stream_error' || ended === 'upstream_error')
    return `${texts.requests.brokeOff(status)}${why}`
  return `${status}${why}`
}

const costOf = ({ cost, output }: Request, input: number): string =>
  cost === null ? (input + output > 0 ? texts.values.unpriced : texts.values.noCost) : money(cost)

const Tools = ({ tools }: { tools: Request['tools'] }) => (
  <ul aria-label={texts.requests.tools} className="flex flex-wrap gap-2 pl-4">
    {tools.map((tool) => (
      <li
        key={tool.id}
        className="inline-flex items-center gap-2 rounded-md border bg-surface px-2 py-1 text-xs text-muted"
      >
        <span className="font-medium text-text">{tool.name}</span>
        {tool.result_bytes === null
          ? texts.requests.toolWithoutResult(bytes(tool.bytes))
          : texts.requests.toolSizes(bytes(tool.bytes), bytes(tool.result_bytes))}
        {tool.is_error && <Badge tone="bad">{texts.requests.toolError}</Badge>}
      </li>
    ))}
  </ul>
)
