import { Link } from '@tanstack/react-router'
import { Badge, type Tone } from '../kit/badge'
import { ErrorNotice, Notice } from '../kit/notices'
import { texts } from '../texts/samples'
import type { CatalogEntry, ReportEntry } from './data'

const TONES: Record<ReportEntry['status'], Tone> = {
  installed: 'good',
  already_installed: 'neutral',
  error: 'bad',
}

/** What became of each sample: its agent, what came with it, and what to know or to mend. */
export const Report = ({ entries, samples }: { entries: ReportEntry[]; samples: CatalogEntry[] }) => (
  <ul aria-label={texts.report.label} className="flex flex-col divide-y divide-line">
    {entries.map((entry) => (
      <li key={entry.id} className="flex flex-col gap-2 py-3 first:pt-0">
        <div className="flex flex-wrap items-center gap-2 text-sm">
          <span className="font-medium">{samples.find(({ id }) => id === entry.id)?.title ?? entry.id}</span>
          <Badge tone={TONES[entry.status]}>{texts.report.status[entry.status]}</Badge>
          {entry.status !== 'error' && (
            <Link to="/agents/$id" params={{ id: entry.agent_id }} className="ml-auto text-accent underline">
              {texts.openAgent}
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
  const brought = [
    ...connections.map(({ key, created }) => wordsFor(created).connection(key)),
    ...rag_sources.map(({ key, created }) => wordsFor(created).source(key)),
  ]
  if (brought.length === 0) return null
  return <p className="text-xs text-muted">{brought.join(', ')}</p>
}

const wordsFor = (created: boolean) => (created ? texts.report.made : texts.report.found)
