import { Link } from '@tanstack/react-router'
import { Play, Square } from 'lucide-react'
import type { AgentDocument } from '../../../src/graph/ir'
import type { Problem } from '../../../src/graph/problem'
import { titleOf } from '../../canvas/sentence'
import { isOver } from '../../chat/answer'
import { RichText } from '../../chat/rich-text'
import { Button } from '../../kit/button'
import { ErrorNotice, Notice } from '../../kit/notices'
import { Spinner } from '../../kit/spinner'
import { LoadLine } from '../../registries/load-line'
import { texts as panels } from '../../texts/editor-panels'
import type { TestRun } from '../use-test-run'
import { InputField, modalityOf, runInput, type TestInput } from './input'
import { OutputView } from './output'
import { gateOf, restartAfter } from './plan'

const texts = panels.test

interface TestPanelProps {
  document: AgentDocument
  problems: readonly Problem[]
  input: TestInput
  run: TestRun | null
  pinned: string | null
  onInput: (input: TestInput) => void
  onRun: () => void
  onStop: () => void
  onUnpin: () => void
  onProblems: () => void
}

/** Runs the document as it is now, without publishing it, and shows what comes out while it comes. */
export function TestPanel(props: TestPanelProps) {
  const { document, problems, input, run, onInput, onRun, onStop } = props
  const gate = gateOf(document, problems)
  const modality = modalityOf(document)
  const given = runInput(modality, input)
  const isRunning = run !== null && !isOver(run.answer)
  return (
    <div className="flex min-w-0 flex-col gap-4 p-4">
      {gate ? (
        <Notice tone="warn">
          <p>{gate}</p>
          {problems.length > 0 && (
            <Button size="sm" className="mt-2" onClick={props.onProblems}>
              {texts.gate.showProblems}
            </Button>
          )}
        </Notice>
      ) : (
        <>
          <InputField modality={modality} input={input} onChange={onInput} onRun={onRun} />
          <Pinned {...props} />
          <div className="flex items-center gap-2">
            {isRunning ? (
              <Button icon={<Square aria-hidden className="size-3.5" />} onClick={onStop}>
                {texts.stop}
              </Button>
            ) : (
              <Button
                variant="primary"
                icon={<Play aria-hidden className="size-3.5" />}
                disabled={'missing' in given}
                onClick={onRun}
              >
                {texts.run}
              </Button>
            )}
            {'missing' in given && input.text === '' && (
              <span className="text-xs text-muted">{given.missing}</span>
            )}
          </div>
        </>
      )}
      {run && <Outcome run={run} models={Object.values(document.models).map(({ model }) => model)} />}
    </div>
  )
}

/** A node whose output is kept: the run begins after it, where that is possible. */
function Pinned({ document, pinned, run, onUnpin }: TestPanelProps) {
  const node = document.nodes.find(({ id }) => id === pinned)
  if (!node) return null
  const restart = restartAfter(document, run?.hash ?? null, node.id)
  return (
    <Notice>
      <p>
        {'from' in restart
          ? texts.pinned.kept(titleOf(node))
          : texts.pinned.notKept(titleOf(node), restart.reason)}
      </p>
      <Button size="sm" variant="ghost" className="mt-1" onClick={onUnpin}>
        {texts.pinned.release}
      </Button>
    </Notice>
  )
}

/** `models`: the logical ids that the document may ask. */
function Outcome({ run: { answer }, models }: { run: TestRun; models: string[] }) {
  const { phase, text, reasoning, failure, runId } = answer
  return (
    <section aria-label={texts.result.label} aria-live="polite" className="flex min-w-0 flex-col gap-3">
      <div className="flex items-center gap-2 text-sm font-semibold">
        {!isOver(answer) && <Spinner />}
        <h3>{texts.result.phases[phase]}</h3>
        {runId && (
          <Link
            to="/runs/$id"
            params={{ id: runId }}
            className="ml-auto text-xs font-normal text-accent underline-offset-2 hover:underline"
          >
            {texts.result.timeline}
          </Link>
        )}
      </div>
      {!isOver(answer) && <LoadLine models={models} />}
      {reasoning !== '' && (
        <details className="text-xs text-muted">
          <summary className="cursor-pointer">{texts.result.reasoning}</summary>
          <p className="pt-1 whitespace-pre-wrap">{reasoning}</p>
        </details>
      )}
      {text !== '' && (
        <div data-answer className="min-w-0 rounded-lg border bg-surface px-3 py-2">
          {isOver(answer) ? <OutputView text={text} /> : <RichText text={text} />}
        </div>
      )}
      {failure && phase === 'failed' && <ErrorNotice title={texts.result.failed} error={failure} />}
      {failure && phase === 'completed' && <Notice tone="warn">{failure.message}</Notice>}
    </section>
  )
}
