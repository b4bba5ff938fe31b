import { Link } from '@tanstack/react-router'
import { Badge, type Tone } from '../kit/badge'
import { ErrorNotice, Notice } from '../kit/notices'
import type { CatalogEntry, ReportEntry } from './data'

const STATUS: Record<ReportEntry['status'], { label: string; tone: Tone }> = {
  installed: { label: 'installed', tone: 'good' },
  already_installed: { label: 'was there already', tone: 'neutral' },
  error: { label: 'not installed', tone: 'bad' },
}

/** What became of each sample: its agent, what came with it, and what to know or to mend. */
export const Report = ({ entries, samples }: { entries: ReportEntry[]; samples: CatalogEntry[] }) => (
  <ul aria-label="Report" className="flex flex-col divide-y divide-line">
    {entries.map((entry) => (
      <li key={entry.id} className="flex flex-col gap-2 py-3 first:pt-0">
        <div className="flex flex-wrap items-center gap-2 text-sm">
          <span className="font-medium">{samples.find(({ id }) => id === entry.id)?.title ?? entry.id}</span>
          <Badge tone={STATUS[entry.status].tone}>{STATUS[entry.status].label}</Badge>
          {entry.status !== 'error' && (
            <Link to="/agents/$id" params={{ id: entry.agent_id }} className="ml-auto text-accent underline">
              Open agent
            </Link>
          )}
        </div>
        <Brought entry={entry} />
        {entry.warnings.map((warning) => (
          <Notice key={warning} tone="warn">
            {warning}
          </Notice>
        ))}
        {entry.error && <ErrorNotice error={entry.error} />}
      </li>
    ))}
  </ul>
)

function Brought({ entry: { connections, rag_sources } }: { entry: ReportEntry }) {
  const made = [
    ...connections.map(({ key, created }) => ({ what: `connection ${key}`, created })),
    ...rag_sources.map(({ key, created }) => ({ what: `document source ${key}`, created })),
  ]
  if (made.length === 0) return null
  return (
    <p className="text-xs text-muted">
      {made.map(({ what, created }) => `${what} ${created ? 'made' : 'found'}`).join(', ')}
    </p>
  )
}
