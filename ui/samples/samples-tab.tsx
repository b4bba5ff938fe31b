import { Link } from '@tanstack/react-router'
import { Check, Download, Sparkles } from 'lucide-react'
import { useState } from 'react'
import { useAccount } from '../auth/data'
import { Badge } from '../kit/badge'
import { Button } from '../kit/button'
import { Card } from '../kit/card'
import { ErrorNotice } from '../kit/notices'
import { EmptyState, SkeletonRows } from '../kit/placeholders'
import { texts } from '../texts/samples'
import { type CatalogEntry, useSamples } from './data'
import { InstallDialog } from './install-dialog'

/** Agents to begin with, which work as soon as they know their models. */
export function SamplesTab() {
  const samples = useSamples()
  const mayInstall = useAccount().role !== 'viewer'
  const [installing, setInstalling] = useState<CatalogEntry[]>([])
  const open = samples.data?.filter(({ installed }) => !installed) ?? []
  return (
    <>
      <Card
        flush
        title={texts.tab.title}
        description={texts.tab.description}
        actions={
          mayInstall &&
          open.length > 1 && (
            <Button onClick={() => setInstalling(open)}>{texts.tab.installAll(open.length)}</Button>
          )
        }
      >
        {samples.isPending && <SkeletonRows rows={6} label={texts.tab.loading} />}
        {samples.error && (
          <ErrorNotice
            error={samples.error}
            title={texts.tab.failed}
            onRetry={() => void samples.refetch()}
            className="mx-4 mb-4"
          />
        )}
        {samples.data?.length === 0 && <EmptyState icon={<Sparkles aria-hidden />} title={texts.tab.empty} />}
        <ul aria-label={texts.tab.title} className="divide-y divide-line border-t">
          {samples.data?.map((sample) => (
            <SampleRow
              key={sample.id}
              sample={sample}
              onInstall={mayInstall ? () => setInstalling([sample]) : undefined}
            />
          ))}
        </ul>
      </Card>
      {installing.length > 0 && <InstallDialog samples={installing} onClose={() => setInstalling([])} />}
    </>
  )
}

interface SampleRowProps {
  sample: CatalogEntry
  onInstall: (() => void) | undefined
}

const SampleRow = ({ sample, onInstall }: SampleRowProps) => (
  <li className="flex flex-col gap-x-6 gap-y-3 px-4 py-4 sm:flex-row sm:items-start">
    <div className="flex min-w-0 flex-1 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <h3 className="text-sm font-medium">{sample.title}</h3>
        {sample.installed && (
          <Badge tone="good" icon={<Check aria-hidden />}>
            {texts.tab.installed}
          </Badge>
        )}
        {sample.durable && <Badge>{texts.tab.durable}</Badge>}
      </div>
      <p className="max-w-prose text-sm text-muted">{sample.description}</p>
      <ul aria-label={texts.tab.capabilities(sample.title)} className="flex flex-wrap gap-1.5">
        {sample.capabilities.map((capability) => (
          <li key={capability}>
            <Badge tone="accent">{capability}</Badge>
          </li>
        ))}
      </ul>
      <Needs sample={sample} />
    </div>
    {sample.installed ? (
      <Button asChild size="sm" className="self-start">
        <Link
          to="/agents/$id"
          params={{ id: sample.agent_id }}
          aria-label={texts.tab.openAgent(sample.agent_name)}
        >
          {texts.openAgent}
        </Link>
      </Button>
    ) : (
      onInstall && (
        <Button
          size="sm"
          className="self-start"
          icon={<Download aria-hidden className="size-3.5" />}
          aria-label={texts.installOne(sample.title)}
          onClick={onInstall}
        >
          {texts.install}
        </Button>
      )
    )}
  </li>
)

/** The models it takes, and what comes with it. */
function Needs({ sample: { model_slots, connections, rag_sources, trigger } }: { sample: CatalogEntry }) {
  const models = Object.values(model_slots).map(({ label }) => label)
  const brought = [
    ...connections.map(({ name }) => texts.tab.connection(name)),
    ...rag_sources.map(({ name }) => texts.tab.source(name)),
    ...(trigger
      ? [trigger.enabled ? texts.tab.trigger(trigger.kind) : texts.tab.triggerOff(trigger.kind)]
      : []),
  ]
  return (
    <p className="text-xs text-muted">
      {texts.tab.takes(models.join(', ').toLowerCase())}
      {brought.length > 0 && ` ${texts.tab.brings(brought.join(', '))}`}
    </p>
  )
}
