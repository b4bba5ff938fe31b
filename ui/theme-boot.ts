import { applyContrast, applyTheme, storedTheme } from './theme'

applyTheme(storedTheme())
applyContrast()
