/** What a person may choose; `system` follows the computer's own setting. */
const THEMES = ['light', 'dark', 'system'] as const
export type Theme = (typeof THEMES)[number]

const KEY = 'tycho.theme'
const prefersDark = () => matchMedia('(prefers-color-scheme: dark)')

const isTheme = (value: unknown): value is Theme => THEMES.includes(value as Theme)

export function storedTheme(): Theme {
  const value = localStorage.getItem(KEY)
  return isTheme(value) ? value : 'system'
}

export function applyTheme(theme: Theme) {
  const resolved = theme === 'system' ? (prefersDark().matches ? 'dark' : 'light') : theme
  document.documentElement.dataset.theme = resolved
  document.documentElement.style.colorScheme = resolved
}

/** Kept in the browser too, so that the next page load paints in it before the account is known. */
export function chooseTheme(theme: Theme) {
  localStorage.setItem(KEY, theme)
  applyTheme(theme)
  dispatchEvent(new Event('tycho:theme'))
}

/** For `useSyncExternalStore`: calls back when the choice or the system's setting changes. */
export function onThemeChange(changed: () => void): () => void {
  const listener = () => {
    applyTheme(storedTheme())
    changed()
  }
  const media = prefersDark()
  media.addEventListener('change', listener)
  addEventListener('tycho:theme', changed)
  addEventListener('storage', listener)
  return () => {
    media.removeEventListener('change', listener)
    removeEventListener('tycho:theme', changed)
    removeEventListener('storage', listener)
  }
}
