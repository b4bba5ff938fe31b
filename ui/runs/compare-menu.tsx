import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../kit/button'
import { Dialog } from '../kit/dialog'
import { ErrorNotice } from '../kit/notices'
import { SkeletonRows } from '../kit/placeholders'
import { texts } from '../texts/runs'
import { type Run, useRuns } from './data'
import { RunList } from './list'

/** Chooses another run of the same agent, or of a model, to put beside this one. */
export function CompareButton({ run }: { run: Run }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>{texts.compareMenu.action}</Button>
      <Dialog open={open} onOpenChange={setOpen} title={texts.compareMenu.title} size="lg">
        {open && <Others run={run} onDone={() => setOpen(false)} />}
      </Dialog>
    </>
  )
}

function Others({ run, onDone }: { run: Run; onDone: () => void }) {
  const navigate = useNavigate()
  const filters = run.graph_id === null ? { text: run.model } : { agent: run.graph_id }
  const { runs, data, error, hasNextPage, isFetchingNextPage, fetchNextPage } = useRuns(filters)
  const others = runs.filter(({ id }) => id !== run.id)
  if (error) return <ErrorNotice title={texts.failed} error={error} />
  if (!data) return <SkeletonRows rows={5} label={texts.compareMenu.loading} />
  if (others.length === 0) return <p className="text-sm text-muted">{texts.compareMenu.empty}</p>
  return (
    <RunList
      runs={others}
      more={hasNextPage}
      loadingMore={isFetchingNextPage}
      onMore={() => void fetchNextPage()}
      onChoose={({ id }) => {
        onDone()
        // The older one is A, so that the difference tells what changed since.
        const [a, b] = id < run.id ? [id, run.id] : [run.id, id]
        void navigate({ to: '/runs/compare', search: { a, b } })
      }}
    />
  )
}
