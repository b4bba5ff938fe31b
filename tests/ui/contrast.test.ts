import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import {
  asAdminWithModel,
  inBrowser,
  screenshot,
  seriousProblems,
  sidewaysOverflow,
} from '../support/browser'
import { asking } from '../support/graphs'

inBrowser((stage) => {
  const { open, run } = asAdminWithModel(stage)
  let agentRun: string

  beforeAll(async () => {
    const { world } = stage()
    const models = { default: { binding: 'standard-compatible', model: 'sky' } }
    const as = { as: 'admin' as const }
    await world.call('POST', '/agents', { ...as, body: { ir: asking({ id: 'agent.plain', models }) } })
    const body = { input: 'x', stream: false }
    agentRun = (await world.call('POST', '/agents/agent.plain/runs', { ...as, body })).body.runId
    await run('Hello')
  })

  const contrast = (page: Page) => page.evaluate(() => document.documentElement.dataset.contrast)

  test('high contrast follows the system, or is chosen in the profile and stays', async () => {
    expect(await contrast(await open('/', { contrast: 'more' }))).toBe('more')
    const page = await open('/')
    expect(await contrast(page)).toBeUndefined()
    await page.getByRole('button', { name: /Account of/ }).click()
    await page.getByRole('menuitem', { name: 'Profile and API keys' }).click()
    await page
      .getByRole('radiogroup', { name: /Contrast/ })
      .getByRole('radio', { name: 'High' })
      .click()
    expect(await contrast(page)).toBe('more')
    await screenshot(page, 'profile-contrast')
    await page.reload()
    expect(await contrast(page)).toBe('more')
  })

  test.each([
    ['light', 1280],
    ['dark', 360],
  ] as const)('high contrast, %s at %d px: it fits, and axe finds nothing serious', async (scheme, width) => {
    const page = await open('/', { scheme, width, contrast: 'more' })
    for (const [name, path, sign] of [
      ['dashboard', '/', 'Latest runs'],
      ['runs', '/runs', /You said/],
      ['run', `/runs/${agentRun}`, /You said/],
      ['chat', '/chat', 'What would you like to know?'],
      ['sessions', '/sessions', 'No sessions yet'],
    ] as const) {
      await page.goto(stage().world.urls.interface + path)
      await page.getByText(sign).first().waitFor()
      expect(await sidewaysOverflow(page)).toBe(0)
      expect(await seriousProblems(page)).toEqual([])
      await screenshot(page, `contrast-${name}-${scheme}-${width}`)
    }
  })
})
