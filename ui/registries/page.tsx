import { Boxes, Plus } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../kit/button'
import { Card } from '../kit/card'
import { ConfirmDialog } from '../kit/dialog'
import { ErrorNotice } from '../kit/notices'
import { Page, PageHeader } from '../kit/page-header'
import { EmptyState, SkeletonRows } from '../kit/placeholders'
import { useToast } from '../kit/toasts'
import { Credentials } from './credentials'
import { isTalkative, type ModelView, useDeleteModel, useModels } from './data'
import { Engines } from './engines'
import { ModelDialog } from './model-dialog'
import { ModelList } from './model-list'
import { TryIt } from './try-it'

/** What is open above the list. */
type Open =
  | { kind: 'add' }
  | { kind: 'edit'; model: ModelView }
  | { kind: 'delete'; model: ModelView }
  | { kind: 'try'; id: string }

export function RegistriesPage() {
  const { data: models, error, refetch } = useModels()
  const [open, setOpen] = useState<Open | null>(null)
  const toast = useToast()
  const close = () => setOpen(null)

  /** A new model is tried at once: whether it answers is what one wants to know. */
  function saved({ logicalId, binding }: ModelView) {
    toast(`${logicalId} is saved.`)
    setOpen(open?.kind === 'add' && isTalkative(binding.modality) ? { kind: 'try', id: logicalId } : null)
  }

  const add = (
    <Button
      variant="primary"
      icon={<Plus aria-hidden className="size-4" />}
      onClick={() => setOpen({ kind: 'add' })}
    >
      Add a model
    </Button>
  )
  return (
    <Page wide>
      <PageHeader
        title="Models"
        description="What Tycho can ask, under the names that chats, agents and clients use."
        actions={models && models.length > 0 && add}
      />
      <div className="grid min-w-0 items-start gap-6 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <Card flush>
          {error ? (
            <div className="p-4">
              <ErrorNotice
                title="The models could not be loaded"
                error={error}
                onRetry={() => void refetch()}
              />
            </div>
          ) : !models ? (
            <SkeletonRows rows={3} label="Loading the models" />
          ) : models.length === 0 ? (
            <EmptyState icon={<Boxes aria-hidden />} title="No models yet" action={add}>
              Point Tycho at a provider: a program on this machine such as Ollama or LM Studio, or a service
              that gave you a key. It takes an address and the model’s name.
            </EmptyState>
          ) : (
            <ModelList
              models={models}
              onTry={({ logicalId }) => setOpen({ kind: 'try', id: logicalId })}
              onEdit={(model) => setOpen({ kind: 'edit', model })}
              onDelete={(model) => setOpen({ kind: 'delete', model })}
            />
          )}
        </Card>
        <div className="flex min-w-0 flex-col gap-6">
          <Credentials models={models ?? []} />
          <Engines />
        </div>
      </div>
      {(open?.kind === 'add' || open?.kind === 'edit') && (
        <ModelDialog
          model={open.kind === 'edit' ? open.model : undefined}
          taken={models?.map(({ logicalId }) => logicalId) ?? []}
          onClose={close}
          onSaved={saved}
        />
      )}
      {open?.kind === 'try' && <TryIt model={open.id} onClose={close} />}
      <DeleteModel model={open?.kind === 'delete' ? open.model : null} onClose={close} />
    </Page>
  )
}

function DeleteModel({ model, onClose }: { model: ModelView | null; onClose: () => void }) {
  const remove = useDeleteModel()
  const toast = useToast()
  return (
    <ConfirmDialog
      open={model !== null}
      onOpenChange={(open) => !open && onClose()}
      title={`Delete ${model?.logicalId}?`}
      confirm="Delete model"
      onConfirm={async () => {
        await remove.mutateAsync(model!.logicalId)
        toast(`${model!.logicalId} is deleted.`)
      }}
    >
      <p>
        Chats and agents that use it will not get answers any more. Past runs stay, and so do weights on disk.
      </p>
    </ConfirmDialog>
  )
}
