import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { GitFork, RotateCw } from 'lucide-react'
import { useState } from 'react'
import { ApiError, control, ok } from '../api'
import { Button } from '../kit/button'
import { Dialog } from '../kit/dialog'
import { Field } from '../kit/field'
import { ErrorNotice } from '../kit/notices'
import { Switch } from '../kit/switch'
import { useToast } from '../kit/toasts'
import { texts as runs } from '../texts/runs'
import type { Row } from '../trace/tree'
import { AnswerForm } from '../waiting/answer-form'
import { begin } from './begun'
import { type Run, useRunGraph } from './data'
import { isUnfinished } from './describe'
import { againFrom } from './repeatable'

const texts = runs.again

/** A new run that takes over what was done before a step; nothing where that cannot be. */
export function AgainFrom({ run, row }: { run: Run; row: Row }) {
  const [open, setOpen] = useState(false)
  const way = run.content_hash === null ? null : againFrom(row)
  if (way === null || (way === 'rerun' && isUnfinished(run))) return null
  const Icon = way === 'fork' ? GitFork : RotateCw
  return (
    <div>
      <Button size="sm" icon={<Icon aria-hidden className="size-3.5" />} onClick={() => setOpen(true)}>
        {texts[way].action}
      </Button>
      {open && <AgainDialog run={run} way={way} from={row.span.node_id} onClose={() => setOpen(false)} />}
    </div>
  )
}

/** The whole run once more, with the same graph. */
export function AgainButton({ run }: { run: Run }) {
  const [open, setOpen] = useState(false)
  const { data: graph } = useRunGraph(run)
  if (!graph) return null
  const start = graph.nodes.find(({ type }) => type === 'input')?.id ?? null
  return (
    <>
      <Button icon={<RotateCw aria-hidden className="size-3.5" />} onClick={() => setOpen(true)}>
        {texts.whole}
      </Button>
      {open && <AgainDialog run={run} way="whole" from={start} onClose={() => setOpen(false)} />}
    </>
  )
}

type Way = 'fork' | 'rerun' | 'whole'

interface AgainDialogProps {
  run: Run
  way: Way
  /** The step to begin at; of a whole run its input. */
  from: string | null
  onClose: () => void
}

function AgainDialog({ run, way, from, onClose }: AgainDialogProps) {
  const [otherInput, setOtherInput] = useState(false)
  const navigate = useNavigate()
  const toast = useToast()
  const again = useMutation({
    mutationFn: (change: { input?: unknown }) => start(run, way, from, change),
    onSuccess(id) {
      onClose()
      toast(texts.begun)
      void navigate({ to: '/runs/$id', params: { id } })
    },
  })
  return (
    <Dialog
      open
      onOpenChange={(next) => !next && onClose()}
      title={way === 'whole' ? texts.whole : texts[way].title(from!)}
      description={way === 'whole' ? texts.fromStart : texts.fromStep}
    >
      <div className="flex flex-col gap-4">
        <Field row label={texts.otherInput} hint={texts.otherInputHint}>
          <Switch checked={otherInput} onChange={setOtherInput} />
        </Field>
        {again.error && <ErrorNotice title={texts.failed} error={again.error} help={helpFor(again.error)} />}
        {otherInput ? (
          <AnswerForm
            label={texts.form}
            fieldLabel={texts.input}
            schema={null}
            submit={texts.submit}
            pending={again.isPending}
            onSubmit={(input) => again.mutate({ input })}
          />
        ) : (
          <div className="flex justify-end">
            <Button variant="primary" pending={again.isPending} onClick={() => again.mutate({})}>
              {texts.submit}
            </Button>
          </div>
        )}
      </div>
    </Dialog>
  )
}

/** Starts the new run. A graph that runs durably only is forked at its input, which is its beginning. */
async function start(run: Run, way: Way, from: string | null, change: { input?: unknown }) {
  const path = `/runs/${encodeURIComponent(run.id)}/rerun`
  if (way === 'rerun') return begin(path, { from_node: from, ...change })
  if (way === 'whole') {
    try {
      return await begin(path, change)
    } catch (error) {
      if (from === null || !(error instanceof ApiError && error.code === 'durable_required')) throw error
    }
  }
  return (await ok(control.runs({ id: run.id }).fork.post({ from_step: from!, ...change }))).run_id
}

function helpFor(error: unknown): string | null {
  if (!(error instanceof ApiError)) return null
  if (error.code === 'outputs_not_recorded') return texts.help.outputsMissing
  return error.code === 'durable_required' ? texts.help.durableRequired : null
}
