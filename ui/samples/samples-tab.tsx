import { Link } from '@tanstack/react-router'
import { Check, Download, Sparkles } from 'lucide-react'
import { useState } from 'react'
import { useAccount } from '../auth/data'
import { Badge } from '../kit/badge'
import { Button } from '../kit/button'
import { Card } from '../kit/card'
import { ErrorNotice } from '../kit/notices'
import { EmptyState, SkeletonRows } from '../kit/placeholders'
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
        title="Sample agents"
        description="Each shows one way of putting a graph together. Installed, it is an agent like any other: run it, change it, delete it."
        actions={
          mayInstall &&
          open.length > 1 && <Button onClick={() => setInstalling(open)}>Install all {open.length}</Button>
        }
      >
        {samples.isPending && <SkeletonRows rows={6} label="Loading the samples" />}
        {samples.error && (
          <ErrorNotice
            error={samples.error}
            title="The samples could not be loaded"
            onRetry={() => void samples.refetch()}
            className="mx-4 mb-4"
          />
        )}
        {samples.data?.length === 0 && <EmptyState icon={<Sparkles aria-hidden />} title="No samples" />}
        <ul aria-label="Sample agents" className="divide-y divide-line border-t">
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
            installed
          </Badge>
        )}
        {sample.durable && <Badge>durable runs</Badge>}
      </div>
      <p className="max-w-prose text-sm text-muted">{sample.description}</p>
      <ul aria-label={`${sample.title} shows`} className="flex flex-wrap gap-1.5">
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
          aria-label={`Open agent ${sample.agent_name}`}
        >
          Open agent
        </Link>
      </Button>
    ) : (
      onInstall && (
        <Button
          size="sm"
          className="self-start"
          icon={<Download aria-hidden className="size-3.5" />}
          aria-label={`Install ${sample.title}`}
          onClick={onInstall}
        >
          Install
        </Button>
      )
    )}
  </li>
)

/** The models it takes, and what comes with it. */
function Needs({ sample: { model_slots, connections, rag_sources, trigger } }: { sample: CatalogEntry }) {
  const models = Object.values(model_slots).map(({ label }) => label)
  const brought = [
    ...connections.map(({ name }) => `connection ${name}`),
    ...rag_sources.map(({ name }) => `document source ${name}`),
    ...(trigger ? [`${trigger.kind} trigger${trigger.enabled ? '' : ', off'}`] : []),
  ]
  return (
    <p className="text-xs text-muted">
      Takes {models.join(', ').toLowerCase()}.{brought.length > 0 && ` Brings ${brought.join(', ')}.`}
    </p>
  )
}
