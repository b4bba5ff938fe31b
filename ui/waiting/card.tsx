import { Link } from '@tanstack/react-router'
import { Button } from '../kit/button'
import { Card } from '../kit/card'
import { RelativeTime } from '../kit/relative-time'
import { rowLink } from '../kit/table'
import { Worded } from '../kit/worded'
import type { Run } from '../runs/data'
import { texts as waiting } from '../texts/waiting'
import { placeOf, useAwaiting, useWaitingCount, useWaitingRuns } from './data'
import { Deadline } from './deadline'

const texts = waiting.card

const SHOWN = 4

/** On the dashboard: who waits. Nothing while nobody does. */
export function WaitingCard() {
  const { runs } = useWaitingRuns()
  const count = useWaitingCount()
  if (!runs || count === null) return null
  return (
    <Card
      flush
      title={texts.title(count)}
      actions={
        <Button asChild size="sm" variant="ghost" className="-mr-2.5">
          <Link to="/inbox">{texts.showAll}</Link>
        </Button>
      }
    >
      <ul className="divide-y divide-line border-t">
        {runs.slice(0, SHOWN).map((run) => (
          <Waiting key={run.id} run={run} />
        ))}
      </ul>
    </Card>
  )
}

function Waiting({ run }: { run: Run }) {
  const { data: gate } = useAwaiting(run.id, placeOf(run))
  return (
    <li className="relative flex h-10 min-w-0 items-center gap-3 px-4 text-sm transition-colors duration-75 hover:bg-sunken/60">
      <Link to="/inbox" search={{ run: run.id }} className={`${rowLink} min-w-0 truncate`}>
        {gate?.prompt || run.graph_id || texts.question}
      </Link>
      <span className="ml-auto shrink-0 text-xs whitespace-nowrap text-faint">
        {gate?.deadline ? (
          <Worded text={texts.due} with={{ deadline: <Deadline value={gate.deadline} /> }} />
        ) : (
          <RelativeTime value={run.updated_at} />
        )}
      </span>
    </li>
  )
}
