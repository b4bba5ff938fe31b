import type { Page } from 'playwright-core'
import { graph, node } from '../support/graphs'
import { browserPage } from './browser-page'
import { quantile, round, table } from './statistics'

const LARGE = 1_000
const COLUMNS = 40
const OPENINGS = 5
const PAN_MS = 3_000
const PAN_STEP = 24

/** A graph of a thousand nodes: how long it takes until it can be read, and how evenly it is panned. */
export async function benchEditor(command: string[]) {
  await using started = await browserPage(command)
  const { page, ui, post } = started
  const draft = await post('/drafts', large())

  const opened: number[] = []
  for (let round = 0; round < OPENINGS; round++)
    opened.push(await openingMs(page, `${ui}/editor?draft=${draft.id}`))
  // Whoever pans has looked first: what is wrong with the graph is said by then.
  await page.getByText('No problems').waitFor()
  await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)))
  const frames = await panningFrames(page)
  table(`A graph of ${LARGE} nodes in Chromium, without a GPU`, [
    {
      'opened, first ms': round(opened[0]!),
      'opened, p50 ms': round(quantile(opened, 0.5)),
      'frames panned': frames.length,
      'frame p50 ms': round(quantile(frames, 0.5)),
      'frame p95 ms': round(quantile(frames, 0.95)),
      'frame max ms': round(Math.max(...frames)),
    },
  ])
}

function large() {
  const ids = Array.from({ length: LARGE }, (_, index) => `n${index}`)
  const ir = graph(
    ids.map((id, index) =>
      node(
        id,
        index === 0 ? 'input' : 'transform',
        index === 0 ? {} : { config: { expr: '{"value": "$in"}' } },
      ),
    ),
    ids.slice(1).map((id, index) => `n${index}.out>${id}.in`),
    { id: 'agent.large' },
  )
  const places = ids.map((id, index) => [
    id,
    { position: { x: (index % COLUMNS) * 320, y: Math.floor(index / COLUMNS) * 180 } },
  ])
  return { ir, view: { nodes: Object.fromEntries(places) } }
}

/** From the address to nodes and wires on the screen. */
async function openingMs(page: Page, url: string): Promise<number> {
  await page.goto('about:blank')
  const startedAt = performance.now()
  await page.goto(url, { waitUntil: 'commit' })
  await page.waitForFunction(
    () =>
      document.querySelectorAll('.react-flow__node').length > 0 &&
      document.querySelector('.react-flow__edge path') !== null,
    undefined,
    { polling: 'raf' },
  )
  return performance.now() - startedAt
}

/** Moves the view by the wheel as fast as frames come, and tells how long each took. */
function panningFrames(page: Page): Promise<number[]> {
  return page.evaluate(
    ({ milliseconds, step }) =>
      new Promise<number[]>((resolve) => {
        const pane = document.querySelector('.react-flow__pane')!
        const { left, top, width, height } = pane.getBoundingClientRect()
        const frames: number[] = []
        const startedAt = performance.now()
        let last = startedAt
        const frame = (now: number) => {
          frames.push(now - last)
          last = now
          if (now - startedAt > milliseconds) return resolve(frames.slice(1))
          pane.dispatchEvent(
            new WheelEvent('wheel', {
              deltaX: step,
              deltaY: step / 4,
              clientX: left + width / 2,
              clientY: top + height / 2,
              bubbles: true,
              cancelable: true,
            }),
          )
          requestAnimationFrame(frame)
        }
        requestAnimationFrame(frame)
      }),
    { milliseconds: PAN_MS, step: PAN_STEP },
  )
}
