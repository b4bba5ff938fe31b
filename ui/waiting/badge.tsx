import { texts } from '../texts/waiting'
import { useWaitingCount } from './data'

/** How many runs wait for a person; nothing while none does. */
export function WaitingBadge({ className }: { className?: string }) {
  const count = useWaitingCount()
  if (count === null) return null
  return (
    <span className={className}>
      {count}
      <span className="sr-only"> {texts.badge}</span>
    </span>
  )
}
