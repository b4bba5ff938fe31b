import { Link } from '@tanstack/react-router'
import { CircleAlert, TriangleAlert } from 'lucide-react'
import type { Gateway } from '../../src/control/gateways/schema'
import { Badge, StatusDot } from '../kit/badge'
import { Button } from '../kit/button'
import { Card } from '../kit/card'
import { ErrorNotice } from '../kit/notices'
import { SkeletonRows } from '../kit/placeholders'
import { RelativeTime } from '../kit/relative-time'
import { useNow } from '../kit/use-now'
import { Worded } from '../kit/worded'
import { texts } from '../texts/gateway'
import { useGateways } from './data'
import { type Concern, concernsOf, isRecording } from './health'

const REFRESH_MS = 15_000

/** Each gateway: when it was heard of, what waits in its queue, and what is amiss. */
export function GatewayHealth() {
  const { data, error, refetch, isPending } = useGateways()
  const now = useNow(true, REFRESH_MS)
  return (
    <Card
      flush
      title={texts.gateways.title}
      actions={
        <Button asChild size="sm" variant="ghost" className="-mr-2.5">
          <Link to="/gateway" search={{ tab: 'settings' }}>
            {texts.tabs.settings}
          </Link>
        </Button>
      }
    >
      {isPending && <SkeletonRows rows={2} />}
      {error && !data && (
        <ErrorNotice
          error={error}
          title={texts.gateways.failed}
          onRetry={() => void refetch()}
          className="mx-4 mb-4"
        />
      )}
      {data?.length === 0 && <p className="px-4 pb-4 text-sm text-muted">{texts.health.empty}</p>}
      {data && data.length > 0 && (
        <ul className="divide-y divide-line border-t">
          {data.map((gateway) => (
            <State key={gateway.id} gateway={gateway} now={now} />
          ))}
        </ul>
      )}
    </Card>
  )
}

function State({ gateway, now }: { gateway: Gateway; now: number }) {
  const { heartbeat, online, last_heartbeat_at } = gateway
  const concerns = concernsOf(gateway, now)
  return (
    <li className="flex flex-col gap-2 px-4 py-3 text-sm">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <StatusDot
          tone={online ? 'good' : 'bad'}
          label={online ? texts.health.online : texts.health.silent}
        />
        <span className="font-medium">{gateway.name}</span>
        {heartbeat && <Badge>{heartbeat.mode}</Badge>}
        <Badge tone={isRecording(gateway) ? 'accent' : 'neutral'}>
          {isRecording(gateway) ? texts.health.records(gateway.record_level) : texts.health.notRecording}
        </Badge>
        <span className="text-xs text-muted sm:ml-auto">
          {last_heartbeat_at ? (
            <>
              <Worded text={texts.heardOf} with={{ time: <RelativeTime value={last_heartbeat_at} /> }} />
              {heartbeat && ` · ${texts.health.queued(heartbeat.queue.records)}`}
            </>
          ) : (
            texts.neverHeardOf
          )}
        </span>
      </div>
      {concerns.length > 0 && (
        <ul className="flex flex-col gap-1 pl-5">
          {concerns.map((concern) => (
            <ConcernLine key={concern.text} concern={concern} />
          ))}
        </ul>
      )}
    </li>
  )
}

const ConcernLine = ({ concern: { tone, text } }: { concern: Concern }) => (
  <li className="flex gap-2 text-xs">
    {tone === 'bad' ? (
      <CircleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0 text-bad" />
    ) : (
      <TriangleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0 text-warn" />
    )}
    <span className="min-w-0 text-muted">{text}</span>
  </li>
)
