import { StatusDot, type Tone } from '../kit/badge'
import { classes } from '../kit/classes'
import { Popover } from '../kit/popover'
import { texts } from '../texts/shell'
import { type Health, useHealth } from './data'

const PLANES = ['control', 'inference'] as const

/** One line on how both planes are; more on a click. `compact` leaves the words to screen readers. */
export function PlaneHealth({ compact }: { compact: boolean }) {
  const control = useHealth('control')
  const inference = useHealth('inference')
  const { tone, text } = summary(control, inference)
  return (
    <>
      <span role="status" className="sr-only">
        {text}
      </span>
      <Popover
        label={texts.planes.title}
        side="top"
        trigger={
          <button
            type="button"
            className={classes(
              'flex h-8 items-center gap-2.5 rounded-md text-xs text-muted transition-colors hover:bg-sunken hover:text-text pointer-coarse:h-10',
              compact ? 'w-8 justify-center' : 'w-full px-2.5',
            )}
          >
            <StatusDot tone={tone} pulse={tone === 'bad'} />
            <span className={compact ? 'sr-only' : 'truncate'}>{text}</span>
          </button>
        }
      >
        <PlaneStates />
      </Popover>
    </>
  )
}

/** Both planes with what they say about themselves. */
export function PlaneStates() {
  const states = { control: useHealth('control'), inference: useHealth('inference') }
  return (
    <ul className="flex flex-col gap-4">
      {PLANES.map((name) => {
        const health = states[name]
        const { title, does } = texts.planes[name]
        return (
          <li key={name} className="flex gap-3">
            <span className="flex h-5 items-center">
              <StatusDot tone={toneOf(health)} />
            </span>
            <div className="min-w-0">
              <p className="text-sm font-medium">
                {title} <span className="font-normal text-muted">{wordFor(health)}</span>
              </p>
              <p className="text-xs text-muted">
                {health && health.state !== 'ready' ? health.reason : does}
              </p>
              {health?.state === 'ready' &&
                health.warnings.map((warning) => (
                  <p key={warning} className="mt-1 text-xs text-warn">
                    {warning}
                  </p>
                ))}
            </div>
          </li>
        )
      })}
    </ul>
  )
}

/** What keeps the application from working at all, in words; `null` when nothing does. */
export function useOutage(): string | null {
  const control = useHealth('control')
  const inference = useHealth('inference')
  if (control && control.state !== 'ready') return control.reason
  // A plane without engines still serves models of providers: that is no outage.
  return inference?.state === 'unreachable' ? inference.reason : null
}

function summary(control: Health | undefined, inference: Health | undefined): { tone: Tone; text: string } {
  if (!control || !inference) return { tone: 'neutral', text: texts.summary.checking }
  if (control.state === 'unreachable') return { tone: 'bad', text: texts.summary.controlUnreachable }
  if (inference.state === 'unreachable') return { tone: 'bad', text: texts.summary.inferenceUnreachable }
  if (control.state === 'not-ready') return { tone: 'bad', text: texts.summary.controlNotReady }
  if (inference.state === 'not-ready') return { tone: 'warn', text: texts.summary.noModel }
  if (control.warnings.length > 0) return { tone: 'warn', text: texts.summary.warning }
  return { tone: 'good', text: texts.summary.ready }
}

function toneOf(health: Health | undefined): Tone {
  if (!health) return 'neutral'
  if (health.state === 'ready') return health.warnings.length > 0 ? 'warn' : 'good'
  return health.state === 'not-ready' ? 'warn' : 'bad'
}

const wordFor = (health: Health | undefined): string =>
  health ? texts.planes.states[health.state] : texts.planes.asking
