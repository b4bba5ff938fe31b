import { createContext, useContext } from 'react'

interface Shell {
  openPalette: () => void
  openProfile: () => void
}

/** What any screen may open above itself. */
export const ShellContext = createContext<Shell>({ openPalette: () => {}, openProfile: () => {} })
export const useShell = () => useContext(ShellContext)
