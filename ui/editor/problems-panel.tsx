import { CircleAlert, CircleCheck } from 'lucide-react'
import type { AgentDocument } from '../../src/graph/ir'
import type { Problem } from '../../src/graph/problem'
import { titleOf } from '../canvas/sentence'
import { EmptyState } from '../kit/placeholders'
import { texts as editor } from '../texts/editor'

const texts = editor.problems

/** More than anybody repairs in one go. */
const SHOWN = 200

interface ProblemsPanelProps {
  problems: readonly Problem[]
  document: AgentDocument
  onShow: (problem: Problem) => void
}

/** Everything that keeps the document from being published or run, as the server would say it; each leads to its place. */
export function ProblemsPanel({ problems, document, onShow }: ProblemsPanelProps) {
  if (problems.length === 0) {
    return (
      <EmptyState icon={<CircleCheck aria-hidden />} title={texts.empty}>
        {texts.emptyHint}
      </EmptyState>
    )
  }
  const nameOf = ({ node_id }: Problem) => {
    const node = document.nodes.find(({ id }) => id === node_id)
    return node ? titleOf(node) : null
  }
  return (
    <>
      <ol aria-label={texts.title} className="divide-y divide-line">
        {problems.slice(0, SHOWN).map((problem, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list comes and goes as a whole
          <li key={index}>
            <button
              type="button"
              onClick={() => onShow(problem)}
              className="flex w-full gap-2.5 px-4 py-2.5 text-left text-sm hover:bg-hover"
            >
              <CircleAlert aria-hidden className="mt-0.5 size-4 shrink-0 text-bad" />
              <span className="flex min-w-0 flex-col gap-0.5">
                {nameOf(problem) && <span className="truncate font-medium">{nameOf(problem)}</span>}
                <span className="break-words">{problem.message}</span>
                <span className="text-xs break-words text-muted">{problem.hint}</span>
              </span>
            </button>
          </li>
        ))}
      </ol>
      {problems.length > SHOWN && (
        <p className="px-4 py-2 text-xs text-muted">{texts.more(problems.length - SHOWN)}</p>
      )}
    </>
  )
}
