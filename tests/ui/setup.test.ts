import { expect, test } from 'bun:test'
import { inBrowser, seriousProblems, sidewaysOverflow } from '../support/browser'

const PASSWORD = 'correct horse battery'

/** What a browser fetches before the first screen shows, compressed. */
const MAX_FIRST_LOAD_BYTES = 300_000

inBrowser((stage) => {
  test('the first load is small', async () => {
    const page = await stage().open()
    await page.getByRole('heading', { name: 'Welcome to Tycho' }).waitFor()
    const bytes = await page.evaluate(() =>
      performance
        .getEntries()
        .filter((entry): entry is PerformanceResourceTiming => 'encodedBodySize' in entry)
        .filter(({ name }) => name.startsWith(location.origin))
        .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0),
    )
    expect(bytes).toBeGreaterThan(50_000)
    expect(bytes).toBeLessThan(MAX_FIRST_LOAD_BYTES)
  })

  test('the first account is made in the browser, with what is wrong said beside the field', async () => {
    const page = await stage().open('/runs')
    await page.getByRole('heading', { name: 'Welcome to Tycho' }).waitFor()
    expect(await page.title()).toBe('Welcome to Tycho · Tycho')
    expect(await seriousProblems(page)).toEqual([])

    await page.getByLabel('Username').fill('-ada-')
    await page.getByLabel('Your name').fill('Ada Lovelace')
    await page.getByLabel('Password', { exact: true }).fill('short')
    await page.getByRole('button', { name: 'Create account' }).click()
    const username = page.getByRole('textbox', { name: 'Username' })
    await page.locator('input[name=username][aria-invalid=true]').waitFor()
    expect(await describedBy(page, 'username')).toContain('letter or digit')
    // What was typed is still there.
    expect(await page.getByLabel('Your name').inputValue()).toBe('Ada Lovelace')

    await username.fill('Ada')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.locator('input[name=password][aria-invalid=true]').waitFor()
    expect(await describedBy(page, 'password')).toContain('8 characters')

    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('heading', { name: 'Good to have you, Ada Lovelace' }).waitFor()
    expect(await seriousProblems(page)).toEqual([])
    await page.getByRole('button', { name: 'Add a model' }).click()
    await page.getByRole('link', { name: 'Models' }).and(page.locator('[aria-current=page]')).waitFor()
    expect(new URL(page.url()).pathname).toBe('/registries')
  })

  test('a wrong password is refused in words, and the handle stays for the next try', async () => {
    const page = await stage().open('/sessions', { width: 360 })
    await page.getByRole('heading', { name: 'Sign in to Tycho' }).waitFor()
    expect(await sidewaysOverflow(page)).toBe(0)
    await page.getByLabel('Username').fill('ada')
    await page.getByLabel('Password', { exact: true }).fill('not the password')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('invalid_credentials').waitFor()
    expect(await page.getByLabel('Username').inputValue()).toBe('ada')
    expect(await seriousProblems(page)).toEqual([])

    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Sessions', level: 1 }).waitFor()
    expect(new URL(page.url()).pathname).toBe('/sessions')
  })

  test('a disabled account is told so, and who can help', async () => {
    const { world } = stage()
    const admin = {
      token: (await world.call('POST', '/auth/login', { body: { username: 'ada', password: PASSWORD } })).body
        .token,
    }
    const { body: grace } = await world.call('POST', '/users', {
      as: admin,
      body: { username: 'grace', password: PASSWORD },
    })
    await world.call('PATCH', `/users/${grace.id}`, { as: admin, body: { disabled: true } })

    const page = await stage().open()
    await page.getByLabel('Username').fill('grace')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    const alert = page.getByRole('alert')
    await alert.getByText('account_disabled').waitFor()
    expect(await alert.textContent()).toContain('admin can enable the account')
  })

  test('after too many tries the button says how long to wait', async () => {
    const page = await stage().open()
    await page.route('**/auth/login', (route) =>
      route.fulfill({
        status: 429,
        headers: {
          'retry-after': '42',
          'access-control-allow-origin': '*',
          'access-control-expose-headers': 'retry-after',
        },
        json: { error: { code: 'too_many_attempts', message: 'Too many attempts.' } },
      }),
    )
    await page.getByLabel('Username').fill('ada')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    const wait = page.getByRole('button', { name: /Try again in 4[0-2] s/ })
    await wait.waitFor()
    expect(await wait.isDisabled()).toBe(true)
  })

  test('without a control plane the page says what to do, and goes on by itself once it answers', async () => {
    const page = await stage().open('/config.json')
    let down = true
    await page.route('**/auth/status', (route) => (down ? route.abort() : route.continue()))
    await page.goto(stage().world.urls.interface)
    await page.getByRole('heading', { name: 'Tycho does not answer' }).waitFor()
    expect(await page.getByRole('alert').textContent()).toContain('The control plane at http://127.0.0.1:')
    expect(await seriousProblems(page)).toEqual([])
    down = false
    await page.getByRole('heading', { name: 'Sign in to Tycho' }).waitFor()
  })
})

/** What a screen reader says about a field besides its label. */
const describedBy = (page: Awaited<ReturnType<import('../support/browser').Stage['open']>>, name: string) =>
  page.evaluate((field) => {
    const ids = document.querySelector(`[name=${field}]`)?.getAttribute('aria-describedby')?.split(' ') ?? []
    return ids.map((id) => document.getElementById(id)?.textContent).join(' ')
  }, name)
