import { useRouter } from '@tanstack/react-router'
import { useEffect, useEffectEvent } from 'react'

export const isMac = /Mac|iP(hone|ad)/.test(navigator.platform)

/** Ctrl, or Command on a Mac, with a letter; also while typing. */
export function useShortcut(letter: string, run: () => void) {
  const press = useEffectEvent((event: KeyboardEvent) => {
    const withModifier = isMac ? event.metaKey : event.ctrlKey
    if (!withModifier || event.shiftKey || event.altKey || event.key.toLowerCase() !== letter) return
    event.preventDefault()
    run()
  })
  useEffect(() => {
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [])
}

/**
 * A page that is swapped without a page load says nothing by itself: its heading takes the focus, so that the keyboard
 * goes on from there and screen readers read it. A screen that has put the focus somewhere itself keeps it.
 */
export function useFocusOnNavigation() {
  const router = useRouter()
  useEffect(
    () =>
      router.subscribe('onRendered', ({ pathChanged, fromLocation }) => {
        if (!pathChanged || !fromLocation) return
        const main = document.getElementById('main')
        if (!main || (main !== document.activeElement && main.contains(document.activeElement))) return
        const heading = main.querySelector<HTMLElement>('h1[tabindex]') ?? main
        heading.focus({ preventScroll: true })
      }),
    [router],
  )
}
