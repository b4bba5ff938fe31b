import { useMutation } from '@tanstack/react-query'
import { Contrast as ContrastIcon, type LucideIcon, Monitor, Moon, Sun } from 'lucide-react'
import { useEffect, useSyncExternalStore } from 'react'
import { control, ok } from '../api'
import { useAccount, useAccountChanged } from '../auth/data'
import { texts } from '../texts/profile'
import {
  type Contrast,
  chooseContrast,
  chooseTheme,
  onThemeChange,
  storedContrast,
  storedTheme,
  type Theme,
} from '../theme'

export const THEME_OPTIONS: readonly { value: Theme; label: string; icon: LucideIcon }[] = [
  { value: 'light', label: texts.theme.options.light, icon: Sun },
  { value: 'dark', label: texts.theme.options.dark, icon: Moon },
  { value: 'system', label: texts.theme.options.system, icon: Monitor },
]

export const CONTRAST_OPTIONS: readonly { value: Contrast; label: string; icon: LucideIcon }[] = [
  { value: 'more', label: texts.contrast.options.more, icon: ContrastIcon },
  { value: 'system', label: texts.contrast.options.system, icon: Monitor },
]

export const useContrastChoice = () => ({
  contrast: useSyncExternalStore(onThemeChange, storedContrast),
  chooseContrast,
})

/** The account carries its theme from browser to browser. */
export function useThemeOfAccount() {
  const { theme } = useAccount()
  useEffect(() => chooseTheme(theme), [theme])
}

/** A choice shows at once and is kept with the account; where that fails it still counts in this browser. */
export function useThemeChoice() {
  const theme = useSyncExternalStore(onThemeChange, storedTheme)
  const accountChanged = useAccountChanged()
  const { mutate } = useMutation({
    mutationFn: (next: Theme) => ok(control.auth.me.patch({ theme: next })),
    onSuccess: accountChanged,
  })
  function choose(next: Theme) {
    chooseTheme(next)
    mutate(next)
  }
  return { theme, choose }
}
