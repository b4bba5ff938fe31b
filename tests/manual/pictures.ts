import { expect, test } from 'bun:test'
import { mkdirSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { inBrowser } from '../support/browser'
import { fill, machine } from './filled'

// The pictures of the manual: `npm run pictures` takes them anew, of every screen, as it is after some days of use.
// With EVERYWHERE=1 each goes into tests/artifacts instead, in every theme and width, to be looked at.
const EVERYWHERE = process.env.EVERYWHERE !== undefined
const FOLDER = EVERYWHERE ? 'tests/artifacts/everywhere' : 'docs/pictures'
const LOOKS = EVERYWHERE
  ? ([
      ['light', 1280],
      ['dark', 1280],
      ['light', 360],
      ['dark', 360],
    ] as const)
  : ([['light', 1280]] as const)

const here = machine()

inBrowser(
  (stage) => {
    let token: string
    let filled: Awaited<ReturnType<typeof fill>>

    test('before there is anything', async () => {
      for (const [scheme, width] of LOOKS) {
        const page = await stage().open('/', { scheme, width })
        await page.getByLabel('Username').waitFor()
        await take(page, 'setup', scheme, width)
      }
      token = await stage().world.token('admin')
      filled = await fill(stage().world, here.weights)
    }, 120_000)

    for (const [scheme, width] of LOOKS)
      test(`every screen, ${scheme}, ${width} px wide`, async () => {
        const page = await stage().open('/', { token, scheme, width, height: 800 })
        const { done, failed, opinion, waiting, chat } = filled
        const screens: [name: string, path: string, then?: (page: Page) => Promise<unknown>][] = [
          ['dashboard', '/'],
          ['models', '/registries'],
          ['catalog', '/registries?tab=catalog'],
          ['catalog-model', '/registries?tab=catalog&repo=Qwen%2FQwen3-8B-GGUF'],
          ['agents', '/agents'],
          ['agent', '/agents/agent.support-triage'],
          ['triggers', '/triggers'],
          ['editor', '/editor?agent=agent.support-triage&version=1.0.0'],
          ['editor-node', '/editor?agent=agent.support-triage&version=1.0.0', select('sort')],
          ['samples', '/settings?tab=samples'],
          ['chat', `/chat?session=${chat}`],
          ['sessions', '/sessions'],
          ['session', `/sessions/${chat}`],
          ['runs', '/runs'],
          ['run', `/runs/${opinion}`],
          ['run-failed', `/runs/${failed}`],
          ['compare', `/runs/compare?a=${done[0]}&b=${done[1]}`],
          ['inbox', `/inbox?run=${waiting}`],
          ['gateway', '/gateway'],
          ['gateway-sessions', '/gateway?tab=sessions'],
          ['gateway-session', '/gateway/sessions/session-3'],
          ['gateway-reports', '/gateway?tab=reports'],
          ['gateway-developers', '/gateway?tab=keys'],
          ['gateway-archives', '/gateway?tab=archives'],
          ['gateway-settings', '/gateway?tab=settings'],
          ['settings', '/settings'],
          ['settings-telemetry', '/settings?tab=telemetry'],
          ['settings-inference', '/settings?tab=inference'],
          ['users', '/settings?tab=users'],
        ]
        for (const [name, path, then] of screens) {
          await page.goto(stage().world.urls.interface + path)
          await page.waitForLoadState('networkidle')
          await then?.(page)
          await take(page, name, scheme, width)
        }
      }, 300_000)
  },
  { env: here.env },
)

const select = (id: string) => async (page: Page) => {
  await page.locator(`.react-flow__node[data-id="${id}"]`).click()
  await page.locator('.cm-content').first().waitFor()
}

async function take(page: Page, name: string, scheme: string, width: number) {
  mkdirSync(FOLDER, { recursive: true })
  await page.waitForFunction(() => document.querySelector('[aria-busy=true]') === null)
  expect(await page.locator('#main, main, form').count()).toBeGreaterThan(0)
  await page.screenshot({ path: `${FOLDER}/${name}${EVERYWHERE ? `-${scheme}-${width}` : ''}.png` })
}
