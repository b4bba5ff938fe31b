import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import uPlot from 'uplot'
import { Card } from '../kit/card'
import { Segmented } from '../kit/segmented'
import { Cell, HeadCell, Row, Table, TableBody, TableHead } from '../kit/table'
import { useWidth } from '../kit/use-width'
import { texts } from '../texts/gateway-reports'
import type { Report } from './data'
import { type Day, daysOf, METRICS, type Metric } from './days'

const HEIGHT_PX = 200
const BAR_SHARE = 0.7
const WIDEST_BAR_PX = 48
const DAY_S = 24 * 60 * 60
const TICK_DAYS = [1, 2, 7, 14, 30, 91, 365]
const date = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', timeZone: 'UTC' })

/** One bar a day. The same numbers stand in a table below, for those who cannot see a picture, and for those who ask. */
export function DayChart({ report }: { report: Report }) {
  const [name, setName] = useState<Metric['value']>('cost')
  const metric = METRICS.find(({ value }) => value === name)!
  const days = useMemo(() => daysOf(report), [report])
  return (
    <Card title={texts.dayChart.title}>
      <Segmented label={texts.dayChart.metric} value={name} onChange={setName} options={METRICS} />
      <Chart days={days} metric={metric} />
      <details className="mt-2 text-sm">
        <summary className="w-fit cursor-pointer rounded-sm text-xs text-muted hover:text-text">
          {texts.dayChart.asTable(metric.label)}
        </summary>
        <div className="mt-2 max-h-64 overflow-y-auto rounded-lg border">
          <Table label={texts.dayChart.tableLabel(metric.label)}>
            <TableHead>
              <HeadCell>{texts.fields.day}</HeadCell>
              <HeadCell className="text-right">{metric.label}</HeadCell>
            </TableHead>
            <TableBody>
              {days.map((day) => (
                <Row key={day.day}>
                  <Cell className="py-1">{day.day}</Cell>
                  <Cell className="py-1 text-right">{metric.text(day)}</Cell>
                </Row>
              ))}
            </TableBody>
          </Table>
        </div>
      </details>
    </Card>
  )
}

function Chart({ days, metric }: { days: readonly Day[]; metric: Metric }) {
  const place = useRef<HTMLDivElement>(null)
  const width = useWidth(place)
  const theme = useTheme()
  const [pointed, setPointed] = useState<Day | null>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new theme has other colours, which are read anew
  useEffect(() => {
    if (!place.current || width === 0) return
    const plot = new uPlot(
      optionsFor(width, metric, colours(place.current), (at) => setPointed(at === null ? null : days[at]!)),
      [days.map(({ time }) => time), days.map((day) => metric.of(day))],
      place.current,
    )
    return () => plot.destroy()
  }, [days, metric, width, theme])
  const hasGaps = days.some((day) => metric.of(day) === null)
  return (
    <figure className="mt-3 min-w-0">
      <figcaption className="h-5 text-xs text-muted">
        {pointed
          ? `${pointed.day}: ${metric.text(pointed)}`
          : hasGaps
            ? texts.dayChart.captionWithGaps(metric.label)
            : texts.dayChart.caption(metric.label)}
      </figcaption>
      <div ref={place} aria-hidden className="plot w-full" style={{ height: HEIGHT_PX }} />
    </figure>
  )
}

type Colours = Record<'accent' | 'line' | 'text', string>

function colours(element: HTMLElement): Colours {
  const style = getComputedStyle(element)
  const of = (name: string) => style.getPropertyValue(name).trim()
  return { accent: of('--accent'), line: of('--line'), text: of('--faint') }
}

function optionsFor(
  width: number,
  metric: Metric,
  { accent, line, text }: Colours,
  onPoint: (at: number | null) => void,
): uPlot.Options {
  const axis = { stroke: text, font: '11px system-ui', ticks: { show: false } }
  return {
    width,
    height: HEIGHT_PX,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), 'UTC'),
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    scales: {
      // Half a day more at each end, where the first and the last bar reach.
      x: { range: (_, first, last) => [first - DAY_S / 2, last + DAY_S / 2] },
      y: { range: (_, _low, high) => [0, high > 0 ? high * 1.05 : 1] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        incrs: TICK_DAYS.map((days) => days * DAY_S),
        values: (_, ticks) => ticks.map((seconds) => date.format(seconds * 1_000)),
      },
      {
        ...axis,
        size: 56,
        grid: { stroke: line, width: 1 },
        values: (_, ticks) => ticks.map(metric.tick),
      },
    ],
    series: [
      {},
      {
        fill: accent,
        stroke: accent,
        width: 0,
        points: { show: false },
        paths: uPlot.paths.bars!({ size: [BAR_SHARE, WIDEST_BAR_PX], radius: 0.1 }),
      },
    ],
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? null)] },
  }
}

/** The theme that is on, as it changes. */
const useTheme = (): string =>
  useSyncExternalStore(onTheme, () => document.documentElement.dataset.theme ?? '')

function onTheme(changed: () => void) {
  const observer = new MutationObserver(changed)
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  return () => observer.disconnect()
}
