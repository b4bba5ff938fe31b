import { Cloud, HardDrive } from 'lucide-react'
import { useId, useState } from 'react'
import { Button } from '../kit/button'
import { Dialog } from '../kit/dialog'
import { Segmented } from '../kit/segmented'
import { texts as common } from '../texts/common'
import { texts as registries } from '../texts/registries'
import { isManaged, type ModelView } from './data'
import { LocalForm } from './local-form'
import { RemoteForm } from './remote-form'

const texts = registries.form

interface ModelDialogProps {
  /** The model to change; absent for a new one. */
  model?: ModelView
  taken: readonly string[]
  onClose: () => void
  onSaved: (model: ModelView) => void
}

type Where = 'remote' | 'local'

/** Registers a model, or changes one. */
export function ModelDialog({ model, taken, onClose, onSaved }: ModelDialogProps) {
  const [where, setWhere] = useState<Where>(model && isManaged(model) ? 'local' : 'remote')
  const [pending, setPending] = useState(false)
  const id = useId()
  const form = { model, taken, id, onSaved, onPending: setPending }
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={model ? texts.edit(model.logicalId) : common.addModel}
      footer={
        <>
          <Button onClick={onClose}>{common.cancel}</Button>
          <Button type="submit" form={id} variant="primary" pending={pending}>
            {model ? common.save : texts.add}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {!model && (
          <Segmented<Where>
            label={texts.where.label}
            value={where}
            onChange={setWhere}
            options={[
              { value: 'remote', label: texts.where.remote, icon: <Cloud aria-hidden /> },
              { value: 'local', label: texts.where.local, icon: <HardDrive aria-hidden /> },
            ]}
          />
        )}
        {where === 'local' ? <LocalForm {...form} /> : <RemoteForm {...form} />}
      </div>
    </Dialog>
  )
}
