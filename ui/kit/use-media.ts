import { useSyncExternalStore } from 'react'

/** Whether a media query holds, as it changes. For what CSS alone cannot decide. */
export const useMedia = (query: string): boolean =>
  useSyncExternalStore(
    (changed) => {
      const media = matchMedia(query)
      media.addEventListener('change', changed)
      return () => media.removeEventListener('change', changed)
    },
    () => matchMedia(query).matches,
  )
