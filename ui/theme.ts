/** What a person may choose; `system` follows the computer's own setting. */
const THEMES = ['light', 'dark', 'system'] as const
export type Theme = (typeof THEMES)[number]

/** How strongly things stand out; it goes with either theme. It belongs to the screen, so it stays in this browser. */
const CONTRASTS = ['more', 'system'] as const
export type Contrast = (typeof CONTRASTS)[number]

const KEY = 'tycho.theme'
const CONTRAST_KEY = 'tycho.contrast'
const prefersDark = () => matchMedia('(prefers-color-scheme: dark)')
const prefersMore = () => matchMedia('(prefers-contrast: more)')

const isTheme = (value: unknown): value is Theme => THEMES.includes(value as Theme)

export function storedTheme(): Theme {
  const value = localStorage.getItem(KEY)
  return isTheme(value) ? value : 'system'
}

export const storedContrast = (): Contrast =>
  localStorage.getItem(CONTRAST_KEY) === 'more' ? 'more' : 'system'

export function applyContrast() {
  const more = storedContrast() === 'more' || prefersMore().matches
  if (more) document.documentElement.dataset.contrast = 'more'
  else delete document.documentElement.dataset.contrast
}

export function chooseContrast(contrast: Contrast) {
  localStorage.setItem(CONTRAST_KEY, contrast)
  applyContrast()
  dispatchEvent(new Event('tycho:theme'))
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
    applyContrast()
    changed()
  }
  const settings = [prefersDark(), prefersMore()]
  for (const setting of settings) setting.addEventListener('change', listener)
  addEventListener('tycho:theme', changed)
  addEventListener('storage', listener)
  return () => {
    for (const setting of settings) setting.removeEventListener('change', listener)
    removeEventListener('tycho:theme', changed)
    removeEventListener('storage', listener)
  }
}
