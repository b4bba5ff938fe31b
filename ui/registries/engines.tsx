import { Check, Minus } from 'lucide-react'
import { Card } from '../kit/card'
import { classes } from '../kit/classes'
import { ErrorNotice } from '../kit/notices'
import { SkeletonRows } from '../kit/placeholders'
import { texts as registries } from '../texts/registries'
import { type EngineReadiness, useReadiness } from './data'
import { WithCode } from './hint'
import { engineName, MODALITY_LABELS } from './labels'

const texts = registries.engines

/** Which programs of this machine can run models, for what, and how to get the others. */
export function Engines() {
  const { data, error, refetch } = useReadiness()
  return (
    <Card title={texts.title} flush>
      {error ? (
        <div className="px-4 pb-4">
          <ErrorNotice title={texts.failed} error={error} onRetry={() => void refetch()} />
        </div>
      ) : !data ? (
        <SkeletonRows rows={2} label={texts.loading} />
      ) : (
        <>
          {!data.some(({ ready }) => ready) && <p className="px-4 pb-3 text-sm text-muted">{texts.none}</p>}
          <ul className="divide-y divide-line border-t">
            {programsOf(data).map((program) => (
              <Program key={program.name} {...program} />
            ))}
          </ul>
        </>
      )}
    </Card>
  )
}

interface ProgramProps {
  name: string
  modalities: EngineReadiness[]
}

/** Readiness is told per engine and modality; people install programs. */
function programsOf(engines: readonly EngineReadiness[]): ProgramProps[] {
  const programs = Map.groupBy(engines, ({ engine, modality }) => engineName(engine, modality))
  return [...programs]
    .map(([name, modalities]) => ({ name, modalities }))
    .sort((a, b) => Number(isReady(b)) - Number(isReady(a)))
}

const isReady = ({ modalities }: ProgramProps) => modalities.some(({ ready }) => ready)

function Program({ name, modalities }: ProgramProps) {
  const ready = modalities.some((one) => one.ready)
  const hints = [...new Set(modalities.flatMap((one) => (one.ready ? [] : [one.reason ?? texts.notFound])))]
  return (
    <li className="flex flex-col gap-1.5 px-4 py-2.5">
      <div className="flex flex-col gap-1">
        <span className={classes('text-sm', ready ? 'font-medium' : 'text-muted')}>{name}</span>
        <ul className="flex flex-wrap gap-1" aria-label={texts.serves(name)}>
          {modalities.map((one) => (
            <Modality key={one.modality} {...one} />
          ))}
        </ul>
      </div>
      {hints.length > 0 && (
        <details>
          <summary className="cursor-pointer text-xs text-muted hover:text-text">
            {ready ? texts.howToGetRest : texts.howToGet}
          </summary>
          <ul className="mt-1 flex flex-col gap-1">
            {hints.map((hint) => (
              <li key={hint} className="text-xs text-muted">
                <WithCode text={hint} />
              </li>
            ))}
          </ul>
        </details>
      )}
    </li>
  )
}

const Modality = ({ modality, ready }: EngineReadiness) => (
  <li
    className={classes(
      'inline-flex items-center gap-1 rounded-full px-2 text-xs leading-5',
      ready ? 'bg-good-soft text-good' : 'bg-sunken text-muted',
    )}
  >
    {ready ? <Check aria-hidden className="size-3" /> : <Minus aria-hidden className="size-3" />}
    {MODALITY_LABELS[modality]}
    <span className="sr-only">, {ready ? texts.ready : texts.notReady}</span>
  </li>
)
