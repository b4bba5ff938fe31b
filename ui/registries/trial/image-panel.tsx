import { Download } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../kit/button'
import { Field } from '../../kit/field'
import { Input, Textarea } from '../../kit/input'
import { Select } from '../../kit/select'
import { shortTime } from '../labels'
import { render } from './calls'
import { AskForm, Figure, Figures, Outcome } from './parts'
import { useTask } from './use-task'

const SIZES = ['512x512', '768x768', '1024x1024', '768x512', '512x768'] as const
type Size = (typeof SIZES)[number]

export function ImagePanel({ model }: { model: string }) {
  const { task, start, stop } = useTask<string[]>()
  const [prompt, setPrompt] = useState('A lighthouse in a calm sea at dawn, watercolour')
  const [size, setSize] = useState<Size>('512x512')
  const [steps, setSteps] = useState('')
  const badSteps = steps !== '' && !/^[1-9]\d{0,2}$/.test(steps)
  return (
    <>
      <AskForm
        busy={task?.phase === 'waiting'}
        ready={prompt.trim() !== '' && !badSteps}
        verb="Render"
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
        <Field label="Prompt">
          <Textarea rows={3} value={prompt} onChange={(event) => setPrompt(event.target.value)} />
        </Field>
        <div className="grid grid-cols-2 gap-3">
          <Field label="Size">
            <Select
              value={size}
              onChange={setSize}
              options={SIZES.map((value) => ({ value, label: value.replace('x', ' × ') }))}
              className="w-full"
            />
          </Field>
          <Field label="Steps" error={badSteps && 'A whole number from 1 to 999.'}>
            <Input
              inputMode="numeric"
              placeholder="As the engine likes"
              value={steps}
              onChange={(event) => setSteps(event.target.value.trim())}
            />
          </Field>
        </div>
      </AskForm>
      {task && (
        <Outcome model={model} task={task} said={() => 'The picture is there.'}>
          {(pictures, tookMs) => (
            <>
              <Figures>
                <Figure label="Took" value={shortTime(tookMs)} />
                <Figure label="Size" value={size.replace('x', ' × ')} />
              </Figures>
              {pictures.map((picture, index) => (
                <figure key={picture.slice(-64)} className="flex flex-col items-start gap-2">
                  <img
                    src={picture}
                    alt={`Rendered: ${prompt.slice(0, 120)}`}
                    className="w-full rounded-lg border bg-sunken"
                  />
                  <Button asChild size="sm">
                    <a href={picture} download={`${model.replace(/[^\w.-]+/g, '-')}-${index + 1}.png`}>
                      <Download aria-hidden className="size-3.5" />
                      Save the picture
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
