import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { inBrowser, screenshot, seriousProblems, sidewaysOverflow } from '../support/browser'
import { fakeEngine } from '../support/fake-engine'
import { fakeHub, type HubRepo } from '../support/fake-hub'
import { makeParrot } from '../support/make-tiny-gguf'

const folder = mkdtempSync(join(tmpdir(), 'tycho-ui-catalog-'))
makeParrot(join(folder, 'parrot.gguf'))
const weights = readFileSync(join(folder, 'parrot.gguf'))

/** Bytes that are no two times the same. */
const bytes = (length: number, seed: string) => {
  const block = createHash('sha512').update(seed).digest()
  return Uint8Array.from({ length }, (_, at) => block[at % 64]! ^ (at >> 8))
}
const gguf = (files: Record<string, Uint8Array>, more: Partial<HubRepo> = {}): HubRepo => ({
  files,
  task: 'text-generation',
  tags: ['gguf'],
  ...more,
})
const hub = fakeHub({
  'acme/parrot-GGUF': gguf(
    { 'parrot-Q4_K_M.gguf': weights, 'parrot-F16.gguf': bytes(8_000_000, 'f16') },
    { downloads: 1_234_567, likes: 3_456, license: 'apache-2.0' },
  ),
  'acme/owl-GGUF': gguf({ 'owl-Q4_0.gguf': bytes(200_000, 'owl') }, { downloads: 10, likes: 9_000 }),
  'acme/vectors-GGUF': gguf({ 'vectors-Q8_0.gguf': bytes(90_000, 'v') }, { task: 'feature-extraction' }),
  'acme/secretive-GGUF': gguf({ 'secretive-Q4_0.gguf': bytes(90_000, 's') }, { gatedFor: 'hf_open' }),
  'acme/broken-GGUF': gguf({ 'broken-Q4_0.gguf': bytes(90_000, 'b') }, { wrongSum: true }),
})
afterAll(async () => {
  await hub[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

const MACHINE = {
  SERVICE_CATALOG_URL: hub.url,
  SERVICE_LLAMACPP_BIN: fakeEngine(folder, 'llama-server'),
  HF_HOME: join(folder, 'hf'),
}

inBrowser(
  (stage) => {
    let token: string
    beforeAll(async () => {
      token = await stage().world.token('admin')
    })

    const catalog = (path = '?tab=catalog', options = {}) =>
      stage().open(`/registries${path}`, { token, ...options })
    const found = (page: Page) =>
      page.getByRole('list', { name: 'Models of the catalog' }).getByRole('link').allTextContents()
    const detail = (page: Page, repo: string) => catalogLink(page, repo).click()
    const catalogLink = (page: Page, repo: string) => page.getByRole('link', { name: repo, exact: true })
    const downloads = (page: Page) => page.getByRole('list', { name: 'Downloads' })

    test('the empty screen leads to the catalog, which is searched, filtered, ordered and walked through', async () => {
      const page = await catalog('')
      await page.getByRole('button', { name: 'Browse the catalog' }).click()
      await catalogLink(page, 'parrot-GGUF').waitFor()
      const parrot = page.getByRole('listitem').filter({ hasText: 'parrot-GGUF' })
      await parrot.getByText('1.2M').waitFor()
      await parrot.getByText('apache-2.0').waitFor()

      await page.getByLabel('Order').click()
      await page.getByRole('option', { name: 'Most liked' }).click()
      await page.waitForURL(/sort=likes/)
      await page.waitForFunction(
        () => document.querySelector('[aria-busy=false] [data-entry]')?.textContent === 'owl-GGUF',
      )
      await page.getByLabel('Task').click()
      await page.getByRole('option', { name: 'Embeddings' }).click()
      await catalogLink(page, 'parrot-GGUF').waitFor({ state: 'detached' })
      await catalogLink(page, 'vectors-GGUF').waitFor()
      expect(await found(page)).toEqual(['vectors-GGUF'])
      // The address holds what is looked for.
      await page.reload()
      await catalogLink(page, 'vectors-GGUF').waitFor()
      expect(await found(page)).toEqual(['vectors-GGUF'])

      await page.getByLabel('Search the catalog').fill('no such thing')
      await page.getByText('No model fits').waitFor()
      await page.getByRole('button', { name: 'Show all' }).click()
      await catalogLink(page, 'parrot-GGUF').waitFor()
      await page.getByLabel('Search the catalog').focus()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.getByRole('radiogroup', { name: 'Download' }).waitFor()
    })

    test('what is recommended is installed with its progress on every screen, and tried', async () => {
      const page = await catalog()
      await detail(page, 'parrot-GGUF')
      const chosen = page.getByRole('radio', { checked: true })
      await chosen.getByText('Recommended').waitFor()
      expect(await chosen.textContent()).toContain('F16')
      await page.getByRole('term').filter({ hasText: 'Weights' }).waitFor()
      // Weights and context apart, as the file's own header tells.
      await page
        .getByRole('term')
        .filter({ hasText: /^Context of/ })
        .waitFor()
      expect(await page.getByLabel('Logical id').inputValue()).toBe('parrot')

      const goOn = hub.hold(100_000)
      await page.getByRole('button', { name: /^Install/ }).click()
      await page.getByRole('progressbar', { name: 'Download of parrot' }).waitFor()
      await page.reload()
      await page.getByRole('link', { name: 'Dashboard' }).click()
      await page.getByRole('link', { name: /^Downloading/ }).click()
      await page.getByRole('progressbar', { name: 'Download of parrot' }).waitFor()
      expect(await seriousProblems(page)).toEqual([])
      goOn()
      await page.getByText('parrot is installed.').first().waitFor()
      await downloads(page).getByRole('button', { name: 'Try it: parrot' }).click()
      const trial = page.getByRole('dialog', { name: 'Try parrot' })
      await trial.getByRole('button', { name: 'Send' }).click()
      await trial.getByText('Hello from a fake.', { exact: true }).waitFor()
      await page.keyboard.press('Escape')

      await page.getByRole('tab', { name: 'Catalog' }).click()
      await detail(page, 'parrot-GGUF')
      await page.getByText('Installed as parrot').waitFor()
      await page.getByRole('radio', { name: /Q4_K_M/ }).click()
      expect(await page.getByLabel('Logical id').inputValue()).toBe('parrot-q4_k_m')
      await page.getByLabel('Logical id').fill('parrot')
      await page.getByRole('button', { name: /^Install/ }).click()
      // A name that is taken is said beside the name.
      await page.locator('[aria-invalid=true]').waitFor()
    })

    test('a download is cancelled, and begun again', async () => {
      const page = await catalog('?tab=catalog&repo=acme/owl-GGUF')
      const goOn = hub.hold(50_000)
      await page.getByRole('button', { name: /^Install/ }).click()
      await page.getByRole('button', { name: 'Cancel owl' }).click()
      await page.getByRole('button', { name: /^Install/ }).waitFor()
      goOn()
      await page.getByRole('tab', { name: /^Downloads/ }).click()
      await downloads(page).getByText('Cancelled').waitFor()
      await page.getByRole('button', { name: 'Download again: owl' }).click()
      await page.getByRole('button', { name: 'Try it: owl' }).waitFor()
      expect((await stage().world.infer('GET', '/admin/models/owl')).status).toBe(200)
    })

    test('gated weights say what to do, and come once the token is there', async () => {
      const page = await catalog('?tab=catalog&repo=acme/secretive-GGUF')
      await page.getByText('Its terms are to be accepted first').waitFor()
      await page.getByLabel('Access token of the hub').fill('hf_open')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('A token is stored here').waitFor()
      // It leaves the field, and is nowhere on the page.
      await page.waitForFunction(() => !document.documentElement.outerHTML.includes('hf_open'))
      await page.getByRole('button', { name: /^Install/ }).click()
      await page.getByText('Installed as secretive').waitFor()
    })

    test('a download that fails says why and how to go on, wherever one is', async () => {
      const page = await catalog('?tab=catalog&repo=acme/broken-GGUF')
      await page.getByRole('button', { name: /^Install/ }).click()
      await page.getByText('The download of broken failed').first().waitFor({ timeout: 30_000 })
      await page.getByRole('tab', { name: /^Downloads/ }).click()
      const row = downloads(page).getByRole('listitem').filter({ hasText: 'acme/broken-GGUF' })
      await row.getByText(/SHA-256/i).waitFor()
      await row.getByRole('button', { name: 'Try again: broken' }).waitFor()
      expect(await seriousProblems(page)).toEqual([])
    })

    test.each(['light', 'dark'] as const)(
      '%s, wide and on a phone, it fits and nothing hinders',
      async (scheme) => {
        const page = await catalog('?tab=catalog&repo=acme/parrot-GGUF', { scheme })
        await page.getByRole('radiogroup', { name: 'Download' }).waitFor()
        expect(await seriousProblems(page)).toEqual([])
        await screenshot(page, `catalog-1280-${scheme}`)
        await page.setViewportSize({ width: 360, height: 740 })
        await page.getByRole('dialog', { name: 'parrot-GGUF' }).waitFor()
        // Which also waits until the sheet has come to rest.
        expect(await seriousProblems(page)).toEqual([])
        expect(await sidewaysOverflow(page)).toBe(0)
        await screenshot(page, `catalog-detail-360-${scheme}`)
        await page.keyboard.press('Escape')
        await catalogLink(page, 'owl-GGUF').waitFor()
        expect(await sidewaysOverflow(page)).toBe(0)
        await screenshot(page, `catalog-360-${scheme}`)
      },
    )

    test('without the hub, what was seen before is there, and the screen says so', async () => {
      hub.down()
      const page = await catalog()
      await page.getByText('The hub cannot be reached').waitFor({ timeout: 30_000 })
      await catalogLink(page, 'owl-GGUF').waitFor()
      await detail(page, 'parrot-GGUF')
      await page.getByText('this is what was seen before').waitFor({ timeout: 30_000 })
      hub.up()
      await page.getByRole('button', { name: 'Try again' }).first().click()
      await page.getByText('These are the models that were seen before').waitFor({ state: 'detached' })
    })
  },
  { env: MACHINE },
)
