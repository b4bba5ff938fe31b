import { Upload } from 'lucide-react'
import { useRef, useState } from 'react'
import type { Problem } from '../../src/graph/problem'
import { ApiError } from '../api'
import { Button } from '../kit/button'
import { Field } from '../kit/field'
import { FormDialog } from '../kit/form-dialog'
import { Textarea } from '../kit/input'
import { ErrorNotice } from '../kit/notices'
import { texts as agents } from '../texts/agents'
import { usePublish } from './data'

const texts = agents.publish
const EXAMPLE = '{"schemaVersion": "1.0", "id": "agent.greeter", …}'

interface PublishDialogProps {
  /** What stands in it at first. */
  initial?: string
  onClose: () => void
  /** Of several documents the last one is told. */
  onPublished: (agent: { id: string }, version: string, count: number) => void
}

/** An agent document as JSON, or a list of them, published as it is. */
export function PublishDialog({ initial = '', onClose, onPublished }: PublishDialogProps) {
  const [text, setText] = useState(initial)
  const [mistake, setMistake] = useState<string | null>(null)
  const publish = usePublish()
  const file = useRef<HTMLInputElement>(null)

  function submit() {
    const { documents, mistake: wrong } = read(text)
    setMistake(wrong)
    publish.reset()
    if (wrong !== null) return
    publish.mutate(documents, {
      onSuccess(agents) {
        // What is published was a document.
        const { version } = documents.at(-1) as { version: string }
        onPublished(agents.at(-1)!, version, agents.length)
      },
    })
  }

  return (
    <FormDialog
      title={agents.publishFromJson}
      description={texts.description}
      size="lg"
      submit={texts.submit}
      pending={publish.isPending}
      onSubmit={submit}
      onClose={onClose}
      actions={
        <Button
          className="mr-auto"
          icon={<Upload aria-hidden className="size-4" />}
          onClick={() => file.current?.click()}
        >
          {texts.file}
        </Button>
      }
    >
      <Field label={texts.document} error={mistake}>
        <Textarea
          rows={14}
          className="font-mono text-xs"
          spellCheck={false}
          value={text}
          placeholder={EXAMPLE}
          onChange={(event) => setText(event.target.value)}
        />
      </Field>
      <input
        ref={file}
        type="file"
        accept=".json,application/json"
        hidden
        onChange={(event) => void event.target.files?.[0]?.text().then(setText)}
      />
      {publish.error && <Refusal error={publish.error} />}
    </FormDialog>
  )
}

function read(text: string): { documents: unknown[]; mistake: string | null } {
  const nothing = { documents: [], mistake: texts.missing }
  if (text.trim() === '') return nothing
  try {
    const value: unknown = JSON.parse(text)
    const documents = Array.isArray(value) ? value : [value]
    return documents.length === 0 ? nothing : { documents, mistake: null }
  } catch (error) {
    return { documents: [], mistake: texts.notJson((error as Error).message) }
  }
}

function Refusal({ error }: { error: unknown }) {
  const problems = error instanceof ApiError ? error.problems : []
  if (problems.length === 0) return <ErrorNotice title={texts.failed} error={error} />
  return (
    <section role="alert" aria-label={texts.problems} className="flex flex-col gap-2">
      <p className="text-sm font-medium text-bad">{texts.refused(problems.length)}</p>
      <ol className="divide-y divide-line rounded-lg border bg-surface">
        {problems.slice(0, SHOWN).map((problem, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the list comes and goes as a whole
          <ProblemRow key={index} problem={problem} />
        ))}
      </ol>
      {problems.length > SHOWN && (
        <p className="text-xs text-muted">{texts.others(problems.length - SHOWN)}</p>
      )}
    </section>
  )
}

/** More than anybody repairs in one go. */
const SHOWN = 100

const ProblemRow = ({ problem: { message, hint, path } }: { problem: Problem }) => (
  <li className="flex flex-col gap-0.5 px-3 py-2 text-sm">
    <p className="break-words">{message}</p>
    <p className="text-muted">{hint}</p>
    {path !== '' && <code className="text-xs break-all text-muted">{path}</code>}
  </li>
)
