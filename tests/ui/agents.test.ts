import { beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { document, edge, node } from '../graph/support'
import { inBrowser, screenshot, seriousProblems, sidewaysOverflow } from '../support/browser'

const agent = (id: string, rest: Record<string, unknown> = {}) =>
  document([node('ask', 'input'), node('end', 'output')], [edge('ask.out', 'end.in')], {
    id,
    name: id.replace('agent.', 'The '),
    ...rest,
  })

inBrowser((stage) => {
  let token: string
  beforeAll(async () => {
    token = await stage().world.token('admin')
  })

  const open = (path: string, options = {}) => stage().open(path, { token, ...options })
  const call = (method: string, path: string, body?: unknown) =>
    stage().world.call(method, path, { as: 'admin', body })
  const publish = (ir: unknown) => call('POST', '/agents', { ir })

  test('the empty screen teaches; an agent is published from JSON, and what is wrong is told in full', async () => {
    const page = await open('/agents')
    await page.getByText('No agents yet').waitFor()
    expect(await seriousProblems(page)).toEqual([])
    await page.getByRole('button', { name: 'Publish from JSON' }).click()
    const dialog = page.getByRole('dialog', { name: 'Publish from JSON' })
    const submit = dialog.getByRole('button', { name: 'Publish', exact: true })

    await dialog.getByLabel('Agent document').fill('{"id": ')
    await submit.click()
    await dialog.getByText(/This is not JSON/).waitFor()
    await dialog
      .getByLabel('Agent document')
      .fill(JSON.stringify(agent('agent.first', { nodes: [node('ask', 'input'), node('ask', 'output')] })))
    await submit.click()
    await dialog.getByText('Node "ask" is not the only node with this id.').waitFor()
    await dialog.getByText('problems keep it from being published').waitFor()
    await dialog.getByText('/nodes/1/id').waitFor()
    expect(await seriousProblems(page)).toEqual([])

    await dialog.getByLabel('Agent document').fill(JSON.stringify(agent('agent.first')))
    await submit.click()
    await page.getByText('agent.first 1.0.0 is published.').first().waitFor()
    await page.getByRole('heading', { name: 'The first' }).waitFor()
    expect((await call('GET', '/agents/agent.first')).body.versions).toHaveLength(1)
  })

  describe('the list', () => {
    beforeAll(async () => {
      for (let index = 0; index < 55; index++) await publish(agent(`agent.many-${index}`))
    })

    const items = (page: Page) => page.getByRole('list', { name: 'Agents' }).getByRole('listitem')

    test('is newest first, and goes on as one scrolls', async () => {
      const page = await open('/agents')
      await page.getByText('The many-54').waitFor()
      expect(await items(page).first().textContent()).toContain('The many-54')
      expect(await items(page).count()).toBe(50)
      await items(page).last().scrollIntoViewIfNeeded()
      await page.getByText('The many-0', { exact: true }).waitFor()
      expect(await items(page).count()).toBe(56)
    })

    test('is searched as a whole, ordered, and shown as cards or rows', async () => {
      const page = await open('/agents')
      await page.getByLabel('Find by name or id').fill('MANY-5')
      await page.getByText('6 of 56 agents').waitFor()
      expect(await items(page).count()).toBe(6)
      await page.getByLabel('Find by name or id').fill('nobody')
      await page.getByText('No agent fits').waitFor()
      await page.getByRole('button', { name: 'Show all' }).click()
      await page.getByRole('combobox', { name: 'Order' }).click()
      await page.getByRole('option', { name: 'By name' }).click()
      await items(page).nth(55).waitFor()
      expect(await items(page).first().textContent()).toContain('The first')
      expect(await items(page).nth(3).textContent()).toContain('The many-2')
      await page.getByRole('radio', { name: 'List' }).click()
      await page.reload()
      expect(await page.getByRole('radio', { name: 'List' }).isChecked()).toBe(true)
    })

    test('a card shows the graph of its agent', async () => {
      const page = await open('/agents')
      const steps = items(page).first().locator('.outline-steps')
      await steps.waitFor({ state: 'attached' })
      // Input and output, each a box.
      expect((await steps.getAttribute('d'))!.split('z')).toHaveLength(3)
      expect(
        (await items(page).first().locator('.outline-wires').getAttribute('d'))!.split('M'),
      ).toHaveLength(2)
    })

    test('an agent is deleted after a question that says what stays', async () => {
      const page = await open('/agents')
      const leave = async () => {
        await page.getByRole('button', { name: 'More for The many-53' }).click()
        await page.getByRole('menuitem', { name: 'Delete…' }).click()
        await page.getByText('Its runs, chats and drafts stay.').waitFor()
      }
      await leave()
      await page.getByRole('button', { name: 'Cancel' }).click()
      expect((await call('GET', '/agents/agent.many-53')).status).toBe(200)
      await leave()
      await page.getByRole('button', { name: 'Delete agent' }).click()
      await page.getByText('The many-53 is deleted.').first().waitFor()
      await page.getByRole('button', { name: 'More for The many-53' }).waitFor({ state: 'detached' })
      expect((await call('GET', '/agents/agent.many-53')).status).toBe(404)
    })

    test('an export that fails says so until it worked', async () => {
      const page = await open('/agents')
      const version = '**/agents/agent.many-52/versions/*'
      await page.route(version, (route) => route.abort())
      await page.getByRole('button', { name: 'More for The many-52' }).click()
      await page.getByRole('menuitem', { name: 'Export as JSON' }).click()
      const alert = page.getByRole('alert').filter({ hasText: 'The many-52 could not be exported' })
      await alert.waitFor()
      await page.unroute(version)
      const download = page.waitForEvent('download')
      await alert.getByRole('button', { name: 'Try again' }).click()
      expect((await download).suggestedFilename()).toBe('agent.many-52-1.0.0.json')
      await alert.waitFor({ state: 'detached' })
    })

    test('several are exported as one file, deleted, and published from that file again', async () => {
      const page = await open('/agents')
      await page.getByLabel('Choose The many-51').check()
      await page.getByLabel('Choose The many-50').check()
      await page.getByText('2 chosen').waitFor()
      const download = page.waitForEvent('download')
      await page.getByRole('button', { name: 'Export' }).click()
      const file = (await (await download).path())!
      expect((await Bun.file(file).json()).map(({ id }: { id: string }) => id)).toEqual([
        'agent.many-51',
        'agent.many-50',
      ])
      await screenshot(page, 'agents-chosen')

      // One of them is gone already: somebody else was faster.
      await call('DELETE', '/agents/agent.many-50')
      await page.getByRole('button', { name: 'Delete…' }).click()
      await page.getByRole('button', { name: 'Delete 2 agents' }).click()
      await page.getByText('2 agents are deleted.').first().waitFor()
      await page.getByText('The many-51').waitFor({ state: 'detached' })
      expect((await call('GET', '/agents/agent.many-51')).status).toBe(404)

      await page.getByRole('button', { name: 'Publish from JSON' }).click()
      await page.locator('input[type=file]').setInputFiles({
        name: 'agents.json',
        mimeType: 'application/json',
        buffer: Buffer.from(await Bun.file(file).arrayBuffer()),
      })
      await page.getByLabel('Agent document').getByText('agent.many-51').waitFor()
      await page.getByRole('button', { name: 'Publish', exact: true }).click()
      await page.getByText('2 agents are published.').first().waitFor()
      expect((await call('GET', '/agents/agent.many-50')).status).toBe(200)
    })

    test('drafts stand above it, are published from there, and are drafts no more', async () => {
      const { id } = (await call('POST', '/drafts', { ir: agent('agent.drafted'), view: { zoom: 2 } })).body
      const other = (await call('POST', '/drafts', { ir: { name: 'Half done' } })).body
      const page = await open('/agents')
      await page.getByRole('button', { name: 'More for the draft Half done' }).click()
      await page.getByRole('menuitem', { name: 'Delete' }).click()
      await page.getByRole('button', { name: 'Delete draft' }).click()
      await page.getByRole('button', { name: 'More for the draft Half done' }).waitFor({ state: 'detached' })
      expect((await call('GET', `/drafts/${other.id}`)).status).toBe(404)

      await page.getByRole('button', { name: 'More for the draft The drafted' }).click()
      await page.getByRole('menuitem', { name: 'Publish…' }).click()
      await page.getByRole('button', { name: 'Publish', exact: true }).click()
      await page.getByRole('heading', { name: 'The drafted' }).waitFor()
      expect((await call('GET', '/agents/agent.drafted/versions/1.0.0')).body.view).toEqual({ zoom: 2 })
      await page.getByRole('link', { name: 'Agents' }).first().click()
      await page.getByText('The many-54').waitFor()
      await page.getByRole('heading', { name: 'Drafts' }).waitFor({ state: 'detached' })
      expect((await call('GET', `/drafts/${id}`)).status).toBe(404)
    })
  })

  describe('one agent', () => {
    beforeAll(async () => {
      await publish(agent('agent.one'))
      const later = agent('agent.one', {
        version: '2.0',
        nodes: [
          { ...node('ask', 'input'), label: 'Question' },
          node('end', 'output'),
          node('more', 'memory'),
        ],
      })
      await call('POST', '/agents/agent.one/versions', { ir: later })
    })

    test('shows its versions, and the graph and the document of each', async () => {
      const page = await open('/agents/agent.one')
      const graph = page.getByRole('region', { name: 'Graph' })
      const added = graph.locator('.react-flow__node[data-id="more"]')
      await page.getByRole('region', { name: 'Version 2.0' }).getByText('"Question"').waitFor()
      await added.waitFor()
      await page.getByRole('button', { name: '1.0.0' }).click()
      const first = page.getByRole('region', { name: 'Version 1.0.0' })
      await first.getByText('"version": "1.0.0"').waitFor()
      expect(await first.getByText('"Question"').count()).toBe(0)
      await graph.locator('.react-flow__node').first().waitFor()
      expect(await added.count()).toBe(0)
      await page.reload()
      await first.getByText('"version": "1.0.0"').waitFor()
    })

    test('tells what differs between two versions', async () => {
      const page = await open('/agents/agent.one')
      await page.getByRole('tab', { name: 'Compare' }).click()
      const differences = page.getByRole('region', { name: 'Differences' })
      await differences.getByText('Node more (memory)').waitFor()
      await differences.getByText('added', { exact: true }).waitFor()
      await differences.getByText('/label').waitFor()
      expect(await seriousProblems(page)).toEqual([])
      await page.getByRole('combobox', { name: 'To' }).click()
      await page.getByRole('option', { name: '1.0.0' }).click()
      await page.getByText('Nothing but the version differs').waitFor()
    })

    test('its policy is changed, and what cannot be used is refused', async () => {
      const page = await open('/agents/agent.one?tab=capture')
      await page.getByRole('radio', { name: 'Sizes' }).click()
      await page.getByLabel('Keep them for (seconds)').fill('3600')
      await page.getByLabel('Hide values under these keys').fill('password\n\n api_key ')
      await page.getByLabel('Hide what matches these patterns').fill('(a)\\1')
      await page.getByRole('button', { name: 'Save policy' }).click()
      await page.getByText('invalid_policy').waitFor()
      expect(await seriousProblems(page)).toEqual([])
      await page.getByLabel('Hide what matches these patterns').fill('\\d{16}')
      await page.getByRole('button', { name: 'Save policy' }).click()
      await page.getByText('The policy is saved.').first().waitFor()
      expect((await call('GET', '/agents/agent.one/io-policy')).body).toMatchObject({
        io_capture: 'metadata',
        io_retention_seconds: 3600,
        redact_rules: { keys: ['password', 'api_key'], patterns: ['\\d{16}'] },
      })
    })

    test('that is not there is said to be not there', async () => {
      const page = await open('/agents/agent.nowhere')
      await page.getByText('There is no such agent').waitFor()
    })

    test('is to be looked at by viewers, not changed', async () => {
      const viewer = await stage().world.token('viewer')
      const page = await open('/agents/agent.one', { token: viewer })
      await page.getByRole('region', { name: 'Version 2.0' }).waitFor()
      expect(await page.getByRole('tab', { name: 'Capture' }).count()).toBe(0)
      expect(await page.getByRole('button', { name: /Publish|Delete/ }).count()).toBe(0)
      await page.getByRole('link', { name: 'Agents' }).first().click()
      await page.getByText('The many-54').waitFor()
      expect(await page.getByRole('button', { name: /Publish|Delete/ }).count()).toBe(0)
    })
  })

  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
    ['dark', 360],
  ] as const)('%s at %d px it fits, and axe finds nothing serious', async (scheme, width) => {
    await publish(
      agent(`agent.${'long-'.repeat(20)}`, { name: 'Quite '.repeat(30), version: '1'.repeat(64) }),
    )
    const page = await open('/agents', { scheme, width })
    await page.getByRole('list', { name: 'Agents' }).waitFor()
    await screenshot(page, `agents-${scheme}-${width}`)
    expect(await sidewaysOverflow(page)).toBe(0)
    expect(await seriousProblems(page)).toEqual([])
    for (const tab of ['versions', 'compare', 'capture']) {
      await page.goto(
        `${stage().world.urls.interface}/agents/agent.${tab === 'versions' ? 'long-'.repeat(20) : 'one'}?tab=${tab}`,
      )
      await page.getByRole('tabpanel').waitFor()
      await page.getByText(/^(Loading|Comparing)/).waitFor({ state: 'detached' })
      expect(await sidewaysOverflow(page)).toBe(0)
      expect(await seriousProblems(page)).toEqual([])
      await screenshot(page, `agent-${tab}-${scheme}-${width}`)
    }
  })
})
