import { applyTheme, storedTheme } from './theme'

applyTheme(storedTheme())
