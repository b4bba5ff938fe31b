import { Link, useNavigate } from '@tanstack/react-router'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef, useState } from 'react'
import { classes } from '../kit/classes'
import { RelativeTime } from '../kit/relative-time'
import { Spinner } from '../kit/spinner'
import { useMedia } from '../kit/use-media'
import { useNow } from '../kit/use-now'
import { texts } from '../texts/runs'
import { shortDuration } from '../trace/format'
import type { Run } from './data'
import { durationMs, isUnfinished } from './describe'
import { RunStatusIcon } from './status'
import { useRunTitle } from './title'

const ROW_PX = 44
/** On a phone the answer has a line of its own. */
const TALL_ROW_PX = 60
/** The next page is asked for when this many rows are left below. */
const AHEAD_ROWS = 15

interface RunListProps {
  runs: Run[]
  more: boolean
  loadingMore: boolean
  onMore: () => void
  /** What choosing a row does, where that is not opening it. */
  onChoose?: (run: Run) => void
}

/** The rows in sight, however many there are. `j` and `k` move, as do the arrow keys. */
export function RunList({ runs, more, loadingMore, onMore, onChoose }: RunListProps) {
  const scroller = useRef<HTMLDivElement>(null)
  const navigate = useNavigate()
  const [active, setActive] = useState<string | null>(null)
  const now = useNow(runs.some(isUnfinished), 200)
  const titleOf = useRunTitle()
  const rowPx = useMedia('(min-width: 40rem)') ? ROW_PX : TALL_ROW_PX
  const virtual = useVirtualizer({
    count: runs.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    getItemKey: (index) => runs[index]!.id,
    overscan: 8,
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: `virtual` is the same object for good
  useEffect(() => virtual.measure(), [rowPx])
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0

  useEffect(() => {
    if (more && !loadingMore && last >= runs.length - AHEAD_ROWS) onMore()
  }, [more, loadingMore, last, runs.length, onMore])

  function go(index: number) {
    const target = Math.min(Math.max(0, index), runs.length - 1)
    setActive(runs[target]!.id)
    virtual.scrollToIndex(target)
    // The row may be drawn only after the scroll.
    requestAnimationFrame(() =>
      scroller.current
        ?.querySelector<HTMLElement>(`[data-index="${target}"] :is(a, button)`)
        ?.focus({ preventScroll: true }),
    )
  }

  const at = runs.findIndex(({ id }) => id === active)
  useKeys((key, target) => {
    const inList = scroller.current?.contains(target) ?? false
    if (key === 'j' || (inList && key === 'ArrowDown')) go(at + 1)
    else if (key === 'k' || (inList && key === 'ArrowUp')) go(at - 1)
    else if (key === 'Enter' && active && !onChoose && !target.closest('a, button')) {
      void navigate({ to: '/runs/$id', params: { id: active } })
    } else return false
    return true
  })

  return (
    <div ref={scroller} className="max-h-[max(20rem,calc(100dvh-16rem))] overflow-y-auto">
      <ul className="relative" style={{ height: virtual.getTotalSize() }}>
        {items.map((item) => {
          const run = runs[item.index]!
          return (
            <li
              key={run.id}
              data-index={item.index}
              aria-setsize={more ? -1 : runs.length}
              aria-posinset={item.index + 1}
              className={classes(
                'absolute inset-x-0 top-0 border-b transition-colors duration-75 hover:bg-sunken/60',
                run.id === active && 'bg-sunken/60',
              )}
              style={{ height: rowPx, transform: `translateY(${item.start}px)` }}
            >
              <RunRow
                run={run}
                title={titleOf(run)}
                now={now}
                onFocus={() => setActive(run.id)}
                onChoose={onChoose}
              />
            </li>
          )
        })}
      </ul>
      {loadingMore && (
        <div className="flex justify-center p-3 text-muted">
          <Spinner label={texts.list.loadingOlder} />
        </div>
      )}
    </div>
  )
}

interface RunRowProps extends Pick<RunListProps, 'onChoose'> {
  run: Run
  title: string
  now: number
  onFocus: () => void
}

const ROW =
  'grid h-full w-full grid-cols-[auto_minmax(0,1fr)_auto] content-center items-center gap-x-3 px-4 text-left text-sm outline-none focus-visible:outline-2 focus-visible:-outline-offset-2 focus-visible:outline-accent sm:flex'

const RunRow = ({ onFocus, onChoose, ...facts }: RunRowProps) =>
  onChoose ? (
    <button type="button" onClick={() => onChoose(facts.run)} onFocus={onFocus} className={ROW}>
      <RunFacts {...facts} />
    </button>
  ) : (
    <Link to="/runs/$id" params={{ id: facts.run.id }} onFocus={onFocus} className={ROW}>
      <RunFacts {...facts} />
    </Link>
  )

const RunFacts = ({ run, title, now }: { run: Run; title: string; now: number }) => (
  <>
    <RunStatusIcon run={run} />
    <span className="shrink-0 truncate font-medium sm:w-40">{title}</span>
    <span
      className={classes(
        'min-w-0 flex-1 truncate max-sm:order-last max-sm:col-span-2 max-sm:col-start-2',
        run.status === 'failed' ? 'text-bad' : 'text-muted',
      )}
    >
      {summaryOf(run)}
    </span>
    <span className="w-16 shrink-0 text-right text-xs text-muted max-sm:hidden">
      {shortDuration(durationMs(run, now) * 1e6)}
    </span>
    <RelativeTime
      value={run.created_at}
      className="shrink-0 text-right text-xs whitespace-nowrap text-faint sm:w-24"
    />
  </>
)

const SUMMARY_CHARACTERS = 200

function summaryOf({ status, output, error }: Run): string {
  if (status === 'failed') return error === 'cancelled' ? '' : (error ?? '').slice(0, SUMMARY_CHARACTERS)
  return (output || error || '').slice(0, SUMMARY_CHARACTERS)
}

const OWN_USE_FOR_KEYS = 'input, textarea, select, [role="dialog"], [role="menu"], [role="listbox"]'

/** Keys that work wherever the focus is, but in what has its own use for them. `act` says whether it took the key. */
function useKeys(act: (key: string, target: HTMLElement) => boolean) {
  const latest = useRef(act)
  latest.current = act
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement
      const meant = !event.ctrlKey && !event.metaKey && !event.altKey && !target.closest(OWN_USE_FOR_KEYS)
      if (meant && latest.current(event.key, target)) event.preventDefault()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
}
