import { useNavigate } from '@tanstack/react-router'
import { ApiError } from '../api'
import { Dialog } from '../kit/dialog'
import { ErrorNotice } from '../kit/notices'
import { AnswerForm } from './answer-form'
import { useStartDurable } from './data'

interface StartDialogProps {
  agentId: string
  name: string
  onClose: () => void
}

/** Starts a run that outlives this page, and a restart of the server; then shows it. */
export function StartDialog({ agentId, name, onClose }: StartDialogProps) {
  const start = useStartDurable(agentId)
  const navigate = useNavigate()
  const isOff = start.error instanceof ApiError && start.error.code === 'durable_required'
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={`Run ${name}`}
      description="The run goes on whether anybody looks or not, and after a restart. Where it asks a person, it waits in the inbox."
    >
      <AnswerForm
        label="New run"
        fieldLabel="Input"
        schema={null}
        submit="Run durably"
        pending={start.isPending}
        onSubmit={(input) =>
          start.mutate(input, {
            onSuccess: ({ run_id }) => void navigate({ to: '/runs/$id', params: { id: run_id } }),
          })
        }
      >
        {start.error && (
          <ErrorNotice
            title={isOff ? 'Durable mode is off' : 'The run was not started'}
            error={start.error}
            help={isOff ? 'Start Tycho with SERVICE_DURABLE=true.' : undefined}
          />
        )}
      </AnswerForm>
    </Dialog>
  )
}
