import { beforeAll, describe, expect, test } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { inBrowser, screenshot, seriousProblems, sidewaysOverflow } from '../support/browser'
import { held } from '../support/hold'

inBrowser((stage) => {
  let token: string
  beforeAll(async () => {
    token = await stage().world.token('admin')
    await stage().world.registerModel('qwen3')
    stage().world.provider.answers({ deltas: ['Fine, ', 'thanks.'] })
  })

  const open = (path = '/editor', options = {}) => stage().open(path, { token, ...options })
  const call = (method: string, path: string, body?: unknown) =>
    stage().world.call(method, path, { as: 'admin', body })
  const nodes = (page: Page) => page.locator('.react-flow__node')
  const nodeOf = (page: Page, id: string) => page.locator(`.react-flow__node[data-id="${id}"]`)
  const port = (page: Page, node: string, name: string) =>
    nodeOf(page, node).locator(`[data-handleid="${name}"]`)
  const palette = (page: Page, name: string) =>
    page.getByRole('complementary', { name: 'Palette' }).getByRole('button', { name, exact: true })
  const saved = (page: Page) => page.getByText('Saved', { exact: true }).waitFor()
  const draftIn = (page: Page) => new URL(page.url()).searchParams.get('draft')

  async function drag(page: Page, from: Locator, to: Locator | { x: number; y: number }) {
    // A canvas that still moves to show everything would slip away below the mouse: hovering waits until it stands.
    await from.hover()
    const a = (await from.boundingBox())!
    const target =
      'x' in to
        ? to
        : await to.boundingBox().then((b) => ({ x: b!.x + b!.width / 2, y: b!.y + b!.height / 2 }))
    await page.mouse.move(a.x + a.width / 2, a.y + a.height / 2)
    await page.mouse.down()
    await page.mouse.move(target.x - 12, target.y - 8, { steps: 4 })
    await page.mouse.move(target.x, target.y, { steps: 2 })
    await page.mouse.up()
  }

  test('a new agent runs at once; with a router and a tool it is wired, tested, published and listed', async () => {
    const page = await open('/agents')
    await page.getByRole('link', { name: 'New agent' }).first().click()
    await nodeOf(page, 'llm').getByText('Ask qwen3 with Input').waitFor()
    await page.getByText('No problems').waitFor()
    await page.getByLabel('Name of the agent').fill('Ticket desk')

    // A router on the wire to the output, and a tool for the model.
    await nodeOf(page, 'llm').click()
    await palette(page, 'Router').click()
    await nodeOf(page, 'router').waitFor()
    await page.getByText('1 problem').or(page.getByText('No problems')).first().waitFor()
    await page.getByRole('button', { name: 'Add a branch' }).click()
    await page.getByLabel('Name of branch').fill('spam')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Close the panel' }).click()
    await palette(page, 'Tool').click()
    await nodeOf(page, 'tool').waitFor()
    await page.getByText(/\d problems?$/).waitFor()
    await page.getByRole('button', { name: 'Close the panel' }).click()
    await page.getByRole('button', { name: /^Tidy up/ }).click()
    await page.getByRole('button', { name: /^Show everything/ }).click()
    await drag(page, port(page, 'tool', 'use'), port(page, 'llm', 'tools'))
    await page.getByText('No problems').waitFor()
    await saved(page)
    const { ir } = (await call('GET', `/drafts/${draftIn(page)}`)).body
    expect(ir.edges.at(-1)).toMatchObject({
      source: 'tool',
      sourceHandle: 'use',
      target: 'llm',
      channel: 'tool',
    })
    expect(ir.id).toBe('agent.ticket-desk')

    const gate = held({ deltas: ['out'] }, 1)
    stage().world.provider.answers(gate.script)
    await page.getByRole('button', { name: 'Test', exact: true }).click()
    await page.getByRole('textbox', { name: 'Input', exact: true }).fill('My parcel is lost.')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await nodeOf(page, 'llm').locator('[data-status=running]').waitFor()
    await nodeOf(page, 'input').locator('[data-status=ok]').waitFor()
    gate.letGo()
    await nodeOf(page, 'router').locator('[data-status=ok]').waitFor()
    await nodeOf(page, 'input').getByText('My parcel is lost.').waitFor()
    await nodeOf(page, 'llm').locator('[data-output]').getByText('out').waitFor()
    await page.getByRole('region', { name: 'Result' }).getByText('Done').waitFor()
    await screenshot(page, 'editor-tested')

    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Publish' })
    await dialog.getByText('A new agent of 5 nodes and 4 wires.').waitFor()
    await dialog.getByRole('button', { name: 'Publish the agent' }).click()
    await page.getByRole('heading', { name: 'Ticket desk' }).waitFor()
    expect((await call('GET', '/agents/agent.ticket-desk')).body.versions).toHaveLength(1)
    expect((await call('GET', '/drafts')).body.drafts).toEqual([])

    await page.getByRole('link', { name: 'Edit' }).click()
    await nodeOf(page, 'llm').click()
    await page.getByLabel('Name', { exact: true }).fill('Think')
    await saved(page)
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await dialog.getByText('Changes since 1.0.0').waitFor()
    await dialog.getByText('Node llm').waitFor()
    await dialog.getByText('/label').waitFor()
    await screenshot(page, 'editor-publish')
    await dialog.getByRole('button', { name: 'Publish version 1.1.0' }).click()
    await page.getByRole('navigation', { name: 'Versions' }).getByText('1.1.0').waitFor()
    expect((await call('GET', '/agents/agent.ticket-desk')).body.versions).toHaveLength(2)
  })

  describe('nothing is lost', () => {
    test('a page that closes in the middle of an edit has it back, saved or not', async () => {
      const page = await open()
      await nodeOf(page, 'llm').click()
      await page.getByLabel('Name', { exact: true }).fill('Before the first save')
      await page.reload()
      await page.getByText('This is what had not been saved when this page closed.').waitFor()
      await nodeOf(page, 'llm').getByText('Before the first save').waitFor()
      await saved(page)
      const id = draftIn(page)!
      await nodeOf(page, 'llm').click()
      await page.getByLabel('Name', { exact: true }).fill('After it')
      await page.reload()
      await nodeOf(page, 'llm').getByText('After it').waitFor()
      await saved(page)
      expect(draftIn(page)).toBe(id)
      expect((await call('GET', `/drafts/${id}`)).body.ir.nodes[1].label).toBe('After it')
    })

    test('what was changed while the server was away is merged with what others saved meanwhile', async () => {
      const page = await open()
      await page.getByLabel('Name of the agent').fill('Mine')
      await saved(page)
      const id = draftIn(page)!
      await page.route('**/drafts/**', (route) =>
        route.request().method() === 'PUT' ? route.abort() : route.continue(),
      )
      await nodeOf(page, 'llm').click()
      await page.getByLabel('Name', { exact: true }).fill('Offline')
      await page.getByText('Not saved yet').waitFor()
      const { ir, view } = (await call('GET', `/drafts/${id}`)).body
      await call('PUT', `/drafts/${id}`, { ir: { ...ir, name: 'Theirs' }, view })
      await page.unroute('**/drafts/**')
      await page.reload()
      await page.getByText('Changes that had not been saved when this page closed are back.').waitFor()
      await saved(page)
      const merged = (await call('GET', `/drafts/${id}`)).body.ir
      expect([merged.name, merged.nodes[1].label]).toEqual(['Theirs', 'Offline'])
    })

    test('a second tab is told, and both see what the other saved', async () => {
      const page = await open()
      await page.getByLabel('Name of the agent').fill('Shared')
      await saved(page)
      const other = await page.context().newPage()
      await other.goto(page.url())
      const told = 'This draft is open in another tab as well.'
      await other.getByText(told).waitFor()
      await page.getByText(told).waitFor()
      await nodeOf(other, 'llm').click()
      await other.getByLabel('Name', { exact: true }).fill('From the other tab')
      await nodeOf(page, 'llm').getByText('From the other tab').waitFor()
      await other.close()
      await page.getByText(told).waitFor({ state: 'detached' })
    })

    test('what another machine saved is taken in, before one saves and on coming back', async () => {
      const page = await open()
      await page.getByLabel('Name of the agent').fill('Here')
      await saved(page)
      const path = `/drafts/${draftIn(page)}`
      const there = async (label: string) => {
        const { ir, view } = (await call('GET', path)).body
        ir.nodes[0].label = label
        await call('PUT', path, { ir, view })
      }
      await there('From there')
      await page.getByLabel('Name of the agent').fill('Here again')
      await page.getByText('Somebody else changed this draft as well.').waitFor()
      await nodeOf(page, 'input').getByText('From there').waitFor()
      await saved(page)
      const { ir } = (await call('GET', path)).body
      expect([ir.name, ir.nodes[0].label]).toEqual(['Here again', 'From there'])

      await there('Later')
      await page.evaluate(() => dispatchEvent(new Event('focus')))
      await nodeOf(page, 'input').getByText('Later').waitFor()
    })

    test('a draft that was deleted meanwhile becomes a draft again', async () => {
      const page = await open()
      await page.getByLabel('Name of the agent').fill('Gone')
      await saved(page)
      const id = draftIn(page)!
      await call('DELETE', `/drafts/${id}`)
      await page.getByLabel('Name of the agent').fill('Gone and back')
      await page.waitForURL((url) => url.searchParams.get('draft') !== id)
      await saved(page)
      expect((await call('GET', `/drafts/${draftIn(page)}`)).body.ir.name).toBe('Gone and back')
    })
  })

  describe('editing', () => {
    test('by keys alone: find, add, undo, redo, duplicate, copy, paste, remove', async () => {
      const page = await open()
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await nodes(page).first().waitFor()
      await page.locator('.react-flow__pane').click({ position: { x: 300, y: 20 } })
      await page.keyboard.press('/')
      await page.getByPlaceholder('Find a node…').last().fill('asks')
      await page.keyboard.press('Escape')
      await page.keyboard.press('/')
      await page.getByRole('dialog').getByPlaceholder('Find a node…').fill('qwen3')
      await page.keyboard.press('Enter')
      await page.getByRole('complementary', { name: 'Model' }).waitFor()
      await nodeOf(page, 'llm').focus()

      await page.keyboard.press('a')
      await page.getByPlaceholder('Add a node…').fill('guard')
      await page.keyboard.press('Enter')
      await nodeOf(page, 'guardrail').waitFor()
      await nodeOf(page, 'guardrail').focus()
      await page.keyboard.press('Control+z')
      await nodeOf(page, 'guardrail').waitFor({ state: 'detached' })
      await page.keyboard.press('Control+Shift+z')
      await nodeOf(page, 'guardrail').waitFor()

      await nodeOf(page, 'llm').click()
      await nodeOf(page, 'llm').focus()
      await page.keyboard.press('Control+d')
      await nodeOf(page, 'llm_2').waitFor()
      await nodeOf(page, 'llm_2').focus()
      await page.keyboard.press('Delete')
      await nodeOf(page, 'llm_2').waitFor({ state: 'detached' })

      await nodeOf(page, 'llm').click()
      await nodeOf(page, 'llm').focus()
      await page.keyboard.press('Control+c')
      await page.getByText('The node is copied.').first().waitFor()
      const other = await page.context().newPage()
      await other.goto(`${stage().world.urls.interface}/editor`)
      await nodes(other).first().waitFor()
      await other.locator('.react-flow__pane').click({ position: { x: 300, y: 20 } })
      await other.keyboard.press('Control+v')
      await nodeOf(other, 'llm_2').getByText('Ask qwen3').waitFor()

      await page.keyboard.press('Escape')
      await page.keyboard.press('?')
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Tidy up').waitFor()
    })

    test('typing into a field is undone as one step', async () => {
      const page = await open()
      await nodeOf(page, 'llm').click()
      const field = page.getByRole('textbox', { name: 'Message 1' })
      await field.click()
      await page.keyboard.press('Control+End')
      await page.keyboard.type(' please')
      await nodeOf(page, 'llm').getByText('Input please').waitFor()
      await page.keyboard.press('Control+z')
      await nodeOf(page, 'llm').getByText('Ask qwen3 with Input', { exact: true }).waitFor()
      expect(await field.textContent()).toBe('$in')
    })

    test('a wire that is let go asks what comes there; one that cannot be says why', async () => {
      const page = await open()
      await nodeOf(page, 'input').waitFor()
      const box = (await port(page, 'input', 'out').boundingBox())!
      await drag(page, port(page, 'input', 'out'), { x: box.x + 60, y: box.y + 160 })
      await page.getByPlaceholder('What comes here?').fill('transform')
      await page.keyboard.press('Enter')
      await nodeOf(page, 'transform').waitFor()
      await page.getByRole('button', { name: 'Close the panel' }).click()
      await page.getByRole('complementary', { name: 'Transform' }).waitFor({ state: 'detached' })
      await page.getByRole('button', { name: /^Show everything/ }).click()
      await drag(page, port(page, 'transform', 'out'), port(page, 'llm', 'in'))
      await page.getByText('“in” is fed already: a port takes one wire.').waitFor()
      expect(await page.locator('.react-flow__edge').count()).toBe(3)
    })

    test('a node dropped on a wire stands between its ends', async () => {
      const page = await open()
      await nodeOf(page, 'llm').waitFor()
      const wire = (await page.locator('.react-flow__edge').nth(1).boundingBox())!
      await palette(page, 'Guardrail').dragTo(page.locator('.react-flow__edge').nth(1), {
        force: true,
        targetPosition: { x: wire.width / 2, y: wire.height / 2 },
      })
      await nodeOf(page, 'guardrail').getByText('Let Model pass').waitFor()
      await page.getByRole('button', { name: 'Close the panel' }).click()
      await nodeOf(page, 'output').getByText('Gives Guardrail').waitFor()
    })

    test('a problem leads to its node, and is gone when it is solved', async () => {
      const page = await open()
      await nodeOf(page, 'llm').waitFor()
      await palette(page, 'Retrieval').click()
      await page.getByRole('button', { name: 'Close the panel' }).click()
      await page.getByRole('button', { name: /problem/ }).click()
      const list = page.getByRole('list', { name: 'Problems' })
      await list.getByRole('button').first().waitFor()
      await list.getByText('must be at least one character').first().click()
      await page.getByRole('button', { name: 'Close the panel' }).first().click()
      await page.getByLabel('Source').fill('rag_handbook')
      await page.getByText('must be at least one character').waitFor({ state: 'detached' })
      await nodeOf(page, 'rag').getByText('rag_handbook').waitFor()
    })

    test('the code is the document: what is written there is on the canvas, what is broken is kept', async () => {
      const page = await open()
      await page.getByLabel('Name of the agent').fill('By code')
      await page.getByRole('radio', { name: 'Code' }).click()
      const code = page.getByRole('textbox', { name: 'Agent document as JSON' })
      await code.getByText('"By code"').waitFor()
      await code.getByText('"By code"').click({ clickCount: 2 })
      await page.keyboard.type('In')
      await page.keyboard.press('Control+Home')
      await page.keyboard.type('oops')
      await page.getByText('1 problem').waitFor()
      await page.getByText('Kept here').waitFor()
      await page.reload()
      await code.getByText('oops{').waitFor()
      await code.click()
      await page.keyboard.press('Control+Home')
      for (let letter = 0; letter < 4; letter++) await page.keyboard.press('Delete')
      await page.getByText('No problems').waitFor()
      await page.getByRole('radio', { name: 'Visual' }).click()
      expect(await page.getByLabel('Name of the agent').inputValue()).toBe('By In')
    })

    test('a reference is completed with real values after a run, and red where a run would fail', async () => {
      const page = await open()
      await page.getByRole('button', { name: 'Test', exact: true }).click()
      await page.getByRole('textbox', { name: 'Input', exact: true }).fill('{"title": "Broken lamp"}')
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      await page.getByRole('region', { name: 'Result' }).getByText('Done').waitFor()
      await nodeOf(page, 'input').getByText('Broken lamp').waitFor()
      await page.getByRole('button', { name: 'Close the panel' }).click()
      await nodeOf(page, 'llm').click()
      const field = page.getByRole('textbox', { name: 'Message 1' })
      await field.click()
      await page.keyboard.press('Control+End')
      await page.keyboard.type('.in.ti')
      // The input's own option shows the whole object: it has both words, but is called otherwise.
      await page.getByRole('option', { name: /^title.*Broken lamp/ }).click()
      await field.locator('.reference').getByText('$in.in.title').hover()
      await page.locator('.reference-value').getByText('Broken lamp').waitFor()
      await field.click()
      await page.keyboard.press('Control+End')
      await page.keyboard.type('s')
      await field.locator('.reference-wrong').getByText('$in.in.titles').waitFor()
      await page.getByRole('button', { name: 'Run from here' }).waitFor()
      await page.getByText('The graph changed since the last run').waitFor()
      expect(await page.getByRole('button', { name: 'Run from here' }).isDisabled()).toBe(true)
    })

    test('a run goes on from a node with what came before', async () => {
      const page = await open()
      stage().world.provider.answers({ deltas: ['First.'] })
      await page.getByRole('button', { name: 'Test', exact: true }).click()
      await page.getByRole('textbox', { name: 'Input', exact: true }).fill('Again')
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      await page.getByRole('region', { name: 'Result' }).getByText('Done').waitFor()
      await page.getByRole('button', { name: 'Close the panel' }).click()
      stage().world.provider.answers({ deltas: ['Second.'] })
      await nodeOf(page, 'llm').click()
      await page.getByRole('button', { name: 'Run from here' }).click()
      await nodeOf(page, 'llm').locator('[data-output]').getByText('Second.').waitFor()
      await nodeOf(page, 'input').getByText('Again').waitFor()
    })

    test('a kept output is where the next run begins; let go, it begins from the start', async () => {
      const page = await open()
      const asked: unknown[] = []
      page.on('request', (request) => {
        if (request.method() === 'POST' && /runs/.test(request.url())) asked.push(request.postDataJSON())
      })
      await nodeOf(page, 'llm').click()
      await palette(page, 'Transform').click()
      await nodeOf(page, 'transform').waitFor()
      stage().world.provider.answers({ deltas: ['Kept.'] })
      await page.getByRole('button', { name: 'Test', exact: true }).click()
      await page.getByRole('textbox', { name: 'Input', exact: true }).fill('Once')
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      await page.getByRole('region', { name: 'Result' }).getByText('Done').waitFor()
      await page.getByRole('button', { name: 'Close the panel' }).click()

      await nodeOf(page, 'llm').click()
      await page.getByRole('button', { name: 'Keep its output' }).click()
      await nodeOf(page, 'llm').getByLabel('Its output is kept').waitFor()
      stage().world.provider.answers({ deltas: ['New.'] })
      await page.getByRole('button', { name: 'Test', exact: true }).click()
      await page.getByText('The output of “Model” is kept').waitFor()
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      await page.getByRole('region', { name: 'Result' }).locator('[data-answer]').getByText('Kept.').waitFor()
      expect(asked.at(-1)).toMatchObject({ from_node: 'transform' })
      await page.getByRole('button', { name: 'Let it go' }).click()
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      await page.getByRole('region', { name: 'Result' }).locator('[data-answer]').getByText('New.').waitFor()
    })

    test('Test is pressed in the moment in which a node comes: both are on the screen', async () => {
      const page = await open()
      await nodeOf(page, 'llm').click()
      await palette(page, 'Human').click()
      await page.getByRole('button', { name: 'Test', exact: true }).click()
      const panel = page.getByRole('complementary', { name: 'Test run' })
      await panel.getByText(/“Human” must outlive a restart/).waitFor()
      const edge = (await panel.boundingBox())!.x
      await nodeOf(page, 'human').hover()
      for (const id of ['input', 'llm', 'output', 'human']) {
        const { x, width } = (await nodeOf(page, id).boundingBox())!
        expect(x + width).toBeLessThan(edge)
      }
    })

    test('what only runs durably is told before one tries', async () => {
      const page = await open()
      await nodeOf(page, 'llm').click()
      await palette(page, 'Human').click()
      await page.getByRole('complementary', { name: 'Human' }).waitFor()
      await page.getByRole('button', { name: 'Test', exact: true }).click()
      await page.getByText(/“Human” must outlive a restart/).waitFor()
    })
  })

  test('a viewer looks at an agent and changes nothing', async () => {
    const viewer = await stage().world.token('viewer')
    const page = await stage().open('/editor?agent=agent.ticket-desk', { token: viewer })
    await nodeOf(page, 'llm').click()
    expect(await page.getByLabel('Name', { exact: true }).getAttribute('readonly')).not.toBeNull()
    expect(await page.getByRole('button', { name: /^(Publish|Test|Undo|Remove)/ }).count()).toBe(0)
    expect(await page.getByRole('complementary', { name: 'Palette' }).count()).toBe(0)
  })

  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
    ['dark', 360],
  ] as const)('%s at %d px it fits, and axe finds nothing serious', async (scheme, width) => {
    const page = await open('/editor', { scheme, width })
    await nodes(page).first().waitFor()
    const look = async (name: string) => {
      expect(await sidewaysOverflow(page)).toBe(0)
      expect(await seriousProblems(page)).toEqual([])
      await screenshot(page, `editor-${name}-${scheme}-${width}`)
    }
    await look('canvas')
    await nodes(page).first().click()
    await nodeOf(page, 'input').waitFor()
    await page.getByLabel('Id', { exact: true }).waitFor()
    await look('inspector')
    await page.getByRole('button', { name: 'Close the panel' }).click()
    await page.getByRole('button', { name: 'Test', exact: true }).click()
    await page.getByRole('textbox', { name: 'Input', exact: true }).waitFor()
    await look('test')
    await page.getByRole('radio', { name: 'Code' }).click()
    await page.getByRole('textbox', { name: 'Agent document as JSON' }).waitFor()
    await look('code')
  })
})
