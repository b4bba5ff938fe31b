import { useNavigate } from '@tanstack/react-router'
import { ApiError } from '../api'
import { Dialog } from '../kit/dialog'
import { ErrorNotice } from '../kit/notices'
import { texts as waiting } from '../texts/waiting'
import { AnswerForm } from './answer-form'
import { useStartDurable } from './data'

const texts = waiting.start

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
      title={texts.title(name)}
      description={texts.description}
    >
      <AnswerForm
        label={texts.form}
        fieldLabel={texts.input}
        schema={null}
        submit={texts.submit}
        pending={start.isPending}
        onSubmit={(input) =>
          start.mutate(input, {
            onSuccess: ({ run_id }) => void navigate({ to: '/runs/$id', params: { id: run_id } }),
          })
        }
      >
        {start.error && (
          <ErrorNotice
            title={isOff ? texts.notDurable.title : texts.failed}
            error={start.error}
            help={isOff ? texts.notDurable.help : undefined}
          />
        )}
      </AnswerForm>
    </Dialog>
  )
}
