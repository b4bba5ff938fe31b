import { ImagePlus, X } from 'lucide-react'
import { useRef, useState } from 'react'
import { asDataUri } from '../../chat/image'
import { RichText } from '../../chat/rich-text'
import { Button, IconButton } from '../../kit/button'
import { Field } from '../../kit/field'
import { Textarea } from '../../kit/input'
import { ErrorNotice } from '../../kit/notices'
import { useNow } from '../../kit/use-now'
import { texts } from '../../texts/trial'
import { figuresOf, isGoingOn, type Trial } from './chat-trial'
import { AskForm, Failed, Figure, Figures, Waiting } from './parts'
import { useChatTrial } from './use-chat-trial'

/** `sees`: it takes pictures too. */
export function ChatPanel({ model, sees }: { model: string; sees: boolean }) {
  const { trial, ask, stop } = useChatTrial(model)
  const [prompt, setPrompt] = useState<string>(
    sees ? texts.chat.promptAboutPicture : texts.chat.promptExample,
  )
  const [image, setImage] = useState<string | null>(null)
  return (
    <>
      <AskForm
        busy={trial !== null && isGoingOn(trial)}
        ready={prompt.trim() !== ''}
        verb={texts.chat.ask}
        onStop={stop}
        onAsk={() => void ask({ prompt: prompt.trim(), image })}
        aside={sees && <Picture image={image} onChange={setImage} />}
      >
        <Field label={texts.chat.prompt} hideLabel>
          <Textarea rows={3} value={prompt} onChange={(event) => setPrompt(event.target.value)} />
        </Field>
      </AskForm>
      {trial && <Result model={model} trial={trial} />}
    </>
  )
}

function Picture({ image, onChange }: { image: string | null; onChange: (image: string | null) => void }) {
  const picker = useRef<HTMLInputElement>(null)
  const [problem, setProblem] = useState<unknown>(null)

  async function take(file: File | undefined) {
    if (!file) return
    setProblem(null)
    try {
      onChange(await asDataUri(file))
    } catch (error) {
      setProblem(error)
    }
  }

  return (
    <div className="flex items-center gap-2">
      <input
        ref={picker}
        type="file"
        accept="image/*"
        hidden
        aria-label={texts.chat.picture.label}
        onChange={(event) => {
          void take(event.target.files?.[0])
          event.target.value = ''
        }}
      />
      {image ? (
        <>
          <img src={image} alt={texts.chat.picture.alt} className="h-8 rounded-md border" />
          <IconButton
            label={texts.chat.picture.remove}
            size="sm"
            icon={<X aria-hidden className="size-3.5" />}
            onClick={() => onChange(null)}
          />
        </>
      ) : (
        <Button icon={<ImagePlus aria-hidden className="size-4" />} onClick={() => picker.current?.click()}>
          {texts.chat.picture.add}
        </Button>
      )}
      {problem !== null && <ErrorNotice error={problem} />}
    </div>
  )
}

function Result({ model, trial }: { model: string; trial: Trial }) {
  const busy = isGoingOn(trial)
  const { firstTokenMs, tokens, counted, tokensPerSecond } = figuresOf(trial, useNow(busy, 200))
  return (
    <div className="mt-4 flex flex-col gap-4">
      <Figures>
        <Figure
          label={texts.chat.figures.firstToken}
          value={firstTokenMs === null ? '–' : `${(firstTokenMs / 1000).toFixed(2)} s`}
        />
        <Figure
          label={texts.chat.figures.tokensPerSecond}
          value={tokensPerSecond === null ? '–' : tokensPerSecond.toFixed(1)}
        />
        <Figure
          label={counted ? texts.chat.figures.tokensAbout : texts.chat.figures.tokens}
          value={String(tokens)}
        />
      </Figures>
      {trial.reasoning !== '' && (
        <p className="max-h-40 overflow-y-auto border-l-2 pl-3 text-sm whitespace-pre-wrap text-muted">
          {trial.reasoning}
        </p>
      )}
      <div aria-busy={busy} className="min-h-6">
        {trial.text !== '' && <RichText text={trial.text} />}
        {trial.phase === 'waiting' && <Waiting model={model} since={trial.askedAt} />}
      </div>
      {trial.phase === 'stopped' && <p className="text-sm text-muted">{texts.stopped}</p>}
      {trial.phase === 'done' && trial.text === '' && (
        <p className="text-sm text-muted">
          {trial.finishReason === 'length' ? texts.chat.emptyForLength : texts.chat.empty}
        </p>
      )}
      {trial.failure && (
        <Failed title={trial.text === '' ? texts.failed : texts.chat.brokeOff} error={trial.failure} />
      )}
      <p role="status" className="sr-only">
        {trial.phase === 'done' ? texts.chat.said(trial.text.slice(0, 500)) : ''}
      </p>
    </div>
  )
}
