import { Link } from '@tanstack/react-router'
import { Ellipsis, Send, Trash2 } from 'lucide-react'
import { useState } from 'react'
import type { DraftSummary } from '../../src/control/drafts/schema'
import { IconButton } from '../kit/button'
import { ConfirmDialog } from '../kit/dialog'
import { Menu, MenuItem } from '../kit/menu'
import { ErrorNotice } from '../kit/notices'
import { RelativeTime } from '../kit/relative-time'
import { rowLink } from '../kit/table'
import { useToast } from '../kit/toasts'
import { Worded } from '../kit/worded'
import { texts as agents } from '../texts/agents'
import { texts as common } from '../texts/common'
import { useDeleteDraft, useDraft, useLatestDrafts } from './data'
import { PublishDialog } from './publish-dialog'

const texts = agents.drafts
const SHOWN = 8

interface DraftsStripProps {
  onPublished: (agent: { id: string }, version: string, count: number) => void
}

/** What is being worked on, above what is published. Nothing at all where there are no drafts. */
export function DraftsStrip({ onPublished }: DraftsStripProps) {
  const drafts = useLatestDrafts(SHOWN)
  const [open, setOpen] = useState<{ act: 'publish' | 'delete'; draft: DraftSummary } | null>(null)
  if (drafts.error) return <ErrorNotice title={texts.failed} error={drafts.error} />
  if (!drafts.data || drafts.data.length === 0) return null
  const close = () => setOpen(null)
  return (
    <section aria-labelledby="drafts" className="flex min-w-0 flex-col gap-2">
      <h2 id="drafts" className="text-sm font-semibold">
        {texts.title}
      </h2>
      <ul className="grid gap-3 sm:grid-cols-2 lg:grid-cols-4">
        {drafts.data.map((draft) => (
          <li
            key={draft.id}
            className="relative flex min-w-0 items-start gap-2 rounded-xl border border-dashed bg-surface py-2.5 pr-2 pl-3.5 transition-colors hover:bg-sunken/60"
          >
            <div className="min-w-0 flex-1">
              <Link
                to="/editor"
                search={{ draft: draft.id }}
                className={`${rowLink} block truncate text-sm font-medium`}
              >
                {titleOf(draft)}
              </Link>
              <p className="truncate text-xs text-muted">
                {texts.nodes(draft.node_count)} · <RelativeTime value={draft.updated_at} />
              </p>
            </div>
            <Menu
              trigger={
                <IconButton
                  size="sm"
                  className="relative"
                  label={texts.more(titleOf(draft))}
                  icon={<Ellipsis aria-hidden className="size-4" />}
                />
              }
            >
              <MenuItem icon={<Send aria-hidden />} onSelect={() => setOpen({ act: 'publish', draft })}>
                {texts.publish}
              </MenuItem>
              <MenuItem icon={<Trash2 aria-hidden />} onSelect={() => setOpen({ act: 'delete', draft })}>
                {common.delete}
              </MenuItem>
            </Menu>
          </li>
        ))}
      </ul>
      {open?.act === 'publish' && (
        <PublishDraft id={open.draft.id} onClose={close} onPublished={onPublished} />
      )}
      {open?.act === 'delete' && <DeleteDraft draft={open.draft} onClose={close} />}
    </section>
  )
}

/** What is published is no draft any more (interface, 12). */
function PublishDraft({ id, onClose, onPublished }: DraftsStripProps & { id: string; onClose: () => void }) {
  const draft = useDraft(id)
  const remove = useDeleteDraft()
  if (draft.error) return <ErrorNotice title={texts.draftFailed} error={draft.error} />
  if (!draft.data) return null
  const { ir, view } = draft.data
  return (
    <PublishDialog
      initial={JSON.stringify(view ? { ...ir, view } : ir, null, 2)}
      onClose={onClose}
      onPublished={(agent, version, count) => {
        remove.mutate(id)
        onPublished(agent, version, count)
      }}
    />
  )
}

function DeleteDraft({ draft, onClose }: { draft: DraftSummary; onClose: () => void }) {
  const remove = useDeleteDraft()
  const toast = useToast()
  return (
    <ConfirmDialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={texts.delete.title}
      confirm={texts.delete.confirm}
      onConfirm={async () => {
        await remove.mutateAsync(draft.id)
        toast(texts.delete.deleted)
      }}
    >
      <p>
        <Worded
          text={texts.delete.hint}
          with={{ name: <span className="break-words text-text">{titleOf(draft)}</span> }}
        />
      </p>
    </ConfirmDialog>
  )
}

const titleOf = ({ name, agent_id }: DraftSummary): string => name ?? agent_id ?? texts.unnamed
