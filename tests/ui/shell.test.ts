import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { inBrowser, screenshot, seriousProblems, sidewaysOverflow } from '../support/browser'

const ENVIRONMENT = { SERVICE_MCP_CALL_TIMEOUT_S: '60', SERVICE_IO_CAPTURE: 'metadata' }
const SCREENS = {
  dashboard: '/',
  sessions: '/sessions',
  overview: '/settings',
  telemetry: '/settings?tab=telemetry',
  mcp: '/settings?tab=mcp',
  rag: '/settings?tab=rag',
  inference: '/settings?tab=inference',
  users: '/settings?tab=users',
  nowhere: '/no/such/place',
}

inBrowser(
  (stage) => {
    const open = async (path: string, options: { width?: number; scheme?: 'light' | 'dark' } = {}) => {
      const page = await stage().open(path, { token: await stage().world.token('admin'), ...options })
      await settled(page)
      return page
    }

    beforeAll(async () => {
      const { world } = stage()
      await world.token('editor')
      await world.registerModel()
      await world.call('POST', '/sessions', {
        as: 'admin',
        body: { id: 'the-moon', metadata: { title: 'The moon' } },
      })
      await world.call('POST', '/sessions/the-moon/turns', {
        as: 'admin',
        body: { user_content: 'How far is the moon?', assistant_content: 'About 384,400 km.' },
      })
    })

    test.each(Object.entries(SCREENS))(
      '%s: nothing hinders people, in both themes and on a phone',
      async (name, path) => {
        for (const scheme of ['light', 'dark'] as const) {
          const page = await open(path, { scheme })
          expect(await seriousProblems(page)).toEqual([])
          await screenshot(page, `${name}-1280-${scheme}`)
          await page.setViewportSize({ width: 360, height: 740 })
          expect(await sidewaysOverflow(page)).toBe(0)
          if (scheme === 'light') expect(await seriousProblems(page)).toEqual([])
          await screenshot(page, `${name}-360-${scheme}`)
        }
      },
    )

    test('a session is listed, read, gone on with and deleted', async () => {
      const page = await open('/sessions')
      await page.getByRole('link', { name: 'The moon' }).click()
      await page.getByRole('heading', { name: 'The moon', level: 1 }).waitFor()
      await page.getByText('About 384,400 km.').waitFor()
      expect(await seriousProblems(page)).toEqual([])
      expect(await page.getByRole('link', { name: 'Continue' }).getAttribute('href')).toBe(
        '/chat?session=the-moon',
      )

      await page.getByRole('button', { name: 'Delete session' }).click()
      expect(await seriousProblems(page)).toEqual([])
      await page.getByRole('dialog').getByRole('button', { name: 'Delete session' }).click()
      await page.getByText('No sessions yet').waitFor()
      expect((await stage().world.call('GET', '/sessions/the-moon', { as: 'admin' })).status).toBe(404)
    })

    test('the keyboard alone gets around: skip link, rail, palette', async () => {
      const page = await open('/')
      await page.keyboard.press('Tab')
      expect(await focused(page)).toBe('Skip to the content')
      await page.keyboard.press('Enter')
      expect(await page.evaluate(() => document.activeElement?.id)).toBe('main')

      await page.keyboard.press('Control+k')
      await page.getByRole('dialog', { name: 'Search and commands' }).waitFor()
      expect(await seriousProblems(page)).toEqual([])
      await page.keyboard.type('telem')
      await page.keyboard.press('Enter')
      await page.getByRole('tab', { name: 'Telemetry', selected: true }).waitFor()
      expect(await page.title()).toBe('Settings · Tycho')

      await page.getByRole('link', { name: 'Sessions' }).focus()
      await page.keyboard.press('Enter')
      await page.waitForFunction(() => document.activeElement?.textContent === 'Sessions')
      expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('H1')
    })

    test('the theme is chosen once, and follows the account into another browser', async () => {
      const page = await open('/')
      await page.getByRole('button', { name: 'Account of The admin' }).click()
      const kept = page.waitForResponse((response) => response.request().method() === 'PATCH')
      await page.getByRole('menuitemradio', { name: 'Dark' }).click()
      expect((await kept).status()).toBe(200)
      expect(await theme(page)).toBe('dark')

      const elsewhere = await open('/', { scheme: 'light' })
      await elsewhere.waitForFunction(() => document.documentElement.dataset.theme === 'dark')
      await stage().world.call('PATCH', '/auth/me', { as: 'admin', body: { theme: 'system' } })
    })

    test('settings: what is out of range is said beside the field, and what is saved counts', async () => {
      const page = await open('/settings?tab=rag')
      const topK = page.getByLabel('Chunks per retrieval')
      await topK.fill('51')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Enter a whole number from 1 to 50.').waitFor()
      await topK.fill('7')
      // What only the server knows to be wrong keeps the right change from being stored too.
      await page.getByLabel('Embedding model').fill('x'.repeat(201))
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('alert').getByText('Nothing was saved').waitFor()
      expect(await page.locator('[aria-invalid=true]').count()).toBe(1)
      expect(
        (await stage().world.call('GET', '/settings', { as: 'admin' })).body.settings.find(isTopK).value,
      ).toBe(5)

      await page.getByLabel('Embedding model').fill('')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Documents: saved.').first().waitFor()
      expect(
        (await stage().world.call('GET', '/settings', { as: 'admin' })).body.settings.find(isTopK).value,
      ).toBe(7)

      await page.getByRole('button', { name: 'Reset Chunks per retrieval to the default' }).click()
      await page.getByText('Goes back to the default: 5').waitFor()
      await page.getByRole('button', { name: 'Save' }).click()
      await page.waitForFunction(() => !document.body.textContent?.includes('not saved yet'))
      expect(await topK.inputValue()).toBe('5')
    })

    test('a setting that the environment locks or caps says so, and by which variable', async () => {
      const page = await open('/settings?tab=mcp')
      expect(await page.getByLabel('Time for a tool call').isDisabled()).toBe(true)
      await page.getByText('SERVICE_MCP_CALL_TIMEOUT_S').waitFor()
      await page.getByRole('tab', { name: 'Telemetry' }).click()
      await page.getByText('SERVICE_IO_CAPTURE', { exact: true }).waitFor()
      await page.getByLabel('Capture level').click()
      expect(await page.getByRole('option', { name: 'full' }).getAttribute('aria-disabled')).toBe('true')
      expect(await page.getByRole('option', { name: 'off' }).getAttribute('aria-disabled')).toBeNull()
    })

    test('settings of the inference plane are saved there', async () => {
      const page = await open('/settings?tab=inference')
      await page.getByLabel('Engines in memory at once').fill('99')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.locator('[aria-invalid=true]').waitFor()
      await page.getByLabel('Engines in memory at once').fill('3')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('button', { name: 'Reset to 2' }).waitFor()
      expect((await stage().world.infer('GET', '/admin/settings')).body.maxResident.value).toBe(3)
    })

    test('users are added, changed and deleted; the last admin cannot leave', async () => {
      const page = await open('/settings?tab=users')
      await page.getByRole('button', { name: 'Add user' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Username').fill('the-editor')
      await dialog.getByLabel('Display name').fill('Alan Turing')
      await dialog.getByRole('button', { name: 'Add user' }).click()
      await dialog.locator('input[name=username][aria-invalid=true]').waitFor()
      expect(await dialog.getByLabel('Display name').inputValue()).toBe('Alan Turing')
      expect(await seriousProblems(page)).toEqual([])
      await dialog.getByLabel('Username').fill('alan')
      await dialog.getByRole('button', { name: 'Add user' }).click()
      await page
        .getByRole('row', { name: /Alan Turing/ })
        .getByText('viewer')
        .waitFor()

      await page.getByRole('button', { name: 'Actions for Alan Turing' }).click()
      await page.getByRole('menuitem', { name: 'Edit' }).click()
      await dialog.getByLabel('Role').click()
      await page.getByRole('option', { name: /Editor/ }).click()
      await dialog.getByRole('button', { name: 'Save' }).click()
      await page
        .getByRole('row', { name: /Alan Turing/ })
        .getByText('editor')
        .waitFor()

      await page.getByRole('button', { name: 'Actions for Alan Turing' }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      await page.getByRole('button', { name: 'Delete user' }).click()
      await dialog.waitFor({ state: 'hidden' })
      await page.getByRole('row', { name: /The admin/ }).waitFor()
      expect(await page.getByRole('row', { name: /Alan Turing/ }).count()).toBe(0)

      await page.getByRole('button', { name: 'Actions for The admin' }).click()
      await page.getByText('The last active admin stays').waitFor()
      expect(await page.getByRole('menuitem', { name: 'Delete' }).getAttribute('aria-disabled')).toBe('true')
    })

    test('an API key is shown once, works, and stops working when revoked', async () => {
      const { world } = stage()
      const page = await open('/')
      await page.getByRole('button', { name: 'Account of The admin' }).click()
      await page.getByRole('menuitem', { name: 'Profile and API keys' }).click()
      await page.getByRole('tab', { name: 'API keys' }).click()
      await page.getByLabel('Name of the new key').fill('Nightly report')
      await page.getByRole('button', { name: 'Create key' }).click()
      const token = await page.getByRole('region', { name: 'key', exact: true }).textContent()
      expect(token).toStartWith('tyk_')
      expect(await seriousProblems(page)).toEqual([])
      expect((await world.call('GET', '/auth/me', { as: { token: token! } })).body.credential).toBe('api_key')

      await page.getByRole('button', { name: 'Revoke Nightly report' }).click()
      await page.getByRole('button', { name: 'Revoke key' }).click()
      await page.getByText('The key is revoked.').first().waitFor()
      await page.getByRole('dialog', { name: 'Your account' }).waitFor()
      expect(await page.getByRole('button', { name: 'Revoke Nightly report' }).count()).toBe(0)
      expect((await world.call('GET', '/auth/me', { as: { token: token! } })).status).toBe(401)
    })

    test('who may not see the settings is told so, and is led to the own account', async () => {
      const page = await stage().open('/settings', { token: await stage().world.token('editor') })
      await page.getByText('Settings are for admins').waitFor()
      expect(await seriousProblems(page)).toEqual([])
      await page.getByRole('button', { name: 'Open your account' }).click()
      await page.getByRole('dialog', { name: 'Your account' }).waitFor()
    })

    test('what is down is said in words, and the rest goes on', async () => {
      const page = await open('/')
      await page.getByRole('button', { name: 'All ready' }).waitFor()
      await page.route(`${stage().world.urls.inference}/**`, (route) => route.abort())
      await page.reload()
      await page.getByText('Something Tycho needs is down').waitFor()
      expect(await page.getByRole('alert').first().textContent()).toContain(
        'The inference plane at http://127.0.0.1:',
      )
      await page.getByRole('button', { name: 'Inference plane unreachable' }).waitFor()
      await page.getByRole('heading', { name: 'Latest runs' }).waitFor()
    })

    test('a sign-in that the server ended brings the sign-in screen, and signing in again the same screen', async () => {
      const { world } = stage()
      const credentials = { username: 'the-editor', password: 'correct horse battery' }
      const { token } = (await world.call('POST', '/auth/login', { body: credentials })).body
      const page = await stage().open('/sessions', { token })
      await settled(page)
      await world.call('POST', '/auth/logout', { as: { token } })
      await page.getByRole('link', { name: 'Dashboard' }).click()
      await page.getByText('Your sign-in has ended').waitFor()
      await page.getByLabel('Username').fill(credentials.username)
      await page.getByLabel('Password', { exact: true }).fill(credentials.password)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Dashboard', level: 1 }).waitFor()
    })

    test('signing out ends the session at the server', async () => {
      const { world } = stage()
      const credentials = { username: 'the-editor', password: 'correct horse battery' }
      const { token } = (await world.call('POST', '/auth/login', { body: credentials })).body
      const page = await stage().open('/', { token })
      await page.getByRole('button', { name: /^Account of/ }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
      await page.getByRole('heading', { name: 'Sign in to Tycho' }).waitFor()
      expect((await world.call('GET', '/auth/me', { as: { token } })).status).toBe(401)
      expect(await page.evaluate(() => localStorage.getItem('tycho.token'))).toBeNull()
    })
  },
  { env: ENVIRONMENT },
)

const isTopK = ({ key }: { key: string }) => key === 'rag.default_top_k'
const theme = (page: Page) => page.evaluate(() => document.documentElement.dataset.theme)
const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent)

/** The screen is there, and nothing on it is still loading. */
async function settled(page: Page) {
  await page.locator('h1').first().waitFor()
  await page.waitForLoadState('networkidle')
}
