import { ChevronRight } from 'lucide-react'
import { useState } from 'react'
import { Badge } from '../kit/badge'
import { Button } from '../kit/button'
import { Card } from '../kit/card'
import { classes } from '../kit/classes'
import { texts } from '../texts/gateway-reports'
import { short } from '../texts/words'
import { CacheBar, INPUT_FILLS } from './cache-bar'
import { duration, money } from './format'
import { RecordDialog } from './record-dialog'
import { RequestList } from './request-list'
import type { AgentRows, Layout, TurnRow } from './timeline'

/** So many turns are read at a glance: they are open from the beginning. */
const OPEN_TURNS = 6
/** Deeper ones are not moved further in, or nothing would be left of them on a phone. */
const DEEPEST = 4
const INDENT_PX = 16
const EDGE_PX = 16

const FILLS = {
  request: 'bg-accent',
  retry: 'bg-warn-dot',
  failed: 'bg-bad-dot',
  tool: 'bg-good-dot',
}

const TIME_FILLS = [
  { label: texts.timeline.legend.request, fill: FILLS.request },
  { label: texts.timeline.legend.retried, fill: FILLS.retry },
  { label: texts.timeline.legend.failed, fill: FILLS.failed },
  { label: texts.timeline.legend.tools, fill: FILLS.tool },
]

/** Turns, their requests and tools, over one time axis; sub-agents below the agent they work for. */
export function TimelineView({ sessionId, layout }: { sessionId: string; layout: Layout }) {
  const turns = layout.agents.reduce((sum, agent) => sum + agent.turns.length, 0)
  const [flipped, setFlipped] = useState<ReadonlySet<string>>(new Set())
  const [shown, setShown] = useState<string | null>(null)
  const openAtFirst = turns <= OPEN_TURNS
  const toggle = (key: string) =>
    setFlipped((now) =>
      now.has(key) ? new Set([...now].filter((one) => one !== key)) : new Set([...now, key]),
    )
  return (
    <Card flush title={texts.timeline.title} description={summaryOf(layout)}>
      <div className="flex flex-wrap gap-x-8 gap-y-1 px-4 pb-3">
        <Legend label={texts.timeline.legend.time} fills={TIME_FILLS} />
        <Legend label={texts.timeline.legend.input} fills={INPUT_FILLS} />
      </div>
      <ul className="border-t">
        {layout.agents.map((rows) => (
          <AgentPart
            key={rows.agent.agent_id ?? 'main'}
            rows={rows}
            pauses={layout.pauses}
            isOpen={(key) => openAtFirst !== flipped.has(key)}
            onToggle={toggle}
            onShow={setShown}
          />
        ))}
      </ul>
      {shown && <RecordDialog sessionId={sessionId} requestId={shown} onClose={() => setShown(null)} />}
    </Card>
  )
}

const summaryOf = ({ busyMs, pauses }: Layout): string =>
  pauses.length > 0
    ? texts.timeline.summaryWithPauses(duration(busyMs), pauses.length)
    : texts.timeline.summary(duration(busyMs))

const Legend = ({ label, fills }: { label: string; fills: readonly { label: string; fill: string }[] }) => (
  <dl className="flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
    <dt className="font-medium">{label}</dt>
    {fills.map(({ label: name, fill }) => (
      <dd key={name} className="flex items-center gap-1.5">
        <span aria-hidden className={classes('size-2 rounded-sm', fill)} />
        {name}
      </dd>
    ))}
  </dl>
)

interface AgentPartProps {
  rows: AgentRows
  pauses: Layout['pauses']
  isOpen: (key: string) => boolean
  onToggle: (key: string) => void
  onShow: (requestId: string) => void
}

const AgentPart = ({ rows: { agent, name, turns }, pauses, isOpen, onToggle, onShow }: AgentPartProps) => (
  <li className="border-b last:border-b-0">
    <h3
      className="flex items-center gap-2 px-4 pt-3 pb-1 text-xs font-medium text-muted"
      style={indentOf(agent)}
    >
      {name}
      {agent.agent_id !== null && <Badge>{texts.timeline.depth(agent.depth)}</Badge>}
    </h3>
    <ol className="divide-y divide-line">
      {turns.map((row) => (
        <TurnPart
          key={row.key}
          agent={agent}
          row={row}
          pauses={pauses}
          open={isOpen(row.key)}
          onToggle={() => onToggle(row.key)}
          onShow={onShow}
        />
      ))}
    </ol>
  </li>
)

/** Only the words move in: all bars are on one axis. */
const indentOf = ({ depth }: AgentRows['agent']) => ({
  paddingLeft: EDGE_PX + Math.min(depth, DEEPEST) * INDENT_PX,
})

interface TurnPartProps {
  agent: AgentRows['agent']
  row: TurnRow
  pauses: Layout['pauses']
  open: boolean
  onToggle: () => void
  onShow: (requestId: string) => void
}

function TurnPart({ agent, row, pauses, open, onToggle, onShow }: TurnPartProps) {
  const { turn, number, tools, retries, failed, ms, toolMs } = row
  return (
    <li className="[contain-intrinsic-size:auto_3rem] [content-visibility:auto]">
      <div className="relative grid items-center gap-x-4 gap-y-2 py-2.5 transition-colors hover:bg-sunken/60 lg:grid-cols-[minmax(0,24rem)_minmax(0,1fr)]">
        <div
          className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1 pr-4 text-sm lg:pr-0"
          style={indentOf(agent)}
        >
          <Button
            variant="ghost"
            size="sm"
            aria-expanded={open}
            className="-ml-2 after:absolute after:inset-0"
            icon={
              <ChevronRight
                aria-hidden
                className={classes('size-3.5 transition-transform', open && 'rotate-90')}
              />
            }
            onClick={onToggle}
          >
            {texts.timeline.turn(number)}
          </Button>
          <span className="text-xs text-muted">{duration(ms)}</span>
          {retries > 0 && <Badge tone="warn">{texts.timeline.retries(retries)}</Badge>}
          {failed && <Badge tone="bad">{texts.timeline.failed}</Badge>}
          {tools.length > 0 && (
            <Badge tone={tools.some(({ is_error }) => is_error) ? 'bad' : 'good'}>
              {tools.length === 1 ? tools[0]!.name : texts.timeline.tools(tools.length)}
              {toolMs !== null && `, ${duration(toolMs)}`}
            </Badge>
          )}
          <span className="ml-auto text-xs text-muted">
            {texts.timeline.output(short(row.tokens.output))} · {turnCost(row)}
          </span>
        </div>
        <div className="flex min-w-0 flex-col gap-1 px-4 lg:pl-0">
          <Track row={row} pauses={pauses} label={describe(row)} />
          <CacheBar tokens={row.tokens} thin />
        </div>
      </div>
      {open && <RequestList requests={turn.requests} onShow={onShow} />}
    </li>
  )
}

function turnCost({ cost, unpriced }: TurnRow): string {
  if (cost === null) return unpriced > 0 ? texts.values.unpriced : texts.values.noCost
  return unpriced > 0 ? texts.values.withUnpriced(money(cost)) : money(cost)
}

const describe = ({ number, turn, retries, ms, toolMs }: TurnRow): string =>
  texts.timeline.turnBars({
    number,
    requests: turn.requests.length,
    retries,
    time: duration(ms),
    toolTime: toolMs === null ? null : duration(toolMs),
  })

const Track = ({ row, pauses, label }: { row: TurnRow; pauses: Layout['pauses']; label: string }) => (
  <div role="img" aria-label={label} className="relative h-3.5 overflow-hidden rounded-sm bg-sunken">
    {pauses.map(({ at, ms }) => (
      <span
        key={at}
        title={texts.timeline.pause(duration(ms))}
        className="absolute inset-y-0 border-l border-dashed border-line-strong"
        style={{ left: `${at * 100}%` }}
      />
    ))}
    {row.bars.map(({ kind, from, to }, at) => (
      <span
        // biome-ignore lint/suspicious/noArrayIndexKey: bars have no identity, and never move
        key={at}
        className={classes(
          'absolute inset-y-0 min-w-0.5 rounded-sm',
          FILLS[kind === 'request' && row.failed ? 'failed' : kind],
        )}
        style={{ left: `min(${from * 100}%, 100% - 2px)`, width: `${(to - from) * 100}%` }}
      />
    ))}
  </div>
)
