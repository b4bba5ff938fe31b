import { useState } from 'react'
import { Field } from '../../kit/field'
import { Textarea } from '../../kit/input'
import { texts as trial } from '../../texts/trial'
import { shortTime } from '../labels'
import { embed } from './calls'
import { AskForm, Figure, Figures, Outcome } from './parts'
import { useTask } from './use-task'

const VALUES_SHOWN = 8

/** Each line is a text of its own; how near the others are to the first is what embeddings are for. */
export function EmbeddingsPanel({ model }: { model: string }) {
  const { task, start, stop } = useTask<{ texts: string[]; vectors: number[][] }>()
  const [input, setInput] = useState<string>(trial.embeddings.example)
  const texts = input.split('\n').filter((line) => line.trim() !== '')
  return (
    <>
      <AskForm
        busy={task?.phase === 'waiting'}
        ready={texts.length > 0}
        verb={trial.embeddings.ask}
        onStop={stop}
        onAsk={() => start(async (signal) => ({ texts, vectors: await embed(model, texts, signal) }))}
      >
        <Field label={trial.embeddings.texts} hint={trial.embeddings.hint}>
          <Textarea rows={4} value={input} onChange={(event) => setInput(event.target.value)} />
        </Field>
      </AskForm>
      {task && (
        <Outcome
          model={model}
          task={task}
          said={({ vectors }) => trial.embeddings.said(vectors.length, vectors[0]?.length ?? 0)}
        >
          {(result, tookMs) => <Vectors {...result} tookMs={tookMs} />}
        </Outcome>
      )}
    </>
  )
}

const Vectors = ({ texts, vectors, tookMs }: { texts: string[]; vectors: number[][]; tookMs: number }) => (
  <>
    <Figures>
      <Figure label={trial.embeddings.dimensions} value={String(vectors[0]?.length ?? 0)} />
      <Figure label={trial.embeddings.texts} value={String(vectors.length)} />
      <Figure label={trial.took} value={shortTime(tookMs)} />
    </Figures>
    {vectors.length > 1 && (
      <div>
        <h3 className="mb-1.5 text-xs font-medium text-muted">{trial.embeddings.nearness}</h3>
        <ul className="flex flex-col gap-2">
          {vectors.slice(1).map((vector, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the same text may come twice, and none moves
            <li key={index} className="flex flex-col gap-1 text-sm">
              <div className="flex justify-between gap-3">
                <span className="truncate">{texts[index + 1]}</span>
                <span className="shrink-0 font-medium">{cosine(vectors[0]!, vector).toFixed(3)}</span>
              </div>
              <Nearness value={cosine(vectors[0]!, vector)} />
            </li>
          ))}
        </ul>
      </div>
    )}
    <p className="font-mono text-xs break-words text-faint">
      {(vectors[0] ?? [])
        .slice(0, VALUES_SHOWN)
        .map((value) => value.toFixed(4))
        .join('  ')}
      {(vectors[0]?.length ?? 0) > VALUES_SHOWN && ' …'}
    </p>
  </>
)

const Nearness = ({ value }: { value: number }) => (
  <div aria-hidden className="h-1 overflow-hidden rounded-full bg-sunken">
    <div className="h-full rounded-full bg-accent" style={{ width: `${Math.max(0, value) * 100}%` }} />
  </div>
)

function cosine(a: readonly number[], b: readonly number[]): number {
  const dot = (x: readonly number[], y: readonly number[]) =>
    x.reduce((sum, value, index) => sum + value * (y[index] ?? 0), 0)
  const length = Math.sqrt(dot(a, a) * dot(b, b))
  return length === 0 ? 0 : dot(a, b) / length
}
