import { Link } from '@tanstack/react-router'
import { PanelLeftClose, PanelLeftOpen, Search } from 'lucide-react'
import { useState } from 'react'
import { DownloadsIndicator } from '../catalog/indicator'
import { IconButton } from '../kit/button'
import { classes } from '../kit/classes'
import { Kbd } from '../kit/kbd'
import { Tooltip } from '../kit/tooltip'
import { texts } from '../texts/shell'
import { WaitingBadge } from '../waiting/badge'
import { AccountMenu } from './account-menu'
import { useShell } from './context'
import { isMac } from './keyboard'
import { Mark } from './mark'
import { PLACES, type Place } from './places'
import { PlaneHealth } from './plane-health'

const KEY = 'tycho.rail'

/** The way around, at the left; narrow when the person wants the room. */
export function Rail() {
  const [narrow, setNarrow] = useState(() => localStorage.getItem(KEY) === 'narrow')

  function toggle() {
    localStorage.setItem(KEY, narrow ? 'wide' : 'narrow')
    setNarrow(!narrow)
  }

  return (
    <header
      className={classes(
        'hidden shrink-0 flex-col border-r bg-canvas px-2 py-3 md:flex',
        narrow ? 'w-13 items-center' : 'w-56',
      )}
    >
      <div className={classes('flex items-center', narrow ? 'flex-col gap-2' : 'justify-between pl-2')}>
        <Link to="/" className="flex items-center gap-2.5 rounded-md">
          <Mark className="size-6" />
          <span className={narrow ? 'sr-only' : 'text-base font-semibold tracking-tight'}>
            {texts.product}
          </span>
        </Link>
        <IconButton
          label={narrow ? texts.rail.widen : texts.rail.narrow}
          tooltipSide="right"
          size="sm"
          aria-expanded={!narrow}
          icon={
            narrow ? (
              <PanelLeftOpen aria-hidden className="size-4" />
            ) : (
              <PanelLeftClose aria-hidden className="size-4" />
            )
          }
          onClick={toggle}
        />
      </div>
      <SearchButton narrow={narrow} />
      <nav aria-label={texts.navigation} className="mt-3 w-full flex-1">
        <ul className={classes('flex flex-col gap-0.5', narrow && 'items-center')}>
          {PLACES.map((place) => (
            <li key={place.to} className={narrow ? undefined : 'w-full'}>
              <RailLink place={place} narrow={narrow} />
            </li>
          ))}
        </ul>
      </nav>
      <div className={classes('flex w-full flex-col gap-1', narrow && 'items-center')}>
        <DownloadsIndicator compact={narrow} />
        <PlaneHealth compact={narrow} />
        <AccountMenu compact={narrow} side={narrow ? 'right' : 'top'} />
      </div>
    </header>
  )
}

function RailLink({ place: { to, title, icon: Icon }, narrow }: { place: Place; narrow: boolean }) {
  const link = (
    <Link
      to={to}
      activeOptions={{ exact: to === '/' }}
      className={classes(
        'flex h-8 items-center gap-2.5 rounded-md text-sm text-muted transition-colors hover:bg-sunken hover:text-text aria-[current=page]:bg-sunken aria-[current=page]:font-medium aria-[current=page]:text-text pointer-coarse:h-10',
        narrow ? 'relative w-8 justify-center' : 'px-2.5',
      )}
    >
      <Icon aria-hidden className="size-4 shrink-0" />
      <span className={narrow ? 'sr-only' : 'truncate'}>{title}</span>
      {to === '/inbox' && <WaitingBadge className={narrow ? DOT_BADGE : WIDE_BADGE} />}
    </Link>
  )
  return narrow ? (
    <Tooltip label={title} side="right">
      {link}
    </Tooltip>
  ) : (
    link
  )
}

const WIDE_BADGE =
  'ml-auto rounded-full bg-warn-soft px-1.5 text-xs leading-5 font-medium text-warn tabular-nums'
/** Over the corner of a sign. */
const DOT_BADGE =
  'absolute -top-1 -right-1 rounded-full bg-warn-soft px-1 text-2xs leading-4 font-medium text-warn tabular-nums'

function SearchButton({ narrow }: { narrow: boolean }) {
  const { openPalette } = useShell()
  const keys = isMac ? texts.search.keysOfMac : texts.search.keys
  if (narrow) {
    return (
      <IconButton
        label={texts.search.titleWithKeys(keys)}
        tooltipSide="right"
        icon={<Search aria-hidden className="size-4" />}
        onClick={openPalette}
        className="mt-2"
      />
    )
  }
  return (
    <button
      type="button"
      onClick={openPalette}
      className="mt-3 flex h-8 w-full items-center gap-2.5 rounded-md border bg-surface px-2.5 text-sm text-faint shadow-card transition-colors hover:border-line-strong hover:text-muted"
    >
      <Search aria-hidden className="size-4 shrink-0" />
      <span className="flex-1 text-left">{texts.search.button}</span>
      <Kbd>{keys}</Kbd>
    </button>
  )
}
