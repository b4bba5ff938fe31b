import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useState } from 'react'
import { CatalogTab } from '../catalog/catalog-tab'
import { useActiveDownloads } from '../catalog/data'
import { DownloadsTab } from '../catalog/downloads-tab'
import { Badge } from '../kit/badge'
import { Button } from '../kit/button'
import { ConfirmDialog } from '../kit/dialog'
import { Page, PageHeader } from '../kit/page-header'
import { Tabs } from '../kit/tabs'
import { useToast } from '../kit/toasts'
import { texts as common } from '../texts/common'
import { texts } from '../texts/registries'
import { type ModelView, useDeleteModel, useModels } from './data'
import { InstalledTab } from './installed-tab'
import { ModelDialog } from './model-dialog'
import { TransferMenu } from './transfer-menu'
import { TryIt } from './trial/dialog'

const TABS = ['installed', 'catalog', 'downloads'] as const
type Tab = (typeof TABS)[number]

/** What is open above the screen. */
type Open =
  | { kind: 'add' }
  | { kind: 'edit'; model: ModelView }
  | { kind: 'delete'; model: ModelView }
  | { kind: 'try'; id: string }

export function RegistriesPage() {
  const { tab: wanted } = useSearch({ from: '/registries' })
  const tab = TABS.find((one) => one === wanted) ?? 'installed'
  const navigate = useNavigate()
  const show = (next: Tab) =>
    navigate({ to: '/registries', search: { tab: next === 'installed' ? undefined : next } })
  const [open, setOpen] = useState<Open | null>(null)
  const toast = useToast()
  const add = () => setOpen({ kind: 'add' })
  const tryIt = (id: string) => setOpen({ kind: 'try', id })

  /** A new model is tried at once: whether it answers is what one wants to know. */
  function saved({ logicalId }: ModelView) {
    toast(texts.saved(logicalId))
    setOpen(open?.kind === 'add' ? { kind: 'try', id: logicalId } : null)
  }

  return (
    <Page wide>
      <PageHeader
        title={texts.title}
        description={texts.description}
        actions={
          <>
            <TransferMenu />
            <Button variant="primary" icon={<Plus aria-hidden className="size-4" />} onClick={add}>
              {common.addModel}
            </Button>
          </>
        }
      />
      <Tabs<Tab>
        label={texts.title}
        value={tab}
        onChange={show}
        tabs={[
          { value: 'installed', label: texts.tabs.installed },
          { value: 'catalog', label: texts.tabs.catalog },
          { value: 'downloads', label: <DownloadsLabel /> },
        ]}
      >
        {tab === 'installed' && (
          <InstalledTab
            onAdd={add}
            onBrowse={() => void show('catalog')}
            onTry={({ logicalId }) => tryIt(logicalId)}
            onEdit={(model) => setOpen({ kind: 'edit', model })}
            onDelete={(model) => setOpen({ kind: 'delete', model })}
          />
        )}
        {tab === 'catalog' && <CatalogTab onTry={tryIt} />}
        {tab === 'downloads' && <DownloadsTab onTry={tryIt} onBrowse={() => void show('catalog')} />}
      </Tabs>
      <Above open={open} onClose={() => setOpen(null)} onSaved={saved} />
    </Page>
  )
}

function DownloadsLabel() {
  const active = useActiveDownloads().length
  return (
    <span className="inline-flex items-center gap-1.5">
      {texts.tabs.downloads} {active > 0 && <Badge tone="accent">{active}</Badge>}
    </span>
  )
}

interface AboveProps {
  open: Open | null
  onClose: () => void
  onSaved: (model: ModelView) => void
}

function Above({ open, onClose, onSaved }: AboveProps) {
  const { data: models = [] } = useModels()
  const tried = open?.kind === 'try' && models.find(({ logicalId }) => logicalId === open.id)
  return (
    <>
      {(open?.kind === 'add' || open?.kind === 'edit') && (
        <ModelDialog
          model={open.kind === 'edit' ? open.model : undefined}
          taken={models.map(({ logicalId }) => logicalId)}
          onClose={onClose}
          onSaved={onSaved}
        />
      )}
      {tried && <TryIt model={tried} onClose={onClose} />}
      <DeleteModel model={open?.kind === 'delete' ? open.model : null} onClose={onClose} />
    </>
  )
}

function DeleteModel({ model, onClose }: { model: ModelView | null; onClose: () => void }) {
  const remove = useDeleteModel()
  const toast = useToast()
  return (
    <ConfirmDialog
      open={model !== null}
      onOpenChange={(open) => !open && onClose()}
      title={texts.deletion.title(model?.logicalId ?? '')}
      confirm={texts.deletion.confirm}
      onConfirm={async () => {
        await remove.mutateAsync(model!.logicalId)
        toast(texts.deletion.done(model!.logicalId))
      }}
    >
      <p>{texts.deletion.consequence}</p>
    </ConfirmDialog>
  )
}
