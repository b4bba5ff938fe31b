import { ConfirmDialog } from '../kit/dialog'
import { useToast } from '../kit/toasts'
import { useDeleteAgents } from './data'

interface DeleteAgentsProps {
  agents: readonly { id: string; name: string }[]
  onClose: () => void
  onDeleted?: () => void
}

/** Names beyond that are only counted. */
const NAMED = 8

export function DeleteAgents({ agents, onClose, onDeleted }: DeleteAgentsProps) {
  const remove = useDeleteAgents()
  const toast = useToast()
  const [first, ...others] = agents
  const isOne = others.length === 0
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={isOne ? 'Delete this agent?' : `Delete ${agents.length} agents?`}
      confirm={isOne ? 'Delete agent' : `Delete ${agents.length} agents`}
      onConfirm={async () => {
        await remove.mutateAsync(agents.map(({ id }) => id))
        toast(isOne ? `${first!.name} is deleted.` : `${agents.length} agents are deleted.`)
        onDeleted?.()
      }}
    >
      {isOne ? (
        <p>
          <span className="break-words text-text">{first!.name}</span> goes with all its versions, its
          triggers and its capture policy. Its runs, chats and drafts stay.
        </p>
      ) : (
        <>
          <ul className="list-disc pl-5 text-text">
            {agents.slice(0, NAMED).map(({ id, name }) => (
              <li key={id} className="break-words">
                {name}
              </li>
            ))}
            {agents.length > NAMED && <li>and {agents.length - NAMED} more</li>}
          </ul>
          <p>
            They go with all their versions, their triggers and their capture policies. Their runs, chats and
            drafts stay.
          </p>
        </>
      )}
    </ConfirmDialog>
  )
}
