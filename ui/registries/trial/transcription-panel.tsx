import { FileAudio } from 'lucide-react'
import { useRef, useState } from 'react'
import { Button } from '../../kit/button'
import { classes } from '../../kit/classes'
import { CodeBlock } from '../../kit/copying'
import { texts as trial } from '../../texts/trial'
import { byteSize, shortTime } from '../labels'
import { transcribe } from './calls'
import { AskForm, Figure, Figures, Outcome } from './parts'
import { useTask } from './use-task'

const texts = trial.transcription

export function TranscriptionPanel({ model }: { model: string }) {
  const { task, start, stop } = useTask<string>()
  const [file, setFile] = useState<File | null>(null)
  return (
    <>
      <AskForm
        busy={task?.phase === 'waiting'}
        ready={file !== null}
        verb={texts.ask}
        onStop={stop}
        onAsk={() => start((signal) => transcribe(model, file!, signal))}
      >
        <SoundFile file={file} onPick={setFile} />
      </AskForm>
      {task && (
        <Outcome model={model} task={task} said={(text) => texts.said(text.slice(0, 500))}>
          {(text, tookMs) => (
            <>
              <Figures>
                <Figure label={trial.took} value={shortTime(tookMs)} />
                <Figure label={texts.words} value={String(text.split(/\s+/).filter(Boolean).length)} />
              </Figures>
              {text.trim() === '' ? (
                <p className="text-sm text-muted">{texts.empty}</p>
              ) : (
                <CodeBlock label={texts.transcript} text={text.trim()} />
              )}
            </>
          )}
        </Outcome>
      )}
    </>
  )
}

function SoundFile({ file, onPick }: { file: File | null; onPick: (file: File) => void }) {
  const picker = useRef<HTMLInputElement>(null)
  const [over, setOver] = useState(false)
  const take = (files: FileList | null | undefined) => files?.[0] && onPick(files[0])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a shortcut; the button in it does the same
    <div
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        take(event.dataTransfer.files)
      }}
      className={classes(
        'flex flex-col items-center gap-2 rounded-lg border border-dashed px-4 py-6 text-center text-sm text-muted',
        over ? 'border-accent bg-accent-soft' : 'border-line-strong',
      )}
    >
      <FileAudio aria-hidden className="size-5 text-faint" />
      {file ? (
        <p className="max-w-full">
          <span className="font-medium text-text">{file.name}</span> · {byteSize(file.size)}
        </p>
      ) : (
        <p>{texts.drop}</p>
      )}
      <Button size="sm" onClick={() => picker.current?.click()}>
        {file ? texts.chooseAnother : texts.choose}
      </Button>
      <input
        ref={picker}
        type="file"
        accept="audio/*,video/*"
        hidden
        aria-label={texts.file}
        onChange={(event) => {
          take(event.target.files)
          event.target.value = ''
        }}
      />
    </div>
  )
}
