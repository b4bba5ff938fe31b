import { ConfirmDialog } from '../kit/dialog'
import { useToast } from '../kit/toasts'
import { Worded } from '../kit/worded'
import { texts } from '../texts/agents'
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
      title={texts.delete.title(agents.length)}
      confirm={texts.delete.confirm(agents.length)}
      onConfirm={async () => {
        await remove.mutateAsync(agents.map(({ id }) => id))
        toast(isOne ? texts.delete.deleted(first!.name) : texts.delete.severalDeleted(agents.length))
        onDeleted?.()
      }}
    >
      {isOne ? (
        <p>
          <Worded
            text={texts.delete.hint}
            with={{ name: <span className="break-words text-text">{first!.name}</span> }}
          />
        </p>
      ) : (
        <>
          <ul className="list-disc pl-5 text-text">
            {agents.slice(0, NAMED).map(({ id, name }) => (
              <li key={id} className="break-words">
                {name}
              </li>
            ))}
            {agents.length > NAMED && <li>{texts.delete.others(agents.length - NAMED)}</li>}
          </ul>
          <p>{texts.delete.severalHint}</p>
        </>
      )}
    </ConfirmDialog>
  )
}
