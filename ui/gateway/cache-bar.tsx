import { classes } from '../kit/classes'
import { texts as reports } from '../texts/gateway-reports'
import { share } from './format'
import type { Part } from './timeline'

const texts = reports.cacheBar

export const INPUT_FILLS = [
  { name: 'cacheRead', label: texts.legend.cacheRead, fill: 'bg-good-dot' },
  { name: 'cacheWrite', label: texts.legend.cacheWrite, fill: 'bg-warn-dot' },
  { name: 'input', label: texts.legend.input, fill: 'bg-faint' },
] as const

/** What came from a cache, what went into one, and what was paid in full, of all input tokens. */
export function CacheBar({ tokens, thin = false }: { tokens: Part; thin?: boolean }) {
  const all = tokens.input + tokens.cacheRead + tokens.cacheWrite
  if (all === 0) return null
  const label = texts.label(tokens, share(tokens.cacheRead / all))
  return (
    <div
      role="img"
      aria-label={label}
      title={label}
      className={classes('flex w-full overflow-hidden rounded-full bg-sunken', thin ? 'h-1' : 'h-2')}
    >
      {INPUT_FILLS.map(({ name, fill }) => (
        <span key={name} className={fill} style={{ width: `${(tokens[name] / all) * 100}%` }} />
      ))}
    </div>
  )
}
