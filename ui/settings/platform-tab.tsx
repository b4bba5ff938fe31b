import { ErrorNotice } from '../kit/notices'
import { Skeleton } from '../kit/placeholders'
import { texts } from '../texts/settings'
import { usePlatformSettings } from './data'
import type { Group } from './groups'
import { SettingsGroup } from './settings-group'

/** Groups of platform settings; each is saved by itself. */
export function PlatformTab({ groups }: { groups: readonly Group[] }) {
  const settings = usePlatformSettings()
  if (settings.isPending) return <SettingsLoading />
  if (!settings.data) return <SettingsFailed error={settings.error} onRetry={() => void settings.refetch()} />
  return (
    <div className="flex flex-col gap-6">
      {groups.map(({ title, description, holds }) => (
        <SettingsGroup
          key={title}
          title={title}
          description={description}
          settings={settings.data.settings.filter(({ key }) => holds(key))}
        />
      ))}
    </div>
  )
}

export const SettingsLoading = () => (
  <div role="status">
    <span className="sr-only">{texts.loading}</span>
    <Skeleton className="h-80 w-full rounded-xl" />
  </div>
)

export const SettingsFailed = ({ error, onRetry }: { error: unknown; onRetry: () => void }) => (
  <ErrorNotice error={error} title={texts.loadFailed} onRetry={onRetry} />
)
