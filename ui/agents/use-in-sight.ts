import { type RefObject, useEffect, useEffectEvent } from 'react'

/** Calls back whenever an element comes into sight, or is about to. */
export function useInSight(ref: RefObject<Element | null>, onSight: () => void, enabled = true) {
  const seen = useEffectEvent(onSight)
  useEffect(() => {
    const element = ref.current
    if (!element || !enabled) return
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && seen(),
      // The second one is for pages that scroll by themselves inside the window; the types do not know it yet.
      { rootMargin: AHEAD, scrollMargin: AHEAD } as IntersectionObserverInit,
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [ref, enabled])
}

/** What is just below the window is wanted next. */
const AHEAD = '300px'
