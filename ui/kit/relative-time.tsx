import { useEffect, useState } from 'react'
import { texts } from '../texts/kit'

const REFRESH_MS = 30_000
const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' })
const absolute = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' })
const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' })
const FAR_DAYS = 7

/** "5 min. ago", the full date in its title; older than a week is the date itself. */
export function RelativeTime({ value, className }: { value: string; className?: string }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), REFRESH_MS)
    return () => clearInterval(timer)
  }, [])
  const time = new Date(value)
  return (
    <time dateTime={value} title={absolute.format(time)} className={className ?? 'whitespace-nowrap'}>
      {describe(time, now)}
    </time>
  )
}

function describe(time: Date, now: number): string {
  const seconds = Math.round((time.getTime() - now) / 1000)
  if (Math.abs(seconds) >= FAR_DAYS * 86_400) return day.format(time)
  for (const [unit, size] of UNITS) {
    if (Math.abs(seconds) >= size) return relative.format(Math.trunc(seconds / size), unit)
  }
  return texts.justNow
}
