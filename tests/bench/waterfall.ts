import type { Page } from 'playwright-core'
import { asking } from '../support/graphs'
import { browserPage } from './browser-page'
import { quantile, round, table } from './statistics'

const SPANS = 10_000
const SECONDS = 3

/** A run of ten thousand spans: how long until its waterfall stands, and how evenly it is scrolled and zoomed. */
export async function benchWaterfall(command: string[]) {
  await using started = await browserPage(command)
  const { page, ui, post } = started
  // Its model is nowhere: the run fails, and its record is all that is needed.
  const { runId } = await post('/graphs/runs', { ir: asking(), input: 'x', stream: false })
  await page.route('**/trace', async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ response: answer, body: withMany(await answer.text()) })
  })

  const startedAt = performance.now()
  await page.goto(`${ui}/runs/${runId}`, { waitUntil: 'commit' })
  await page.waitForFunction(() => document.querySelectorAll('[role=treeitem]').length > 5, undefined, {
    polling: 'raf',
  })
  const opened = performance.now() - startedAt
  const rows = []
  for (const way of ['scrolled', 'zoomed', 'panned at 32×'] as const) {
    const frames = await framesWhile(page, way)
    rows.push({
      way,
      frames: frames.length,
      'frame p50 ms': round(quantile(frames, 0.5)),
      'frame p95 ms': round(quantile(frames, 0.95)),
      'frame max ms': round(Math.max(...frames)),
    })
  }
  table(`A run of ${SPANS} spans in Chromium, without a GPU; shown after ${Math.round(opened)} ms`, rows)
}

/** The trace with that many tool calls more; as text, for its times exceed what JSON.parse keeps. */
function withMany(trace: string): string {
  const { spans } = JSON.parse(trace) as { spans: { span_id: string; node_id: string | null }[] }
  const parent = spans.find(({ node_id }) => node_id === 'ask') ?? spans[0]!
  const start = BigInt(/"start_ns":(\d+)/.exec(trace)![1]!)
  const more = Array.from({ length: SPANS }, (_, index) => {
    const at = start + BigInt(index) * 100_000n
    return `{"id":"tool.${index}","span_id":"tool${index}","parent_span_id":"${parent.span_id}","node_id":"ask",
      "name":"tool.${index}","phase":"tool.${index}#0.0","status":"ok","start_ns":${at},"end_ns":${at + 400_000n},
      "attributes":{},"seq":${index + 10}}`
  })
  return trace.replace(/\]\s*\}\s*$/, `,${more.join(',')}]}`)
}

/** Moves the waterfall as fast as frames come, and tells how long each took. */
function framesWhile(page: Page, way: 'scrolled' | 'zoomed' | 'panned at 32×'): Promise<number[]> {
  return page.evaluate(
    ({ way, milliseconds }) =>
      new Promise<number[]>((resolve) => {
        const tree = document.querySelector('[role=tree]')!
        const { left, top, width, height } = tree.getBoundingClientRect()
        const frames: number[] = []
        const startedAt = performance.now()
        let last = startedAt
        const wheel = (deltaY: number) =>
          tree.dispatchEvent(
            new WheelEvent('wheel', {
              deltaY,
              ctrlKey: true,
              clientX: left + width * 0.6,
              clientY: top + height / 2,
              bubbles: true,
              cancelable: true,
            }),
          )
        const moves = {
          scrolled: () => {
            tree.scrollTop += 60
          },
          // In and out again, so that it never stands at an end.
          zoomed: (count: number) => wheel(count % 120 < 60 ? -30 : 30),
          'panned at 32×': (count: number) => {
            if (count === 0) wheel(-5_000)
            tree.scrollLeft += 30
          },
        }
        const frame = (now: number) => {
          moves[way](frames.length)
          frames.push(now - last)
          last = now
          if (now - startedAt > milliseconds) return resolve(frames.slice(2))
          requestAnimationFrame(frame)
        }
        requestAnimationFrame(frame)
      }),
    { way, milliseconds: SECONDS * 1000 },
  )
}
