import { Link } from '@tanstack/react-router'
import { Inbox, Search } from 'lucide-react'
import { DownloadsIndicator } from '../catalog/indicator'
import { IconButton } from '../kit/button'
import { texts } from '../texts/shell'
import { WaitingBadge } from '../waiting/badge'
import { AccountMenu } from './account-menu'
import { useShell } from './context'
import { Mark } from './mark'
import { PLACES } from './places'
import { PlaneHealth } from './plane-health'

/** On a phone the rail's head moves to the top … */
export function TopBar() {
  const { openPalette } = useShell()
  return (
    <header className="flex h-12 shrink-0 items-center gap-1 border-b bg-canvas px-3 md:hidden">
      <Link to="/" className="flex flex-1 items-center gap-2.5 rounded-md">
        <Mark className="size-6" />
        <span className="text-base font-semibold tracking-tight">{texts.product}</span>
      </Link>
      <DownloadsIndicator compact />
      <PlaneHealth compact />
      <Link
        to="/inbox"
        className="relative inline-flex size-8 items-center justify-center rounded-md text-muted hover:bg-sunken hover:text-text aria-[current=page]:bg-sunken aria-[current=page]:text-text pointer-coarse:size-10"
      >
        <Inbox aria-hidden className="size-4" />
        <span className="sr-only">{texts.places.inbox}</span>
        <WaitingBadge className="absolute -top-0.5 -right-0.5 rounded-full bg-warn-soft px-1 text-2xs leading-4 font-medium text-warn tabular-nums" />
      </Link>
      <IconButton
        label={texts.search.title}
        icon={<Search aria-hidden className="size-4" />}
        onClick={openPalette}
      />
      <AccountMenu compact side="bottom" />
    </header>
  )
}

/** … and its places to the bottom, in reach of a thumb. */
export const BottomBar = () => (
  <nav
    aria-label={texts.navigation}
    className="shrink-0 border-t bg-canvas pb-[env(safe-area-inset-bottom)] md:hidden"
  >
    <ul className="grid grid-cols-8">
      {PLACES.filter(({ atTop }) => !atTop).map(({ to, title, short, icon: Icon }) => (
        <li key={to}>
          <Link
            to={to}
            activeOptions={{ exact: to === '/' }}
            className="flex h-14 flex-col items-center justify-center gap-1 text-[0.625rem] leading-none font-medium text-faint -outline-offset-2 aria-[current=page]:text-text"
          >
            <Icon aria-hidden className="size-5" />
            {short ?? title}
          </Link>
        </li>
      ))}
    </ul>
  </nav>
)
