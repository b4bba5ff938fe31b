import { useNow } from '../kit/use-now'
import { remaining } from './remaining'

const absolute = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' })
const REFRESH_MS = 10_000

/** Until when an answer counts: "in 3 hours", and the date itself on hover. */
export function Deadline({ value }: { value: string }) {
  const now = useNow(true, REFRESH_MS)
  const time = Date.parse(value)
  return (
    <time dateTime={value} title={absolute.format(time)}>
      {remaining(time, now)}
    </time>
  )
}
