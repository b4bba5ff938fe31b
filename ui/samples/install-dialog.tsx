import { useState } from 'react'
import { Button } from '../kit/button'
import { Dialog } from '../kit/dialog'
import { FormDialog } from '../kit/form-dialog'
import { ErrorNotice } from '../kit/notices'
import { SkeletonRows } from '../kit/placeholders'
import { useToast } from '../kit/toasts'
import { type ModelView, useModels } from '../registries/data'
import { texts as common } from '../texts/common'
import { texts } from '../texts/samples'
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
  const subject = samples.length === 1 ? samples[0]!.title : texts.dialog.several(samples.length)

  function installed(entries: ReportEntry[]) {
    if (entries.some(({ error, warnings }) => error || warnings.length > 0)) return setReport(entries)
    toast(texts.dialog.installed(subject))
    onClose()
  }

  if (report) {
    return (
      <Dialog
        open
        onOpenChange={onClose}
        title={texts.report.title}
        footer={<Button onClick={onClose}>{common.close}</Button>}
      >
        <Report entries={report} samples={samples} />
      </Dialog>
    )
  }
  if (!models.data) {
    return (
      <Dialog open onOpenChange={onClose} title={texts.installOne(subject)}>
        {models.error ? (
          <ErrorNotice
            error={models.error}
            title={texts.dialog.loadFailed}
            onRetry={() => void models.refetch()}
          />
        ) : (
          <SkeletonRows rows={2} label={texts.dialog.loading} />
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
    <FormDialog
      title={texts.installOne(subject)}
      description={texts.dialog.description}
      submit={texts.install}
      pending={install.isPending}
      onSubmit={submit}
      onClose={onClose}
    >
      <SlotFields
        slots={slots}
        models={models}
        chosen={chosen}
        missing={asked}
        onChoose={(name, id) => setChosen({ ...chosen, [name]: id })}
      />
      {install.error && <ErrorNotice error={install.error} title={texts.dialog.failed} />}
    </FormDialog>
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
