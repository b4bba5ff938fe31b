import { useNavigate, useSearch } from '@tanstack/react-router'
import { lazy, Suspense, useMemo } from 'react'
import type { Agent, AgentVersion } from '../../src/control/agents/schema'
import type { AgentDocument } from '../../src/graph/ir'
import { classes } from '../kit/classes'
import { CodeBlock, CopyButton } from '../kit/copying'
import { ErrorNotice } from '../kit/notices'
import { Skeleton } from '../kit/placeholders'
import { RelativeTime } from '../kit/relative-time'
import { texts as agents } from '../texts/agents'
import { useVersion } from './data'

const texts = agents.versions

// The canvas is large.
const RunGraph = lazy(() => import('../runs/graph-view').then((it) => ({ default: it.RunGraph })))

type Version = Agent['versions'][number]

/** Every version, and the graph and the document of the one that is chosen. */
export function VersionsPane({ agent: { id, versions } }: { agent: Agent }) {
  const { version } = useSearch({ from: '/agents/$id' })
  const navigate = useNavigate()
  const chosen = versions.find((one) => one.version === version) ?? versions[0]!
  const choose = (next: Version) =>
    void navigate({
      to: '/agents/$id',
      params: { id },
      search: next === versions[0] ? {} : { version: next.version },
      replace: true,
      resetScroll: false,
    })
  return (
    <div className="grid min-w-0 items-start gap-5 md:grid-cols-[14rem_minmax(0,1fr)]">
      <nav aria-label={texts.label} className="min-w-0">
        <ol className="flex max-h-96 flex-col gap-0.5 overflow-y-auto p-0.5">
          {versions.map((one) => (
            <li key={one.version}>
              <button
                type="button"
                aria-current={one === chosen}
                onClick={() => choose(one)}
                className={classes(
                  'flex w-full min-w-0 items-center justify-between gap-2 rounded-md px-2.5 py-1.5 text-left text-sm transition-colors hover:bg-hover pointer-coarse:py-2.5',
                  one === chosen ? 'bg-sunken font-medium text-text' : 'text-muted',
                )}
              >
                <span className="truncate">{one.version}</span>
                <RelativeTime value={one.created_at} className="shrink-0 text-xs font-normal text-muted" />
              </button>
            </li>
          ))}
        </ol>
      </nav>
      <Document id={id} version={chosen} />
    </div>
  )
}

function Document({ id, version }: { id: string; version: Version }) {
  const { data, error, refetch } = useVersion(id, version)
  const text = useMemo(() => (data ? JSON.stringify(data.ir, null, 2) : ''), [data])
  if (error) {
    return <ErrorNotice title={texts.failed} error={error} onRetry={() => void refetch()} />
  }
  return (
    <section aria-label={texts.version(version.version)} className="flex min-w-0 flex-col gap-2">
      <div className="flex min-w-0 items-center gap-1 text-xs text-muted">
        <code className="truncate">{version.content_hash}</code>
        <CopyButton text={version.content_hash} label={texts.copyHash} />
      </div>
      {data ? (
        <>
          <Graph version={data} />
          <CodeBlock label={texts.document} text={text} />
        </>
      ) : (
        <div role="status">
          <span className="sr-only">{texts.loading}</span>
          <Skeleton className="h-80 w-full rounded-lg" />
        </div>
      )}
    </section>
  )
}

const NO_SPANS: readonly [] = []
const nothing = () => {}

/** To look at: nothing ran, and nothing can be chosen. */
function Graph({ version: { ir, view } }: { version: AgentVersion }) {
  // Published documents are whole: the server has filled in what was left out.
  const document = useMemo(() => ({ ...ir, view: view ?? undefined }) as AgentDocument, [ir, view])
  return (
    <section aria-label={texts.graph} className="min-w-0 overflow-hidden rounded-lg border">
      <Suspense fallback={<Skeleton className="h-64 w-full lg:h-72" />}>
        <RunGraph document={document} spans={NO_SPANS} selected={null} onSelect={nothing} />
      </Suspense>
    </section>
  )
}
