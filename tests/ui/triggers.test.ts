import { beforeAll, expect, test } from 'bun:test'
import { inBrowser, screenshot, seriousProblems, sidewaysOverflow } from '../support/browser'
import { graph, node, shouting } from '../support/graphs'

const PATH = '/agents/agent.loud?tab=triggers'

inBrowser((stage) => {
  let token: string
  const open = (path = PATH, options = {}) => stage().open(path, { token, ...options })
  const call = (method: string, path: string, body?: unknown) =>
    stage().world.call(method, path, { as: 'admin', body })
  const triggers = async () => (await call('GET', '/triggers')).body.triggers

  beforeAll(async () => {
    token = await stage().world.token('admin')
    await call('POST', '/agents', { ir: shouting({ id: 'agent.loud', name: 'Loud' }) })
    await call('POST', '/agents/agent.loud/versions', {
      ir: shouting({ id: 'agent.loud', name: 'Loud', version: '2.0.0' }),
    })
  })

  test('a schedule is made, shows its next fires in both times, is switched and deleted', async () => {
    const page = await open(PATH, { timezone: 'Asia/Tokyo' })
    await page.getByText('No triggers yet').waitFor()
    await page.getByRole('button', { name: 'New trigger' }).click()
    const dialog = page.getByRole('dialog', { name: 'New trigger' })
    await dialog.getByLabel('Cron expression').fill('0 25 * * *')
    await dialog.getByText('Invalid value for hour').waitFor()
    await dialog.getByLabel('Cron expression').fill('30 5 1 1 *')
    await dialog
      .getByRole('region', { name: 'Next fires' })
      .getByText('1 Jan', { exact: false })
      .first()
      .waitFor()
    expect(await dialog.getByRole('row').count()).toBe(6)
    await dialog.getByLabel('Input of each run').fill('{"a":')
    await dialog.getByText(/This is not JSON/).waitFor()
    await dialog.getByRole('button', { name: 'Create trigger' }).click()
    expect(await triggers()).toEqual([])
    await dialog.getByLabel('Input of each run').fill('"good morning"')
    await dialog.getByRole('combobox', { name: 'Version' }).click()
    await page.getByRole('option', { name: '1.0.0' }).click()
    expect(await seriousProblems(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Create trigger' }).click()

    const list = page.getByRole('list', { name: 'Triggers of the agent' })
    await list.getByText('05:30').first().waitFor()
    await list.getByText('Here (Asia/Tokyo)').waitFor()
    await list
      .getByText(/1 Jan.*14:30/)
      .first()
      .waitFor()
    expect((await triggers())[0]).toMatchObject({
      version: '1.0.0',
      content_hash: null,
      config: { cron: '30 5 1 1 *', input: 'good morning' },
      enabled: true,
    })
    await list.getByText('"good morning"').waitFor()
    await list.getByRole('switch').click()
    await list.getByText('off', { exact: true }).waitFor()
    expect((await triggers())[0].enabled).toBe(false)

    await list.getByRole('button', { name: 'Delete 30 5 1 1 *' }).click()
    await page.getByText('Its runs stay.').waitFor()
    await page.getByRole('button', { name: 'Delete trigger' }).click()
    await page.getByText('No triggers yet').waitFor()
    expect(await triggers()).toEqual([])
  })

  test('a webhook is made with a secret of its own, tried, and tells how to sign', async () => {
    const page = await open()
    await page.getByRole('button', { name: 'New trigger' }).click()
    const dialog = page.getByRole('dialog', { name: 'New trigger' })
    await dialog.getByRole('radio', { name: 'Webhook' }).click()
    await dialog.getByRole('radio', { name: 'Content hash' }).click()
    await dialog.getByRole('button', { name: 'Create trigger' }).click()
    await dialog.getByText('Type a secret, or have one generated.').waitFor()
    await dialog.getByRole('button', { name: 'Generate' }).click()
    expect(await dialog.getByLabel('Signing secret').inputValue()).toMatch(/^[0-9a-f]{64}$/)
    expect(await seriousProblems(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Create trigger' }).click()

    const list = page.getByRole('list', { name: 'Triggers of the agent' })
    await list.getByText('/hooks/').first().waitFor()
    const [made] = await triggers()
    expect(made).toMatchObject({
      kind: 'webhook',
      version: null,
      content_hash: expect.stringContaining('sha256:'),
    })
    await list.getByText(`${stage().world.urls.control}/hooks/${made.id}`, { exact: true }).waitFor()
    await list.getByText('openssl dgst').waitFor()
    await list.getByRole('radio', { name: 'Python' }).click()
    await list.getByText('hmac.new').waitFor()

    const test = list.getByRole('form', { name: 'Test delivery' })
    await test.getByLabel('Body of a test delivery').fill('"hi there"')
    await test.getByRole('button', { name: 'Send test delivery' }).click()
    await test.getByText('Delivered: the run is done.').waitFor()
    await test.getByText('HI THERE', { exact: true }).waitFor()
    await list.getByText(/^fired/).waitFor()
    expect(await seriousProblems(page)).toEqual([])

    await list.getByRole('switch').click()
    await list.getByText('off', { exact: true }).waitFor()
    await test.getByRole('button', { name: 'Send test delivery' }).click()
    await test.getByText('trigger_disabled').waitFor()
    await list.getByRole('switch').click()
    await list.getByText('off', { exact: true }).waitFor({ state: 'detached' })

    // The secret was known to that page alone.
    await page.reload()
    await list.getByRole('button', { name: /^Details of Webhook/ }).click()
    await list.getByText('The secret is not shown again.').waitFor()
    expect(await test.count()).toBe(0)
    await list.getByRole('button', { name: 'Set a new secret' }).click()
    const renew = page.getByRole('dialog', { name: 'Set a new secret' })
    await renew.getByLabel('Signing secret').fill('typed by hand')
    await renew.getByRole('button', { name: 'Set secret' }).click()
    await test.getByRole('button', { name: 'Send test delivery' }).click()
    await test.getByRole('link', { name: 'Open the run' }).click()
    await page.getByRole('heading', { name: 'Loud', exact: true }).waitFor()
    await page.getByRole('link', { name: 'a trigger' }).waitFor()
  })

  test('those of all agents are on one page, and lead to their agents', async () => {
    const page = await open('/agents')
    await page.getByRole('link', { name: 'Triggers' }).click()
    const list = page.getByRole('list', { name: 'Triggers of all agents' })
    await list.getByRole('link', { name: 'agent.loud' }).first().waitFor()
    expect(await list.getByRole('listitem').count()).toBe((await triggers()).length)
    expect(await seriousProblems(page)).toEqual([])
    await list.getByRole('link', { name: 'agent.loud' }).first().click()
    await page.getByRole('tab', { name: 'Triggers', selected: true }).waitFor()
  })

  test('they are not for viewers', async () => {
    const viewer = await stage().world.token('viewer')
    const page = await open(PATH, { token: viewer })
    await page.getByRole('tab', { name: 'Versions' }).waitFor()
    expect(await page.getByRole('tab', { name: 'Triggers' }).count()).toBe(0)
  })

  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
    ['dark', 360],
  ] as const)('%s at %d px it fits, and axe finds nothing serious', async (scheme, width) => {
    const id = `agent.crowded-${scheme}-${width}`
    await call('POST', '/agents', {
      ir: graph([node('in', 'input'), node('out', 'output')], ['in.out>out.in'], {
        id,
        version: '1'.repeat(64),
      }),
    })
    const of = { agent_id: id, version: '1'.repeat(64) }
    await call('POST', '/triggers', { ...of, kind: 'webhook', config: { secret: 'x' } })
    const cron = `${Array.from({ length: 59 }, (_, minute) => minute).join(',')} 7 * * *`
    await call('POST', '/triggers', { ...of, kind: 'schedule', config: { cron, input: 'long '.repeat(100) } })
    const page = await open(`/agents/${id}?tab=triggers`, { scheme, width })
    const list = page.getByRole('list', { name: 'Triggers of the agent' })
    await list.getByRole('switch').nth(1).waitFor()
    for (const more of await list.getByRole('button', { name: /^Details of/ }).all()) await more.click()
    await list.getByText('openssl dgst').waitFor()
    await list.getByRole('row').nth(5).waitFor()
    await screenshot(page, `triggers-${scheme}-${width}`)
    expect(await sidewaysOverflow(page)).toBe(0)
    expect(await seriousProblems(page)).toEqual([])
    await page.goto(`${stage().world.urls.interface}/triggers`)
    await page.getByRole('list', { name: 'Triggers of all agents' }).waitFor()
    await screenshot(page, `triggers-all-${scheme}-${width}`)
    expect(await sidewaysOverflow(page)).toBe(0)
    expect(await seriousProblems(page)).toEqual([])
    await page.goBack()
    await page.getByRole('button', { name: 'New trigger' }).click()
    await page.getByRole('dialog').getByRole('row').nth(5).waitFor()
    await screenshot(page, `triggers-new-${scheme}-${width}`)
    expect(await sidewaysOverflow(page)).toBe(0)
    expect(await seriousProblems(page)).toEqual([])
  })
})
