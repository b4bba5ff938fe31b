import { Plus, Zap } from 'lucide-react'
import { useState } from 'react'
import type { Agent } from '../../src/control/agents/schema'
import { Button } from '../kit/button'
import { ErrorNotice } from '../kit/notices'
import { EmptyState, SkeletonRows } from '../kit/placeholders'
import { useToast } from '../kit/toasts'
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
      New trigger
    </Button>
  )

  return (
    <section aria-label="Triggers" className="flex min-w-0 flex-col gap-4">
      {error ? (
        <ErrorNotice title="The triggers could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <SkeletonRows rows={3} label="Loading the triggers" />
      ) : data.length === 0 ? (
        <EmptyState icon={<Zap aria-hidden />} title="No triggers yet" action={add}>
          A schedule runs this agent at fixed times; a webhook whenever another program calls.
        </EmptyState>
      ) : (
        <>
          <div className="flex flex-wrap items-center justify-between gap-3">
            <p className="text-sm text-muted">
              Runs that nobody has to start. Each one keeps to its version.
            </p>
            {add}
          </div>
          <TriggerList label="Triggers of the agent" triggers={data} newest={newest} {...known} />
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
            toast('The trigger is on.')
          }}
        />
      )}
    </section>
  )
}
