import { useMutation } from '@tanstack/react-query'
import { FileJson, Trash2 } from 'lucide-react'
import type { AgentSummary } from '../../src/control/agents/schema'
import { Button } from '../kit/button'
import { ErrorNotice } from '../kit/notices'
import { texts as agents } from '../texts/agents'
import { exportAgents } from './transfer'

const texts = agents.selection

interface SelectionBarProps {
  selected: readonly AgentSummary[]
  shown: readonly AgentSummary[]
  onChoose: (ids: string[]) => void
  onDelete: () => void
}

/** What one does to several agents at once. It stays in sight while the list is scrolled. */
export function SelectionBar({ selected, shown, onChoose, onDelete }: SelectionBarProps) {
  const exporting = useMutation({ mutationFn: () => exportAgents(selected) })
  return (
    <div className="sticky top-2 z-10 flex flex-col gap-2">
      <div
        role="toolbar"
        aria-label={texts.label}
        className="flex flex-wrap items-center gap-2 rounded-lg border bg-raised p-1.5 pl-3.5 shadow-raised"
      >
        <p role="status" className="text-sm font-medium">
          {texts.chosen(selected.length)}
        </p>
        {selected.length < shown.length && (
          <Button size="sm" variant="ghost" onClick={() => onChoose(shown.map(({ id }) => id))}>
            {texts.chooseAll(shown.length)}
          </Button>
        )}
        <Button size="sm" variant="ghost" onClick={() => onChoose([])}>
          {texts.chooseNone}
        </Button>
        <span className="flex-1" />
        <Button
          size="sm"
          pending={exporting.isPending}
          icon={<FileJson aria-hidden className="size-3.5" />}
          onClick={() => exporting.mutate()}
        >
          {texts.export}
        </Button>
        <Button size="sm" icon={<Trash2 aria-hidden className="size-3.5" />} onClick={onDelete}>
          {agents.deleteMore}
        </Button>
      </div>
      {exporting.error && <ErrorNotice title={texts.exportFailed} error={exporting.error} />}
    </div>
  )
}
