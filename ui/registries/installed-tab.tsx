import { Boxes, Library, Plus } from 'lucide-react'
import { Button } from '../kit/button'
import { Card } from '../kit/card'
import { ErrorNotice } from '../kit/notices'
import { EmptyState, SkeletonRows } from '../kit/placeholders'
import { texts as common } from '../texts/common'
import { texts } from '../texts/registries'
import { Credentials } from './credentials'
import { isManaged, useModels, useSlots } from './data'
import { Engines } from './engines'
import { type ModelActs, ModelList } from './model-list'
import { SlotCount, Slots } from './slots'

interface InstalledTabProps extends ModelActs {
  onAdd: () => void
  onBrowse: () => void
}

/** What is registered, what of it is in memory, and what it takes to run it. */
export function InstalledTab({ onAdd, onBrowse, ...acts }: InstalledTabProps) {
  const { data: models, error, refetch } = useModels()
  const slots = useSlots()
  const hasLocal = models?.some(isManaged) || (slots.data?.resident.length ?? 0) > 0
  return (
    <div className="grid min-w-0 items-start gap-6 xl:grid-cols-[minmax(0,1fr)_22rem]">
      <div className="flex min-w-0 flex-col gap-6">
        {hasLocal && (
          <Card title={texts.slots.title} actions={<SlotCount />}>
            <Slots />
          </Card>
        )}
        <Card flush>
          {error && !models ? (
            <div className="p-4">
              <ErrorNotice title={texts.list.failed} error={error} onRetry={() => void refetch()} />
            </div>
          ) : !models ? (
            <SkeletonRows rows={3} label={texts.list.loading} />
          ) : models.length === 0 ? (
            <EmptyState
              icon={<Boxes aria-hidden />}
              title={texts.list.empty}
              action={
                <>
                  <Button
                    variant="primary"
                    icon={<Library aria-hidden className="size-4" />}
                    onClick={onBrowse}
                  >
                    {texts.list.browse}
                  </Button>
                  <Button icon={<Plus aria-hidden className="size-4" />} onClick={onAdd}>
                    {common.addModel}
                  </Button>
                </>
              }
            >
              {texts.list.hint}
            </EmptyState>
          ) : (
            <ModelList models={models} {...acts} />
          )}
        </Card>
      </div>
      <div className="grid min-w-0 items-start gap-6 md:grid-cols-2 xl:grid-cols-1">
        <Engines />
        <Credentials models={models ?? []} />
      </div>
    </div>
  )
}
