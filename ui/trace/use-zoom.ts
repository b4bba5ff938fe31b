import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { clampZoom, fit, scrollAfterZoom, scrollToMiddle } from './scale'

/** How much one notch of a wheel, or a little pinch, changes. */
const WHEEL_SPEED = 0.002

const TOUCHES = ['touchstart', 'touchmove', 'touchend', 'touchcancel'] as const

interface Place {
  scroller: RefObject<HTMLElement | null>
  /** Pixels before the time axis begins. */
  labelWidth: number
  /** Pixels of the visible part of the time axis. */
  width: number
}

interface View {
  zoom: number
  /** Where to scroll to once drawn; null leaves the scroll bar alone. */
  scrollLeft: number | null
}

/** The zoom of the time axis; whoever changes it says which instant stays where it is. */
export function useZoom({ scroller, labelWidth, width }: Place) {
  const [view, setView] = useState<View>({ zoom: 1, scrollLeft: null })
  /** Ahead of `view` while several notches of a wheel fall into one frame. */
  const latest = useRef(view)

  const apply = useCallback((zoom: number, scrollLeft: number) => {
    latest.current = { zoom, scrollLeft }
    setView(latest.current)
  }, [])

  /** `anchor`: pixels from the left edge of the axis; its middle by default. */
  const zoomBy = useCallback(
    (factor: number, anchor = width / 2) => {
      const { zoom: from, scrollLeft: pending } = latest.current
      const to = clampZoom(from * factor)
      const scrollLeft = pending ?? scroller.current?.scrollLeft ?? 0
      if (to !== from) apply(to, scrollAfterZoom({ from, to, anchor, scrollLeft, width }))
    },
    [apply, scroller, width],
  )

  /** Brings the instant, a fraction of the whole, to the middle. */
  const zoomAround = useCallback(
    (factor: number, fraction: number) => {
      const to = clampZoom(latest.current.zoom * factor)
      apply(to, scrollToMiddle(fraction, to, width))
    },
    [apply, width],
  )

  const fitTo = useCallback(
    (startNs: number, endNs: number, durationNs: number) => {
      const next = fit(startNs, endNs, durationNs, width)
      apply(next.zoom, next.scrollLeft)
    },
    [apply, width],
  )

  useLayoutEffect(() => {
    if (view.scrollLeft !== null && scroller.current) scroller.current.scrollLeft = view.scrollLeft
    // From here on the scroll bar says where we are.
    latest.current = { zoom: view.zoom, scrollLeft: null }
  }, [view, scroller])

  useEffect(() => {
    const element = scroller.current
    if (!element) return
    // React's own wheel handlers are passive: they could not keep the page itself from zooming.
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey && !event.metaKey) return
      event.preventDefault()
      const anchor = event.clientX - element.getBoundingClientRect().left - labelWidth
      zoomBy(Math.exp(-event.deltaY * WHEEL_SPEED), Math.min(Math.max(0, anchor), width))
    }
    let apart = 0
    const onTouch = (event: TouchEvent) => {
      const [one, other] = event.touches
      const was = apart
      apart = one && other ? Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) : 0
      // One finger scrolls, as everywhere.
      if (!one || !other) return
      event.preventDefault()
      if (was === 0 || apart === 0) return
      const middle = (one.clientX + other.clientX) / 2
      const anchor = middle - element.getBoundingClientRect().left - labelWidth
      zoomBy(apart / was, Math.min(Math.max(0, anchor), width))
    }
    element.addEventListener('wheel', onWheel, { passive: false })
    for (const type of TOUCHES) element.addEventListener(type, onTouch, { passive: false })
    return () => {
      element.removeEventListener('wheel', onWheel)
      for (const type of TOUCHES) element.removeEventListener(type, onTouch)
    }
  }, [scroller, zoomBy, labelWidth, width])

  return { zoom: view.zoom, zoomBy, zoomAround, fitTo, reset: useCallback(() => apply(1, 0), [apply]) }
}
