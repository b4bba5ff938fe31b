import { useEffect, useMemo, useState } from 'react'
import { Field } from '../../kit/field'
import { Input, Textarea } from '../../kit/input'
import { byteSize, shortTime } from '../labels'
import { speak } from './calls'
import { AskForm, Figure, Figures, Outcome } from './parts'
import { useTask } from './use-task'

export function SpeechPanel({ model }: { model: string }) {
  const { task, start, stop } = useTask<Blob>()
  const [input, setInput] = useState('Hello! This is how I sound.')
  const [voice, setVoice] = useState('')
  return (
    <>
      <AskForm
        busy={task?.phase === 'waiting'}
        ready={input.trim() !== ''}
        verb="Speak"
        onStop={stop}
        onAsk={() => start((signal) => speak(model, { input: input.trim(), voice: voice.trim() }, signal))}
      >
        <Field label="Text">
          <Textarea rows={3} value={input} onChange={(event) => setInput(event.target.value)} />
        </Field>
        <Field label="Voice" hint="Empty for the model’s own.">
          <Input
            spellCheck={false}
            autoComplete="off"
            value={voice}
            onChange={(event) => setVoice(event.target.value)}
          />
        </Field>
      </AskForm>
      {task && (
        <Outcome model={model} task={task} said={() => 'The recording is there.'}>
          {(sound, tookMs) => (
            <>
              <Figures>
                <Figure label="Took" value={shortTime(tookMs)} />
                <Figure label="Size" value={byteSize(sound.size)} />
              </Figures>
              <Player sound={sound} />
            </>
          )}
        </Outcome>
      )}
    </>
  )
}

function Player({ sound }: { sound: Blob }) {
  const url = useMemo(() => URL.createObjectURL(sound), [sound])
  useEffect(() => () => URL.revokeObjectURL(url), [url])
  return (
    // biome-ignore lint/a11y/useMediaCaption: its words are the text above
    <audio controls autoPlay src={url} className="w-full" aria-label="What the model says" />
  )
}
