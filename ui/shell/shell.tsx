import { Outlet } from '@tanstack/react-router'
import { lazy, Suspense, useMemo, useState } from 'react'
import { DownloadsWatch } from '../catalog/indicator'
import { ErrorNotice } from '../kit/notices'
import { useThemeOfAccount } from '../profile/theme'
import { texts } from '../texts/shell'
import { ShellContext } from './context'
import { useFocusOnNavigation, useShortcut } from './keyboard'
import { BottomBar, TopBar } from './mobile'
import { useOutage } from './plane-health'
import { Rail } from './rail'

// Neither is needed for the first screen.
const CommandPalette = lazy(() => import('./command-palette').then((it) => ({ default: it.CommandPalette })))
const ProfileDialog = lazy(() => import('../profile/dialog').then((it) => ({ default: it.ProfileDialog })))

/** Everything around a screen: the rail, or bars at the top and bottom of a phone. */
export function Shell() {
  const [paletteOpen, setPaletteOpen] = useState(false)
  const [profileOpen, setProfileOpen] = useState(false)
  const shell = useMemo(
    () => ({ openPalette: () => setPaletteOpen(true), openProfile: () => setProfileOpen(true) }),
    [],
  )
  const outage = useOutage()
  useThemeOfAccount()
  useFocusOnNavigation()
  useShortcut('k', () => setPaletteOpen((open) => !open))

  return (
    <ShellContext.Provider value={shell}>
      <a
        href="#main"
        className="fixed top-2 left-2 z-60 -translate-y-16 rounded-md bg-ink px-3 py-2 text-sm font-medium text-on-ink focus:translate-y-0"
      >
        {texts.skip}
      </a>
      <div className="flex h-dvh flex-col md:flex-row">
        <Rail />
        <TopBar />
        <main
          id="main"
          tabIndex={-1}
          className="relative flex min-h-0 min-w-0 flex-1 flex-col overflow-y-auto"
        >
          {outage && (
            <div className="px-4 pt-4 sm:px-8">
              <ErrorNotice error={outage} title={texts.planes.outage} />
            </div>
          )}
          <div className="min-h-0 flex-1">
            <Outlet />
          </div>
        </main>
        <BottomBar />
      </div>
      <DownloadsWatch />
      <Suspense>
        {paletteOpen && <CommandPalette onClose={() => setPaletteOpen(false)} />}
        {profileOpen && <ProfileDialog onClose={() => setProfileOpen(false)} />}
      </Suspense>
    </ShellContext.Provider>
  )
}
