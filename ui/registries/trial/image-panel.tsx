import { Download } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../kit/button'
import { Field } from '../../kit/field'
import { Input, Textarea } from '../../kit/input'
import { Select } from '../../kit/select'
import { texts as trial } from '../../texts/trial'
import { shortTime } from '../labels'
import { render } from './calls'
import { AskForm, Figure, Figures, Outcome } from './parts'
import { useTask } from './use-task'

const texts = trial.image

const SIZES = ['512x512', '768x768', '1024x1024', '768x512', '512x768'] as const
type Size = (typeof SIZES)[number]

export function ImagePanel({ model }: { model: string }) {
  const { task, start, stop } = useTask<string[]>()
  const [prompt, setPrompt] = useState<string>(texts.promptExample)
  const [size, setSize] = useState<Size>('512x512')
  const [steps, setSteps] = useState('')
  const badSteps = steps !== '' && !/^[1-9]\d{0,2}$/.test(steps)
  return (
    <>
      <AskForm
        busy={task?.phase === 'waiting'}
        ready={prompt.trim() !== '' && !badSteps}
        verb={texts.ask}
        onStop={stop}
        onAsk={() =>
          start((signal) =>
            render(
              model,
              { prompt: prompt.trim(), size, ...(steps ? { steps: Number(steps) } : {}) },
              signal,
            ),
          )
        }
      >
        <Field label={texts.prompt}>
          <Textarea rows={3} value={prompt} onChange={(event) => setPrompt(event.target.value)} />
        </Field>
        <div className="grid grid-cols-2 gap-3">
          <Field label={texts.size}>
            <Select
              value={size}
              onChange={setSize}
              options={SIZES.map((value) => ({ value, label: value.replace('x', ' × ') }))}
              className="w-full"
            />
          </Field>
          <Field label={texts.steps} error={badSteps && texts.stepsProblem}>
            <Input
              inputMode="numeric"
              placeholder={texts.stepsPlaceholder}
              value={steps}
              onChange={(event) => setSteps(event.target.value.trim())}
            />
          </Field>
        </div>
      </AskForm>
      {task && (
        <Outcome model={model} task={task} said={() => texts.said}>
          {(pictures, tookMs) => (
            <>
              <Figures>
                <Figure label={trial.took} value={shortTime(tookMs)} />
                <Figure label={texts.size} value={size.replace('x', ' × ')} />
              </Figures>
              {pictures.map((picture, index) => (
                <figure key={picture.slice(-64)} className="flex flex-col items-start gap-2">
                  <img
                    src={picture}
                    alt={texts.alt(prompt.slice(0, 120))}
                    className="w-full rounded-lg border bg-sunken"
                  />
                  <Button asChild size="sm">
                    <a href={picture} download={`${model.replace(/[^\w.-]+/g, '-')}-${index + 1}.png`}>
                      <Download aria-hidden className="size-3.5" />
                      {texts.save}
                    </a>
                  </Button>
                </figure>
              ))}
            </>
          )}
        </Outcome>
      )}
    </>
  )
}
