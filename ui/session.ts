const KEY = 'tycho.token'
const ENDED = 'tycho.ended'
const CHANGED = 'tycho:token'

/** The bearer of the signed-in person; kept in this browser until sign-out, or until the server refuses it. */
export const storedToken = (): string | null => localStorage.getItem(KEY)

export function keepToken(token: string) {
  sessionStorage.removeItem(ENDED)
  localStorage.setItem(KEY, token)
  dispatchEvent(new Event(CHANGED))
}

/** `ended`: not the person wanted it, but the server. */
export function forgetToken(ended = false) {
  if (storedToken() === null) return
  if (ended) sessionStorage.setItem(ENDED, 'yes')
  localStorage.removeItem(KEY)
  dispatchEvent(new Event(CHANGED))
}

/** Whether the server, not the person, ended the last sign-in of this tab. */
export const wasEnded = (): boolean => sessionStorage.getItem(ENDED) !== null

/** For `useSyncExternalStore`; other tabs of this browser sign in and out together. */
export function onTokenChange(changed: () => void): () => void {
  addEventListener(CHANGED, changed)
  addEventListener('storage', changed)
  return () => {
    removeEventListener(CHANGED, changed)
    removeEventListener('storage', changed)
  }
}
