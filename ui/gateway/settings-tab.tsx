import { useState } from 'react'
import { ErrorNotice } from '../kit/notices'
import { Skeleton } from '../kit/placeholders'
import { Select } from '../kit/select'
import { PlatformTab } from '../settings/platform-tab'
import { texts } from '../texts/gateway'
import { useGateways } from './data'
import { GatewaysCard } from './gateways-card'
import { OrgKeyCard } from './org-key-card'
import { PricesCard } from './prices-card'
import { RecordingForm } from './recording-form'

const RETENTION = [
  {
    ...texts.retention,
    holds: (key: string) => key === 'ai_gateway.request_retention_days',
  },
]

/** How gateways behave, for admins. */
export const SettingsTab = () => (
  <div className="flex min-w-0 flex-col gap-6">
    <GatewaysCard />
    <PerGateway />
    <PricesCard />
    <PlatformTab groups={RETENTION} />
  </div>
)

/** What each gateway has of its own. */
function PerGateway() {
  const { data, error, isPending, refetch } = useGateways()
  const [chosen, setChosen] = useState<string | null>(null)
  if (isPending) return <Skeleton className="h-64 w-full rounded-xl" />
  // The list above says that it failed; here it would only be said again.
  if (!data) return <ErrorNotice error={error} onRetry={() => void refetch()} />
  const gateway = data.find(({ id }) => id === chosen) ?? data[0]
  if (!gateway) return null
  return (
    <>
      {data.length > 1 && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-2 text-sm">
          <span className="font-medium">{texts.perGateway.label}</span>
          <Select
            aria-label={texts.perGateway.spokenLabel}
            value={gateway.id}
            onChange={setChosen}
            options={data.map(({ id, name }) => ({ value: id, label: name }))}
            className="w-56!"
          />
        </div>
      )}
      <RecordingForm key={`${gateway.id}/${gateway.config_version}`} gateway={gateway} />
      <OrgKeyCard key={gateway.id} gateway={gateway} />
    </>
  )
}
