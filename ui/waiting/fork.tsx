import { useNavigate } from '@tanstack/react-router'
import { GitFork } from 'lucide-react'
import { useState } from 'react'
import { ApiError } from '../api'
import { Button } from '../kit/button'
import { Dialog } from '../kit/dialog'
import { Field } from '../kit/field'
import { ErrorNotice } from '../kit/notices'
import { Switch } from '../kit/switch'
import { useToast } from '../kit/toasts'
import type { Run } from '../runs/data'
import type { Row } from '../trace/tree'
import { AnswerForm } from './answer-form'
import { useFork } from './data'
import { isForkable } from './forkable'

interface ForkFromProps {
  run: Run
  row: Row
}

/** A new run that takes over what was done before a step; nothing where that cannot be. */
export function ForkFrom({ run, row }: ForkFromProps) {
  const [open, setOpen] = useState(false)
  if (!isForkable(row)) return null
  return (
    <div>
      <Button size="sm" icon={<GitFork aria-hidden className="size-3.5" />} onClick={() => setOpen(true)}>
        Fork from here
      </Button>
      {open && <ForkDialog run={run} step={row.span.node_id!} onClose={() => setOpen(false)} />}
    </div>
  )
}

function ForkDialog({ run, step, onClose }: { run: Run; step: string; onClose: () => void }) {
  const [otherInput, setOtherInput] = useState(false)
  const fork = useFork(run.id)
  const navigate = useNavigate()
  const toast = useToast()

  const start = (change: { input?: unknown }) =>
    fork.mutate(
      { from_step: step, ...change },
      {
        onSuccess({ run_id }) {
          onClose()
          toast('The new run has begun.')
          void navigate({ to: '/runs/$id', params: { id: run_id } })
        },
      },
    )

  return (
    <Dialog
      open
      onOpenChange={(next) => !next && onClose()}
      title={`Fork from ${step}`}
      description="A new run does this step again, and all that follows it. What came before is taken over from the record, and this run stays as it is."
    >
      <div className="flex flex-col gap-4">
        <Field row label="With another input" hint="Else the new run has the input of this one.">
          <Switch checked={otherInput} onChange={setOtherInput} />
        </Field>
        {fork.error && (
          <ErrorNotice title="No new run was begun" error={fork.error} help={helpFor(fork.error)} />
        )}
        {otherInput ? (
          <AnswerForm
            label="New run"
            fieldLabel="Input"
            schema={null}
            submit="Start the new run"
            pending={fork.isPending}
            onSubmit={(input) => start({ input })}
          />
        ) : (
          <div className="flex justify-end">
            <Button variant="primary" pending={fork.isPending} onClick={() => start({})}>
              Start the new run
            </Button>
          </div>
        )}
      </div>
    </Dialog>
  )
}

function helpFor(error: unknown): string | null {
  if (!(error instanceof ApiError)) return null
  if (error.code === 'outputs_not_recorded') {
    return 'A fork needs what the earlier steps put out. It is on record only where the agent’s capture policy keeps everything: not only sizes, nothing redacted, and not yet deleted.'
  }
  return error.code === 'durable_required' ? 'Start Tycho with SERVICE_DURABLE=true.' : null
}
