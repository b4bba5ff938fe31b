import { useId, useState } from 'react'
import { Button } from '../kit/button'
import { Dialog } from '../kit/dialog'
import { ErrorNotice } from '../kit/notices'
import { SkeletonRows } from '../kit/placeholders'
import { useToast } from '../kit/toasts'
import { type ModelView, useModels } from '../registries/data'
import { type CatalogEntry, type ReportEntry, useInstallSamples } from './data'
import { Report } from './report'
import { SlotFields } from './slot-fields'
import { onlyFitting, type Slot, slotsOf } from './slots'

interface InstallDialogProps {
  samples: CatalogEntry[]
  onClose: () => void
}

/** Asks for a model for each slot, installs, and tells what became of each sample. */
export function InstallDialog({ samples, onClose }: InstallDialogProps) {
  const models = useModels()
  const [report, setReport] = useState<ReportEntry[] | null>(null)
  const toast = useToast()
  const subject = samples.length === 1 ? samples[0]!.title : `${samples.length} samples`

  function installed(entries: ReportEntry[]) {
    if (entries.some(({ error, warnings }) => error || warnings.length > 0)) return setReport(entries)
    toast(`${subject}: installed.`)
    onClose()
  }

  if (report) {
    return (
      <Dialog
        open
        onOpenChange={onClose}
        title="What was installed"
        footer={<Button onClick={onClose}>Close</Button>}
      >
        <Report entries={report} samples={samples} />
      </Dialog>
    )
  }
  if (!models.data) {
    return (
      <Dialog open onOpenChange={onClose} title={`Install ${subject}`}>
        {models.error ? (
          <ErrorNotice
            error={models.error}
            title="The models could not be loaded"
            onRetry={() => void models.refetch()}
          />
        ) : (
          <SkeletonRows rows={2} label="Loading the models" />
        )}
      </Dialog>
    )
  }
  return (
    <SlotDialog
      subject={subject}
      samples={samples}
      models={models.data}
      onInstalled={installed}
      onClose={onClose}
    />
  )
}

interface SlotDialogProps extends InstallDialogProps {
  subject: string
  models: ModelView[]
  onInstalled: (report: ReportEntry[]) => void
}

function SlotDialog({ subject, samples, models, onInstalled, onClose }: SlotDialogProps) {
  const slots = slotsOf(samples)
  const [chosen, setChosen] = useState(() => suggested(slots, models))
  const [asked, setAsked] = useState(false)
  const install = useInstallSamples()
  const form = useId()

  function submit() {
    setAsked(true)
    if (slots.some(({ name }) => !chosen[name])) return
    const bindings = slots.map(({ name }) => [name, choiceOf(models, chosen[name]!)] as const)
    install.mutate(
      { ids: samples.map(({ id }) => id), models: Object.fromEntries(bindings) },
      { onSuccess: onInstalled },
    )
  }

  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={`Install ${subject}`}
      description="The document of an agent names its models. They can be others later, in a new version."
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={form} variant="primary" pending={install.isPending}>
            Install
          </Button>
        </>
      }
    >
      <form
        id={form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          submit()
        }}
        className="flex flex-col gap-4"
      >
        <SlotFields
          slots={slots}
          models={models}
          chosen={chosen}
          missing={asked}
          onChoose={(name, id) => setChosen({ ...chosen, [name]: id })}
        />
        {install.error && <ErrorNotice error={install.error} title="Nothing was installed" />}
      </form>
    </Dialog>
  )
}

/** Logical ids by slot. */
export type Chosen = Record<string, string>

const suggested = (slots: Slot[], models: ModelView[]): Chosen =>
  Object.fromEntries(
    slots.flatMap((slot) => {
      const only = onlyFitting(models, slot)
      return only ? [[slot.name, only.logicalId]] : []
    }),
  )

const choiceOf = (models: ModelView[], id: string) => ({
  logical_id: id,
  binding: models.find(({ logicalId }) => logicalId === id)?.binding.binding ?? '',
})
