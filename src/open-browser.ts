/** Opens a page in the person's browser. Best effort: the address is printed anyway. */
export function openBrowser(url: string) {
  const command = { darwin: ['open', url], win32: ['cmd', '/c', 'start', '', url] }[
    process.platform as string
  ] ?? ['xdg-open', url]
  try {
    Bun.spawn(command, { stdio: ['ignore', 'ignore', 'ignore'] }).unref()
  } catch {
    // No desktop here, as on a server: the printed address is all there is.
  }
}
