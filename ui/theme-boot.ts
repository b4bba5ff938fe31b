import { preloadScreen } from './preload'
import { applyContrast, applyTheme, storedTheme } from './theme'

applyTheme(storedTheme())
applyContrast()
preloadScreen(location.pathname)
