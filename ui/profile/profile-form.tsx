import { type FormEvent, useState } from 'react'
import { useAccount } from '../auth/data'
import { Badge } from '../kit/badge'
import { Button } from '../kit/button'
import { Field } from '../kit/field'
import { Input } from '../kit/input'
import { ErrorNotice } from '../kit/notices'
import { Segmented } from '../kit/segmented'
import { useToast } from '../kit/toasts'
import { texts } from '../texts/profile'
import { useUpdateProfile } from './data'
import { CONTRAST_OPTIONS, THEME_OPTIONS, useContrastChoice, useThemeChoice } from './theme'

const themes = THEME_OPTIONS.map(({ icon: Icon, ...option }) => ({ ...option, icon: <Icon aria-hidden /> }))
const contrasts = CONTRAST_OPTIONS.map(({ icon: Icon, ...option }) => ({
  ...option,
  icon: <Icon aria-hidden />,
}))

export function ProfileForm() {
  const user = useAccount()
  const update = useUpdateProfile()
  const { theme, choose } = useThemeChoice()
  const { contrast, chooseContrast } = useContrastChoice()
  const toast = useToast()
  const [name, setName] = useState(user.display_name)

  function submit(event: FormEvent) {
    event.preventDefault()
    update.mutate({ display_name: name.trim() }, { onSuccess: () => toast(texts.profile.saved) })
  }

  return (
    <div className="flex flex-col gap-5">
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-6 gap-y-2 text-sm">
        <dt className="text-muted">{texts.profile.username}</dt>
        <dd>{user.username}</dd>
        <dt className="text-muted">{texts.profile.role}</dt>
        <dd>
          <Badge>{user.role}</Badge>
        </dd>
      </dl>
      <form onSubmit={submit} className="flex flex-col gap-3">
        <Field label={texts.profile.displayName} hint={texts.profile.displayNameHint}>
          <Input
            name="display_name"
            autoComplete="name"
            required
            maxLength={200}
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </Field>
        {update.error && <ErrorNotice error={update.error} title={texts.profile.failed} />}
        <Button
          type="submit"
          variant="primary"
          className="self-start"
          pending={update.isPending}
          disabled={name.trim() === '' || name.trim() === user.display_name}
        >
          {texts.profile.save}
        </Button>
      </form>
      <div className="flex flex-col gap-4 border-t pt-5">
        <Segmented label={texts.theme.label} value={theme} onChange={choose} options={themes} />
        <Segmented
          label={texts.contrast.label}
          value={contrast}
          onChange={chooseContrast}
          options={contrasts}
        />
      </div>
    </div>
  )
}
