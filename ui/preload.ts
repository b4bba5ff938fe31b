/** Scripts by screen: `agents`, and `agents/` for one of them. `build/interface.ts` fills it in. */
declare const SCREEN_SCRIPTS: Record<string, string[]>

/** Fetches the scripts of the screen that is asked for while the application itself still loads. */
export function preloadScreen(path: string) {
  const [slice = '', id] = path.split('/').slice(1)
  for (const script of SCREEN_SCRIPTS[id ? `${slice}/` : slice] ?? []) {
    const link = document.createElement('link')
    link.rel = 'modulepreload'
    link.href = script
    document.head.append(link)
  }
}
