import { Cell, HeadCell, Row, Table, TableBody, TableHead } from '../kit/table'
import { useNow } from '../kit/use-now'
import { texts } from '../texts/triggers'
import { nextInstants } from './instants'

const SHOWN = 5
const REFRESH_MS = 10_000

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone

/** The year goes without saying until the next one begins. */
function format(instant: Date, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: instant.getFullYear() === new Date().getFullYear() ? undefined : 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    timeZone,
  }).format(instant)
}

/** When a schedule fires next, in its own time and in that of the person. Draws nothing for one that is not in order. */
export function NextFires({ cron }: { cron: string }) {
  const now = useNow(true, REFRESH_MS)
  const { instants } = tryNextInstants(cron, now)
  if (instants.length === 0) return null
  return (
    <div className="overflow-hidden rounded-lg border">
      <Table label={texts.nextFires.title}>
        <TableHead>
          <HeadCell>{texts.nextFires.utc}</HeadCell>
          <HeadCell>{texts.nextFires.here(ZONE)}</HeadCell>
        </TableHead>
        <TableBody>
          {instants.map((instant) => (
            <Row key={instant.getTime()}>
              <Cell className="text-xs whitespace-nowrap tabular-nums">
                <time dateTime={instant.toISOString()}>{format(instant, 'UTC')}</time>
              </Cell>
              <Cell className="text-xs whitespace-nowrap text-muted tabular-nums">
                {format(instant, ZONE)}
              </Cell>
            </Row>
          ))}
        </TableBody>
      </Table>
    </div>
  )
}

/** The same without throwing: what is wrong is told beside. */
export function tryNextInstants(cron: string, now: number): { instants: Date[]; mistake: string | null } {
  try {
    return { instants: nextInstants(cron, SHOWN, new Date(now)), mistake: null }
  } catch (error) {
    return { instants: [], mistake: (error as Error).message }
  }
}
