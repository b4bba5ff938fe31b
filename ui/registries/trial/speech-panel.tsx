import { useEffect, useMemo, useState } from 'react'
import { Field } from '../../kit/field'
import { Input, Textarea } from '../../kit/input'
import { texts as trial } from '../../texts/trial'
import { byteSize, shortTime } from '../labels'
import { speak } from './calls'
import { AskForm, Figure, Figures, Outcome } from './parts'
import { useTask } from './use-task'

const texts = trial.speech

export function SpeechPanel({ model }: { model: string }) {
  const { task, start, stop } = useTask<Blob>()
  const [input, setInput] = useState<string>(texts.textExample)
  const [voice, setVoice] = useState('')
  return (
    <>
      <AskForm
        busy={task?.phase === 'waiting'}
        ready={input.trim() !== ''}
        verb={texts.ask}
        onStop={stop}
        onAsk={() => start((signal) => speak(model, { input: input.trim(), voice: voice.trim() }, signal))}
      >
        <Field label={texts.text}>
          <Textarea rows={3} value={input} onChange={(event) => setInput(event.target.value)} />
        </Field>
        <Field label={texts.voice} hint={texts.voiceHint}>
          <Input
            spellCheck={false}
            autoComplete="off"
            value={voice}
            onChange={(event) => setVoice(event.target.value)}
          />
        </Field>
      </AskForm>
      {task && (
        <Outcome model={model} task={task} said={() => texts.said}>
          {(sound, tookMs) => (
            <>
              <Figures>
                <Figure label={trial.took} value={shortTime(tookMs)} />
                <Figure label={texts.size} value={byteSize(sound.size)} />
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
    <audio controls autoPlay src={url} className="w-full" aria-label={texts.player} />
  )
}
