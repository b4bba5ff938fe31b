import { StatusDot } from '../kit/badge'
import { Card } from '../kit/card'
import { ErrorNotice } from '../kit/notices'
import { SkeletonRows } from '../kit/placeholders'
import { type EngineReadiness, useEngines } from './data'
import { engineLabel } from './labels'

/** Which programs of this machine can run models, and how to get the others. */
export function Engines() {
  const { data, error, refetch } = useEngines()
  const ready = data?.filter((engine) => engine.ready) ?? []
  const missing = data?.filter((engine) => !engine.ready) ?? []
  return (
    <Card title="Local engines" flush>
      {error ? (
        <div className="px-4 pb-4">
          <ErrorNotice
            title="The engines could not be looked at"
            error={error}
            onRetry={() => void refetch()}
          />
        </div>
      ) : !data ? (
        <SkeletonRows rows={2} label="Looking at the engines" />
      ) : (
        <div className="flex flex-col gap-3 px-4 pb-4">
          {ready.length === 0 ? (
            <p className="text-sm text-muted">None is installed. Remote models work without.</p>
          ) : (
            <ul className="flex flex-col gap-1">
              {ready.map(({ name }) => (
                <li key={name} className="flex items-center gap-2 text-sm">
                  <StatusDot tone="good" label="Ready" />
                  {engineLabel(name)}
                </li>
              ))}
            </ul>
          )}
          {missing.length > 0 && <Missing engines={missing} />}
        </div>
      )}
    </Card>
  )
}

const Missing = ({ engines }: { engines: EngineReadiness[] }) => (
  <details>
    <summary className="cursor-pointer text-sm text-muted hover:text-text">
      {engines.length} not installed, and how to get them
    </summary>
    <ul className="mt-2 flex flex-col gap-2.5">
      {engines.map(({ name, reason }) => (
        <li key={name} className="text-xs">
          <span className="font-medium">{engineLabel(name)}</span>
          <p className="text-muted">
            <WithCode text={reason ?? 'Its program was not found.'} />
          </p>
        </li>
      ))}
    </ul>
  </details>
)

/** The hints mark commands with backticks. */
const WithCode = ({ text }: { text: string }) =>
  text.split('`').map((part, index) =>
    index % 2 === 1 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text
      <code key={index} className="rounded-sm bg-sunken px-1">
        {part}
      </code>
    ) : (
      part
    ),
  )
