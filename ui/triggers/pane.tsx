import { Plus, Zap } from 'lucide-react'
import { useState } from 'react'
import type { Agent } from '../../src/control/agents/schema'
import type { Trigger } from '../../src/control/triggers/schema'
import { Button } from '../kit/button'
import { ConfirmDialog } from '../kit/dialog'
import { ErrorNotice } from '../kit/notices'
import { EmptyState, SkeletonRows } from '../kit/placeholders'
import { useToast } from '../kit/toasts'
import { CreateDialog } from './create-dialog'
import { useDeleteTrigger, useTriggers } from './data'
import { nameOf, TriggerCard } from './trigger-card'

/** What starts runs of an agent by itself. */
export function TriggersPane({ agent }: { agent: Agent }) {
  const { data, error, refetch } = useTriggers(agent.id)
  const [creating, setCreating] = useState(false)
  const [doomed, setDoomed] = useState<Trigger | null>(null)
  // Kept by this page alone, and gone with it: the server never tells one.
  const [secrets, setSecrets] = useState<Record<string, string>>({})
  const [newest, setNewest] = useState<string | null>(null)
  const toast = useToast()
  const know = (id: string, secret: string) => setSecrets((known) => ({ ...known, [id]: secret }))
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
          <ul aria-label="Triggers of the agent" className="flex min-w-0 flex-col gap-3">
            {data.map((trigger) => (
              <TriggerCard
                key={trigger.id}
                trigger={trigger}
                startsOpen={trigger.id === newest}
                secret={secrets[trigger.id] ?? null}
                onSecret={(secret) => know(trigger.id, secret)}
                onDelete={() => setDoomed(trigger)}
              />
            ))}
          </ul>
        </>
      )}
      {creating && (
        <CreateDialog
          agent={agent}
          onClose={() => setCreating(false)}
          onCreated={(made, secret) => {
            if (secret !== null) know(made.id, secret)
            setNewest(made.id)
            setCreating(false)
            toast('The trigger is on.')
          }}
        />
      )}
      <DeleteTrigger trigger={doomed} onClose={() => setDoomed(null)} />
    </section>
  )
}

function DeleteTrigger({ trigger, onClose }: { trigger: Trigger | null; onClose: () => void }) {
  const remove = useDeleteTrigger()
  const toast = useToast()
  return (
    <ConfirmDialog
      open={trigger !== null}
      onOpenChange={(open) => !open && onClose()}
      title="Delete this trigger?"
      confirm="Delete trigger"
      onConfirm={async () => {
        if (trigger) await remove.mutateAsync(trigger.id)
        toast('The trigger is deleted.')
      }}
    >
      <p>
        <span className="break-words text-text">{trigger && nameOf(trigger)}</span> fires no more. Its runs
        stay.
      </p>
    </ConfirmDialog>
  )
}
