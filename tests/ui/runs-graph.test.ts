import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import {
  asAdminWithModel,
  inBrowser,
  screenshot,
  seriousProblems,
  sidewaysOverflow,
} from '../support/browser'
import { graph, llm, node } from '../support/graphs'
import { held } from '../support/hold'

/** input → ask → router → one of two outputs */
const triage = (more: Record<string, unknown> = {}) =>
  graph(
    [
      node('in', 'input'),
      llm('ask'),
      node('route', 'router', { config: { select: '$in' }, out: ['urgent', 'calm'] }),
      node('page', 'output'),
      node('file', 'output'),
    ],
    ['in.out>ask.in', 'ask.out>route.in', 'route.urgent>page.in', 'route.calm>file.in'],
    { id: 'agent.triage', models: { default: { binding: 'standard-compatible', model: 'sky' } }, ...more },
  )

inBrowser((stage) => {
  const { open } = asAdminWithModel(stage)
  const call = (method: string, path: string, body?: unknown) =>
    stage().world.call(method, path, { as: 'admin', body })
  const runs = async () => (await call('GET', '/runs?limit=1')).body.runs
  const run = async (input: unknown, agent = 'agent.triage') =>
    (await call('POST', `/agents/${agent}/runs`, { input, stream: false })).body.runId as string

  beforeAll(() => call('POST', '/agents', { ir: triage() }))

  const tree = (page: Page) => page.getByRole('tree', { name: 'Spans of the run' })
  const step = (page: Page, id: string) => page.locator(`.react-flow__node[data-id="${id}"]`)
  const status = (page: Page, id: string) =>
    step(page, id).locator('[data-status]').getAttribute('data-status')
  const look = (page: Page, id: string, as: string) =>
    step(page, id).locator(`[data-status="${as}"]`).waitFor()

  test('the graph that ran is lit by the run; a node is a span, and a span is a node', async () => {
    stage().world.provider.answers({ deltas: ['calm'] })
    const id = await run('Nothing happened.')
    const page = await open(`/runs/${id}`)
    await look(page, 'file', 'ok')
    expect(await Promise.all(['in', 'ask', 'route', 'page'].map((name) => status(page, name)))).toEqual([
      'ok',
      'ok',
      'ok',
      'skipped',
    ])
    await step(page, 'ask').click()
    await page.getByRole('region', { name: 'Details of ask' }).getByText('Nothing happened.').waitFor()
    expect(new URL(page.url()).searchParams.get('span')).toBe(`${id}:ask`)

    await tree(page).getByRole('treeitem', { name: /^file/ }).click()
    await page.locator('.react-flow__node.selected[data-id="file"]').waitFor()
    expect(await page.locator('.react-flow__node.selected').count()).toBe(1)
    await page.getByRole('region', { name: 'Graph' }).getByText('agent.triage 1.0.0').waitFor()
    expect(await seriousProblems(page)).toEqual([])
    await screenshot(page, 'run-graph')
  })

  test('it is the version that ran, also when the agent is gone since', async () => {
    await call('POST', '/agents', { ir: triage({ id: 'agent.gone' }) })
    stage().world.provider.answers({ deltas: ['calm'] })
    const id = await run('x', 'agent.gone')
    await call('DELETE', '/agents/agent.gone')
    const page = await open(`/runs/${id}`)
    await look(page, 'file', 'ok')
  })

  test('a running node is lit while it runs', async () => {
    const gate = held({ deltas: ['urgent'] }, 1)
    stage().world.provider.answers(gate.script)
    const going = run('Fire!')
    await gate.reached
    const page = await open(`/runs/${(await runs())[0].id}`)
    await look(page, 'ask', 'running')
    gate.letGo()
    await going
    await look(page, 'page', 'ok')
    expect(await status(page, 'file')).toBe('skipped')
  })

  test('the page scrolls on when the wheel turns above the graph', async () => {
    stage().world.provider.answers({ deltas: ['calm'] })
    const page = await open(`/runs/${await run('x')}`, { height: 500 })
    await look(page, 'file', 'ok')
    const top = async () => (await step(page, 'ask').boundingBox())!.y
    const before = await top()
    await step(page, 'ask').hover()
    await page.mouse.wheel(0, 120)
    await page.waitForFunction(
      (y) => document.querySelector('.react-flow__node[data-id="ask"]')!.getBoundingClientRect().y < y - 50,
      before,
    )
  })

  test('a run is done again from a node, which takes over what came before', async () => {
    stage().world.provider.answers({ deltas: ['nowhere'] })
    const { body } = await call('POST', '/agents/agent.triage/runs', { input: 'Well.', stream: false })
    const page = await open(`/runs/${body.runId}`)
    // It opens where it failed.
    await page.getByRole('region', { name: 'Details of route' }).waitFor()
    await look(page, 'route', 'err')
    await step(page, 'ask').click()
    const gate = held({ deltas: ['urgent'] }, 1)
    stage().world.provider.answers(gate.script)
    await page.getByRole('button', { name: 'Run again from here' }).click()
    await page
      .getByRole('dialog', { name: 'Run again from ask' })
      .getByRole('button', { name: 'Start the new run' })
      .click()
    await page.waitForURL((url) => !url.pathname.includes(body.runId))
    await look(page, 'ask', 'running')
    // The tab that began it is the one that keeps it going.
    await page.reload()
    await look(page, 'ask', 'running')
    await gate.reached
    gate.letGo()
    await look(page, 'page', 'ok')
    await page.getByRole('link', { name: 'an earlier run' }).waitFor()
  })

  test('the whole run is done again, with another input', async () => {
    stage().world.provider.answers({ deltas: ['calm'] })
    const id = await run('First.')
    const page = await open(`/runs/${id}`)
    await page.getByRole('button', { name: 'Run again', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Run again' })
    await dialog.getByLabel('With another input').click()
    await dialog.getByRole('textbox', { name: /^Input/ }).fill('Second.')
    await dialog.getByRole('button', { name: 'Start the new run' }).click()
    await page.waitForURL((url) => !url.pathname.includes(id))
    await page.getByText('Completed').waitFor()
    await page.getByRole('region', { name: 'Input' }).getByText('Second.').waitFor()
  })

  test('what cannot be taken over is explained in a sentence', async () => {
    await call('POST', '/agents', { ir: triage({ id: 'agent.shy' }) })
    await call('PUT', '/agents/agent.shy/io-policy', { io_capture: 'metadata' })
    stage().world.provider.answers({ deltas: ['calm'] })
    const id = await run('x', 'agent.shy')
    const page = await open(`/runs/${id}?span=${encodeURIComponent(`${id}:route`)}`)
    await page.getByRole('button', { name: 'Run again from here' }).click()
    await page.getByRole('button', { name: 'Start the new run' }).click()
    await page
      .getByRole('alert')
      .getByText(/capture policy/)
      .waitFor()
  })

  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
    ['dark', 360],
  ] as const)('%s at %d px it fits, and axe finds nothing serious', async (scheme, width) => {
    stage().world.provider.answers({ deltas: ['calm'] })
    const page = await open(`/runs/${await run('x')}`, { scheme, width })
    if (width === 360) await page.getByRole('button', { name: 'Graph', exact: true }).click()
    await look(page, 'in', 'ok')
    expect(await sidewaysOverflow(page)).toBe(0)
    expect(await seriousProblems(page)).toEqual([])
    await screenshot(page, `run-graph-${scheme}-${width}`)
  })
})
