import { Plus, Zap } from 'lucide-react'
import { useState } from 'react'
import type { Agent } from '../../src/control/agents/schema'
import { Button } from '../kit/button'
import { ErrorNotice } from '../kit/notices'
import { EmptyState, SkeletonRows } from '../kit/placeholders'
import { useToast } from '../kit/toasts'
import { texts } from '../texts/triggers'
import { CreateDialog } from './create-dialog'
import { useTriggers } from './data'
import { TriggerList, useKnownSecrets } from './list'

/** What starts runs of an agent by itself. */
export function TriggersPane({ agent }: { agent: Agent }) {
  const { data, error, refetch } = useTriggers(agent.id)
  const known = useKnownSecrets()
  const [creating, setCreating] = useState(false)
  const [newest, setNewest] = useState<string | null>(null)
  const toast = useToast()
  const add = (
    <Button
      variant="primary"
      icon={<Plus aria-hidden className="size-4" />}
      onClick={() => setCreating(true)}
    >
      {texts.pane.create}
    </Button>
  )

  return (
    <section aria-label={texts.title} className="flex min-w-0 flex-col gap-4">
      {error ? (
        <ErrorNotice title={texts.failed} error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <SkeletonRows rows={3} label={texts.loading} />
      ) : data.length === 0 ? (
        <EmptyState icon={<Zap aria-hidden />} title={texts.empty} action={add}>
          {texts.pane.emptyHint}
        </EmptyState>
      ) : (
        <>
          <div className="flex flex-wrap items-center justify-between gap-3">
            <p className="text-sm text-muted">{texts.pane.hint}</p>
            {add}
          </div>
          <TriggerList label={texts.pane.list} triggers={data} newest={newest} {...known} />
        </>
      )}
      {creating && (
        <CreateDialog
          agent={agent}
          onClose={() => setCreating(false)}
          onCreated={(made, secret) => {
            if (secret !== null) known.know(made.id, secret)
            setNewest(made.id)
            setCreating(false)
            toast(texts.pane.created)
          }}
        />
      )}
    </section>
  )
}
