import { useState } from 'react'
import { Dialog } from '../kit/dialog'
import { Tabs } from '../kit/tabs'
import { texts } from '../texts/profile'
import { ApiKeys } from './api-keys'
import { PasswordForm } from './password-form'
import { ProfileForm } from './profile-form'

const TABS = [
  { value: 'profile', label: texts.tabs.profile },
  { value: 'password', label: texts.tabs.password },
  { value: 'keys', label: texts.tabs.keys },
] as const

/** One's own account. */
export function ProfileDialog({ onClose }: { onClose: () => void }) {
  const [tab, setTab] = useState<(typeof TABS)[number]['value']>('profile')
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={texts.title}>
      <Tabs label={texts.tabs.label} value={tab} onChange={setTab} tabs={TABS}>
        {tab === 'profile' && <ProfileForm />}
        {tab === 'password' && <PasswordForm />}
        {tab === 'keys' && <ApiKeys />}
      </Tabs>
    </Dialog>
  )
}
