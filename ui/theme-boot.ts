import { preloadScreen } from './preload'
import { applyTheme, storedTheme } from './theme'

applyTheme(storedTheme())
preloadScreen(location.pathname)
