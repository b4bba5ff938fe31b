import { useState } from 'react'
import type { Trigger } from '../../src/control/triggers/schema'
import { ConfirmDialog } from '../kit/dialog'
import { useToast } from '../kit/toasts'
import { Worded } from '../kit/worded'
import { texts } from '../texts/triggers'
import { useDeleteTrigger } from './data'
import { nameOf, TriggerCard } from './trigger-card'

/** Secrets that were typed or generated on this page: kept by it alone and gone with it, for the server tells none. */
export function useKnownSecrets() {
  const [secrets, setSecrets] = useState<Record<string, string>>({})
  return {
    secrets,
    know: (id: string, secret: string) => setSecrets((known) => ({ ...known, [id]: secret })),
  }
}

interface TriggerListProps extends ReturnType<typeof useKnownSecrets> {
  label: string
  triggers: readonly Trigger[]
  /** The one that was just made. */
  newest?: string | null
  /** Where they are of several agents. */
  withAgent?: boolean
}

export function TriggerList({ label, triggers, newest, withAgent = false, secrets, know }: TriggerListProps) {
  const [doomed, setDoomed] = useState<Trigger | null>(null)
  return (
    <>
      <ul aria-label={label} className="flex min-w-0 flex-col gap-3">
        {triggers.map((trigger) => (
          <TriggerCard
            key={trigger.id}
            trigger={trigger}
            withAgent={withAgent}
            startsOpen={trigger.id === newest}
            secret={secrets[trigger.id] ?? null}
            onSecret={(secret) => know(trigger.id, secret)}
            onDelete={() => setDoomed(trigger)}
          />
        ))}
      </ul>
      <DeleteTrigger trigger={doomed} onClose={() => setDoomed(null)} />
    </>
  )
}

function DeleteTrigger({ trigger, onClose }: { trigger: Trigger | null; onClose: () => void }) {
  const remove = useDeleteTrigger()
  const toast = useToast()
  return (
    <ConfirmDialog
      open={trigger !== null}
      onOpenChange={(open) => !open && onClose()}
      title={texts.delete.title}
      confirm={texts.delete.confirm}
      onConfirm={async () => {
        if (trigger) await remove.mutateAsync(trigger.id)
        toast(texts.delete.done)
      }}
    >
      <p>
        <Worded
          text={texts.delete.consequence}
          with={{ name: <span className="break-words text-text">{trigger && nameOf(trigger)}</span> }}
        />
      </p>
    </ConfirmDialog>
  )
}
