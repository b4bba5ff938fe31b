import { Link } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { IconButton } from '../kit/button'
import { RelativeTime } from '../kit/relative-time'
import { Worded } from '../kit/worded'
import { texts as common } from '../texts/common'
import { texts as editorTexts } from '../texts/editor'
import { useDraftOf } from './data'
import { localCopies } from './local-copies'
import type { EditorStart } from './opening'
import type { EditorState } from './use-editor'

const texts = editorTexts.notices

interface NoticesProps {
  start: EditorStart
  editor: EditorState
  readOnly: boolean
  modelsMissing: boolean
}

const link = 'font-medium text-accent underline-offset-2 hover:underline'

/** What one should know about what is open here, a line each. */
export function Notices({
  start,
  editor: { others, saving, canUndo, merged },
  readOnly,
  modelsMissing,
}: NoticesProps) {
  const draft = useDraftOf(start.draftId === null && !readOnly ? start.agentId : null)
  const isUntouchedVersion = saving.draftId === null && start.version !== null
  const [strays] = useState(() =>
    start.draftId === null && start.agentId === null ? localCopies(localStorage).strays(start.key) : [],
  )
  return (
    <>
      {others > 0 && <Line tone="warn">{texts.otherTab}</Line>}
      {merged && (
        <Line key={merged} tone="warn">
          {merged}
        </Line>
      )}
      {start.notice && <Line>{start.notice}</Line>}
      {isUntouchedVersion && draft && (
        <Line>
          <Worded text={texts.draft} with={{ time: <RelativeTime value={draft.updated_at} /> }} />{' '}
          <Link to="/editor" search={{ draft: draft.id }} className={link}>
            {texts.openDraft}
          </Link>
        </Line>
      )}
      {strays[0] && saving.draftId === null && !canUndo && (
        <Line>
          {texts.stray}{' '}
          <button type="button" className={link} onClick={() => takeStray(strays[0]!.key, start.key)}>
            {texts.takeStray}
          </button>
        </Line>
      )}
      {modelsMissing && !readOnly && (
        <Line>
          {texts.modelsMissing}{' '}
          <Link to="/registries" className={link}>
            {common.addModel}
          </Link>
        </Line>
      )}
      {start.agentId === null && start.draftId === null && saving.draftId === null && !readOnly && (
        <Line>
          <Worded
            text={texts.firstAgent}
            with={{
              sample: (
                <Link to="/settings" search={{ tab: 'samples' }} className={link}>
                  {texts.sample}
                </Link>
              ),
            }}
          />
        </Line>
      )}
    </>
  )
}

/** What another tab left becomes what this one has open. */
function takeStray(from: string, to: string) {
  const copies = localCopies(localStorage)
  const copy = copies.read(from)
  if (!copy) return
  copies.keep(to, copy)
  copies.drop(from)
  location.reload()
}

function Line({ tone, children }: { tone?: 'warn'; children: ReactNode }) {
  const [isOpen, setIsOpen] = useState(true)
  if (!isOpen) return null
  return (
    <div
      role="status"
      className={`flex items-center gap-2 border-b px-4 py-1 text-sm ${tone ? 'bg-warn-soft' : 'bg-sunken'}`}
    >
      <p className="min-w-0 flex-1">{children}</p>
      <IconButton
        size="sm"
        label={texts.dismiss}
        icon={<X aria-hidden className="size-3.5" />}
        onClick={() => setIsOpen(false)}
      />
    </div>
  )
}
