import { Link } from '@tanstack/react-router'
import { MessageSquare, Play, Square } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { Help } from '../chat/explain'
import { RichText } from '../chat/rich-text'
import { Button } from '../kit/button'
import { Dialog } from '../kit/dialog'
import { Field } from '../kit/field'
import { Textarea } from '../kit/input'
import { ErrorNotice } from '../kit/notices'
import { useNow } from '../kit/use-now'
import { figuresOf, isGoingOn, type Trial } from './trial'
import { useTrial } from './use-trial'

interface TryItProps {
  model: string
  onClose: () => void
}

/** One question straight to the model: does it answer, and how fast? */
export function TryIt({ model, onClose }: TryItProps) {
  const { trial, ask, stop } = useTrial(model)
  const [prompt, setPrompt] = useState('Say hello, and tell me in one sentence what you are good at.')
  const busy = trial !== null && isGoingOn(trial)

  function submit(event: FormEvent) {
    event.preventDefault()
    if (!busy && prompt.trim()) void ask(prompt.trim())
  }

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      size="sheet"
      title={`Try ${model}`}
      description="Straight to the model: no run is kept."
      footer={
        <Button asChild>
          <Link to="/chat" search={{ model }}>
            <MessageSquare aria-hidden className="size-3.5" />
            Chat with it
          </Link>
        </Button>
      }
    >
      <form onSubmit={submit} className="flex flex-col gap-3">
        <Field label="Prompt" hideLabel>
          <Textarea
            rows={3}
            value={prompt}
            onChange={(event) => setPrompt(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && !event.shiftKey && !event.nativeEvent.isComposing) submit(event)
            }}
          />
        </Field>
        <div className="flex justify-end">
          {/* Keys, or the button that was clicked to stop would become the one that sends within the same click. */}
          {busy ? (
            <Button key="stop" icon={<Square aria-hidden className="size-3 fill-current" />} onClick={stop}>
              Stop
            </Button>
          ) : (
            <Button
              key="send"
              type="submit"
              variant="primary"
              disabled={!prompt.trim()}
              icon={<Play aria-hidden className="size-3.5" />}
            >
              Send
            </Button>
          )}
        </div>
      </form>
      {trial && <Result trial={trial} />}
    </Dialog>
  )
}

function Result({ trial }: { trial: Trial }) {
  const busy = isGoingOn(trial)
  const { firstTokenMs, tokens, counted, tokensPerSecond } = figuresOf(trial, useNow(busy, 200))
  return (
    <div className="mt-4 flex flex-col gap-4">
      <dl className="grid grid-cols-3 divide-x divide-line rounded-lg border bg-surface">
        <Figure
          label="First token"
          value={firstTokenMs === null ? '–' : `${(firstTokenMs / 1000).toFixed(2)} s`}
        />
        <Figure label="Tokens/s" value={tokensPerSecond === null ? '–' : tokensPerSecond.toFixed(1)} />
        <Figure label={counted ? 'Tokens, about' : 'Tokens'} value={String(tokens)} />
      </dl>
      {trial.reasoning !== '' && (
        <p className="max-h-40 overflow-y-auto border-l-2 pl-3 text-sm whitespace-pre-wrap text-muted">
          {trial.reasoning}
        </p>
      )}
      <div aria-busy={busy} className="min-h-6">
        {trial.text !== '' && <RichText text={trial.text} />}
        {trial.phase === 'waiting' && (
          <span className="animate-pulse text-muted">Waiting for the model…</span>
        )}
      </div>
      {trial.phase === 'stopped' && <p className="text-sm text-muted">Stopped.</p>}
      {trial.phase === 'done' && trial.text === '' && (
        <p className="text-sm text-muted">
          The answer is empty{trial.finishReason === 'length' ? ': the model used up its tokens' : ''}.
        </p>
      )}
      {trial.failure && (
        <ErrorNotice
          title={trial.text === '' ? 'No answer came' : 'The answer broke off'}
          error={trial.failure}
          help={<Help code={trial.failure.code} />}
        />
      )}
      <p role="status" className="sr-only">
        {trial.phase === 'done' ? `Answer: ${trial.text.slice(0, 500)}` : ''}
      </p>
    </div>
  )
}

const Figure = ({ label, value }: { label: string; value: string }) => (
  <div className="flex flex-col px-3 py-2">
    <dt className="truncate text-xs text-muted">{label}</dt>
    <dd className="text-lg font-medium">{value}</dd>
  </div>
)
