import { type RefObject, useCallback, useEffect, useRef, useState } from 'react'

/** So close to the end that one means the end. */
const NEAR_PX = 48

/**
 * Keeps the end of a growing text in sight, until the person scrolls up to read; scrolling back down to the end takes
 * it up again.
 */
export function useStick(scroller: RefObject<HTMLElement | null>, content: RefObject<HTMLElement | null>) {
  const [stuck, setStuck] = useState(true)
  const following = useRef(true)
  const lastTop = useRef(0)

  const toEnd = useCallback(() => {
    following.current = true
    setStuck(true)
    const element = scroller.current
    if (element) element.scrollTop = element.scrollHeight
  }, [scroller])

  useEffect(() => {
    const element = scroller.current
    if (!element || !content.current) return
    const onScroll = () => {
      const { scrollTop, scrollHeight, clientHeight } = element
      const atEnd = scrollHeight - scrollTop - clientHeight <= NEAR_PX
      // Only a move upwards is a person's: content that grows moves the end away, not us.
      if (scrollTop < lastTop.current && !atEnd) following.current = false
      if (atEnd) following.current = true
      lastTop.current = scrollTop
      setStuck(following.current)
    }
    const observer = new ResizeObserver(() => {
      if (following.current) element.scrollTop = element.scrollHeight
    })
    observer.observe(content.current)
    observer.observe(element)
    element.addEventListener('scroll', onScroll, { passive: true })
    return () => {
      observer.disconnect()
      element.removeEventListener('scroll', onScroll)
    }
  }, [scroller, content])

  return { stuck, toEnd }
}
