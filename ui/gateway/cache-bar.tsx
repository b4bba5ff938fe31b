import { classes } from '../kit/classes'
import { count, share } from './format'
import type { Part } from './timeline'

const PARTS = [
  { name: 'cacheRead', label: 'read from a cache', fill: 'bg-good-dot' },
  { name: 'cacheWrite', label: 'written to a cache', fill: 'bg-warn-dot' },
  { name: 'input', label: 'in full', fill: 'bg-faint' },
] as const

export const INPUT_FILLS = [
  { label: 'from a cache', fill: PARTS[0].fill },
  { label: 'into a cache', fill: PARTS[1].fill },
  { label: 'in full', fill: PARTS[2].fill },
]

/** What came from a cache, what went into one, and what was paid in full, of all input tokens. */
export function CacheBar({ tokens, thin = false }: { tokens: Part; thin?: boolean }) {
  const all = tokens.input + tokens.cacheRead + tokens.cacheWrite
  if (all === 0) return null
  const words = PARTS.map(({ name, label }) => `${count(tokens[name])} ${label}`).join(', ')
  const label = `Input tokens: ${words}. ${share(tokens.cacheRead / all)} cached.`
  return (
    <div
      role="img"
      aria-label={label}
      title={label}
      className={classes('flex w-full overflow-hidden rounded-full bg-sunken', thin ? 'h-1' : 'h-2')}
    >
      {PARTS.map(({ name, fill }) => (
        <span key={name} className={fill} style={{ width: `${(tokens[name] / all) * 100}%` }} />
      ))}
    </div>
  )
}
