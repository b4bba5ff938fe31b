import { Link } from '@tanstack/react-router'
import { ChevronRight } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { classes } from '../kit/classes'
import { CopyButton } from '../kit/copying'
import { ErrorNotice } from '../kit/notices'
import { Skeleton } from '../kit/placeholders'
import { useMedia } from '../kit/use-media'
import { texts as runs } from '../texts/runs'
import type { Span } from '../trace/span'
import { type Run, useRunGraph } from './data'

const texts = runs.graph

// The canvas is large, and runs of a prompt have no graph.
const RunGraph = lazy(() => import('./graph-view').then((it) => ({ default: it.RunGraph })))

/** Of a hash: enough to tell two versions apart at a glance. */
const HASH_CHARACTERS = 8

interface GraphCardProps {
  run: Run
  spans: readonly Span[]
  /** Id of the chosen span. */
  selected: string | null
  onSelect: (span: string | null) => void
}

/** The very graph that ran, lit by the run. On a phone it opens on demand: the timeline says more in less room. */
export function GraphCard({ run, ...rest }: GraphCardProps) {
  const wide = useMedia('(min-width: 48rem)')
  const [choice, setChoice] = useState<boolean | null>(null)
  const open = choice ?? wide
  if (run.content_hash === null) return null
  return (
    <section
      aria-label={texts.title}
      className="min-w-0 overflow-hidden rounded-xl border bg-surface shadow-card"
    >
      <header className="flex min-w-0 flex-wrap items-center gap-x-3 px-3 py-1.5 text-xs text-muted">
        <button
          type="button"
          aria-expanded={open}
          onClick={() => setChoice(!open)}
          className="-ml-1 flex min-h-6 items-center gap-1 rounded-md px-1 font-medium text-text pointer-coarse:min-h-10"
        >
          <ChevronRight
            aria-hidden
            className={classes('size-3.5 transition-transform', open && 'rotate-90')}
          />
          {texts.title}
        </button>
        <WhatRan run={run} hash={run.content_hash} />
      </header>
      {open && (
        <div className="border-t">
          <Shown run={run} {...rest} />
        </div>
      )}
    </section>
  )
}

/** The agent and its version, where there is one, and the hash that names the content for good. */
const WhatRan = ({ run: { graph_id, graph_version }, hash }: { run: Run; hash: string }) => (
  <span className="ml-auto flex min-w-0 items-center gap-2">
    {graph_id && (
      <Link
        to="/agents/$id"
        params={{ id: graph_id }}
        search={graph_version ? { version: graph_version } : {}}
        className="truncate underline decoration-line-strong underline-offset-2 hover:text-text"
      >
        {graph_id} {graph_version}
      </Link>
    )}
    <span className="flex shrink-0 items-center font-mono text-2xs" title={hash}>
      {hash.replace(/^sha256:/, '').slice(0, HASH_CHARACTERS)}
      <CopyButton text={hash} label={texts.copyHash} className="-my-2" />
    </span>
  </span>
)

function Shown({ run, ...rest }: GraphCardProps) {
  const { data: graph, error, refetch } = useRunGraph(run)
  if (error) {
    return (
      <div className="p-4">
        <ErrorNotice title={texts.failed} error={error} onRetry={() => void refetch()} />
      </div>
    )
  }
  if (graph === undefined) return <Loading />
  if (graph === null) return <p className="p-4 text-sm text-muted">{texts.notKept}</p>
  return (
    <Suspense fallback={<Loading />}>
      <RunGraph document={graph} {...rest} />
    </Suspense>
  )
}

const Loading = () => (
  <div role="status" className="p-4">
    <span className="sr-only">{texts.loading}</span>
    <Skeleton className="h-56 w-full rounded-lg" />
  </div>
)
