import { TriangleAlert } from 'lucide-react'
import { useState } from 'react'
import type { Settings } from '../../src/control/settings/schema'
import { Badge, type Tone } from '../kit/badge'
import { Button } from '../kit/button'
import { Card } from '../kit/card'
import { ErrorNotice, Notice } from '../kit/notices'
import { Worded } from '../kit/worded'
import { texts } from '../texts/settings'
import { useChangeSettings, usePlatformSettings } from './data'
import { labelOf } from './labels'
import { SettingsFailed, SettingsLoading } from './platform-tab'
import { SettingsGroup } from './settings-group'

const GENERAL = ['tools', 'auth', 'ai_gateway']

/** What the install was started with, and the settings that have no tab of their own. */
export function OverviewTab() {
  const settings = usePlatformSettings()
  if (settings.isPending) return <SettingsLoading />
  if (!settings.data) return <SettingsFailed error={settings.error} onRetry={() => void settings.refetch()} />
  const { boot, orphaned } = settings.data
  const general = settings.data.settings.filter(({ group }) => GENERAL.includes(group))
  const warnings = boot.filter(({ warning }) => warning)
  return (
    <div className="flex flex-col gap-6">
      {warnings.map(({ key, warning }) => (
        <Notice key={key} tone="warn">
          <span className="font-medium">{labelOf(key)}.</span> {warning}
        </Notice>
      ))}
      {orphaned.length > 0 && <Orphans keys={orphaned} />}
      <Card flush title={texts.overview.install.title} description={texts.overview.install.description}>
        <dl className="divide-y divide-line border-t">
          {boot.map((fact) => (
            <BootFact key={fact.key} fact={fact} />
          ))}
        </dl>
      </Card>
      <SettingsGroup title={texts.overview.general} settings={general} />
    </div>
  )
}

const BootFact = ({ fact: { key, value, description, warning } }: { fact: Settings['boot'][number] }) => (
  <div className="grid gap-x-8 gap-y-1 px-4 py-3 sm:grid-cols-[minmax(0,1fr)_minmax(0,18rem)]">
    <dt className="min-w-0">
      <span className="flex items-center gap-2 text-sm font-medium">
        {labelOf(key)}
        {warning && <TriangleAlert aria-label={texts.overview.warning} className="size-3.5 text-warn" />}
      </span>
      <span className="block text-xs text-muted">{description}</span>
    </dt>
    <dd className="min-w-0 text-sm">
      <FactValue name={key} value={value} />
    </dd>
  </div>
)

type Fact = Settings['boot'][number]['value']

const WORDS: Record<string, { yes: string; no: string; tone: (value: boolean) => Tone }> = {
  secret_key_ephemeral: {
    ...texts.overview.secretKey,
    tone: (ephemeral) => (ephemeral ? 'warn' : 'good'),
  },
  invoke_token_set: { ...texts.overview.invokeToken, tone: () => 'neutral' },
}
const ON_OFF = {
  yes: texts.values.on,
  no: texts.values.off,
  tone: (on: boolean): Tone => (on ? 'good' : 'neutral'),
}

function FactValue({ name, value }: { name: string; value: Fact }) {
  if (typeof value === 'boolean') {
    const { yes, no, tone } = WORDS[name] ?? ON_OFF
    return <Badge tone={tone(value)}>{value ? yes : no}</Badge>
  }
  return (
    <ul className="flex flex-col gap-0.5">
      {linesOf(value).map((line) => (
        <li key={line}>
          <code className="text-xs">{line}</code>
        </li>
      ))}
    </ul>
  )
}

function linesOf(value: Exclude<Fact, boolean>): string[] {
  if (Array.isArray(value)) return value
  return [typeof value === 'string' ? value : [value.host, value.database].filter(Boolean).join(' / ')]
}

/** What an earlier release stored and this one does not know. */
function Orphans({ keys }: { keys: string[] }) {
  const change = useChangeSettings()
  const [leaving, setLeaving] = useState(false)
  return (
    <Notice tone="warn">
      <p>
        <Worded
          text={texts.overview.orphans.unknown}
          with={{ keys: <code className="text-xs">{keys.join(', ')}</code> }}
        />
      </p>
      {change.error && (
        <ErrorNotice error={change.error} title={texts.overview.orphans.failed} className="mt-2" />
      )}
      <Button
        size="sm"
        className="mt-2"
        pending={change.isPending}
        onClick={() => {
          if (!leaving) return setLeaving(true)
          change.mutate(Object.fromEntries(keys.map((key) => [key, null])))
        }}
      >
        {leaving ? texts.overview.orphans.confirm : texts.overview.orphans.remove}
      </Button>
    </Notice>
  )
}
