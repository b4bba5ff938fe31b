import { ChevronsUpDown, CircleUser, LogOut } from 'lucide-react'
import type { ComponentProps } from 'react'
import { useAccount, useLogout } from '../auth/data'
import { classes } from '../kit/classes'
import { Menu, MenuItem, MenuRadioGroup, MenuSeparator } from '../kit/menu'
import { THEME_OPTIONS, useThemeChoice } from '../profile/theme'
import { texts as shell } from '../texts/shell'
import { Avatar } from './avatar'
import { useShell } from './context'

const texts = shell.account
const themes = THEME_OPTIONS.map(({ icon: Icon, ...option }) => ({ ...option, icon: <Icon aria-hidden /> }))

/** The signed-in account: who it is, its profile and theme, and the way out. */
export function AccountMenu({
  compact,
  side,
}: {
  compact: boolean
  side: ComponentProps<typeof Menu>['side']
}) {
  const user = useAccount()
  const { openProfile } = useShell()
  const { theme, choose } = useThemeChoice()
  const logout = useLogout()
  return (
    <Menu
      align="start"
      side={side}
      trigger={
        <button
          type="button"
          className={classes(
            'flex items-center gap-2.5 rounded-md text-left transition-colors hover:bg-sunken data-[state=open]:bg-sunken',
            compact ? 'size-8 justify-center pointer-coarse:size-10' : 'h-11 w-full px-2',
          )}
        >
          <Avatar user={user} />
          <span className="sr-only">{texts.label(user.display_name)}</span>
          {!compact && (
            <>
              <span aria-hidden className="min-w-0 flex-1">
                <span className="block truncate text-sm leading-4.5 font-medium">{user.display_name}</span>
                <span className="block truncate text-xs leading-4 text-faint">{user.role}</span>
              </span>
              <ChevronsUpDown aria-hidden className="size-3.5 shrink-0 text-faint" />
            </>
          )}
        </button>
      }
    >
      <MenuItem icon={<CircleUser aria-hidden />} onSelect={openProfile}>
        {texts.profile}
      </MenuItem>
      <MenuSeparator />
      <MenuRadioGroup label={texts.theme} value={theme} onChange={choose} options={themes} />
      <MenuSeparator />
      <MenuItem icon={<LogOut aria-hidden />} onSelect={() => logout.mutate()}>
        {texts.signOut}
      </MenuItem>
    </Menu>
  )
}
