import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { inBrowser, screenshot } from '../support/browser'

/** What somebody does who has never seen it, in one go: from nothing to an agent of their own whose run they understand. */
inBrowser((stage) => {
  test('an empty install, a sample, an own agent with a router and a tool, published, run and understood', async () => {
    const { provider } = stage().world
    // The model asks its tool first, and then says where the ticket goes.
    provider.answers(({ messages, tools }) =>
      (messages as { role: string }[]).some(({ role }) => role === 'tool') || !tools
        ? { deltas: ['spam'] }
        : { toolCalls: [{ id: 'call_1', name: nameOf(tools), arguments: '{"value": "You won!"}' }] },
    )
    const page = await stage().open()
    await signUp(page)
    await addModel(page, provider.url)
    await installSample(page)

    await page.getByRole('link', { name: 'Agents' }).first().click()
    await page.getByRole('link', { name: 'sample-second-opinion' }).waitFor()
    await page.getByRole('link', { name: 'New agent' }).first().click()
    await page.getByLabel('Name of the agent').fill('Ticket desk')
    await build(page)
    await page.getByText('No problems').waitFor()
    await screenshot(page, 'five-minutes-built')

    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    const dialog = page.getByRole('dialog', { name: 'Publish' })
    await dialog.getByText('A new agent of 6 nodes and 5 wires.').waitFor()
    await dialog.getByRole('button', { name: 'Publish the agent' }).click()
    await page.getByRole('heading', { name: 'Ticket desk' }).waitFor()

    await page.getByRole('link', { name: 'Chat', exact: true }).last().click()
    await page.getByLabel('Message').fill('You won a million!')
    await page.keyboard.press('Enter')
    const answer = page.getByRole('article')
    await answer.getByText('spam').first().waitFor()
    await answer.getByRole('link', { name: 'Run' }).click()
    await page.getByText('Completed').waitFor()
    const tree = page.getByRole('tree', { name: 'Spans of the run' })
    await tree.getByRole('treeitem', { name: /^output_2 done/ }).waitFor()
    const names = await tree.getByRole('treeitem').allTextContents()
    const of = (name: string) => names.filter((row) => row.startsWith(name))
    expect([of('router'), of('tool'), of('model.generate')].map((rows) => rows.length)).toEqual([1, 1, 2])
    await tree.getByRole('treeitem', { name: /^output skipped/ }).waitFor()
    await screenshot(page, 'five-minutes-trace')
  })
})

const nameOf = (tools: unknown): string => (tools as { function: { name: string } }[])[0]!.function.name

async function signUp(page: Page) {
  await page.getByLabel('Username').fill('ada')
  await page.getByLabel('Your name').fill('Ada Lovelace')
  await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
  await page.getByRole('button', { name: 'Create account' }).click()
}

async function addModel(page: Page, url: string) {
  await page.getByRole('button', { name: 'Add a model' }).click()
  await page.getByText('What Tycho can ask').waitFor()
  await page.getByRole('button', { name: 'Add a model' }).first().click()
  await page.getByLabel('Base URL').fill(url)
  await page.getByLabel('Provider’s model name').fill('acme/Sky-Model')
  await page.getByRole('button', { name: 'Add model' }).click()
  await page
    .getByRole('dialog', { name: 'Try sky-model' })
    .getByRole('button', { name: 'Close' })
    .first()
    .click()
}

async function installSample(page: Page) {
  await page.getByRole('link', { name: 'Dashboard' }).first().click()
  await page.getByRole('link', { name: 'See the samples' }).click()
  await page.getByRole('button', { name: 'Install Second opinion' }).click()
  // The only model there is takes every place by itself.
  await page
    .getByRole('dialog', { name: 'Install Second opinion' })
    .getByRole('button', { name: 'Install' })
    .click()
  await page.getByText('Second opinion: installed.').first().waitFor()
}

/** Input → Model with a tool → Router → one output for spam, one for the rest. */
async function build(page: Page) {
  const node = (id: string) => page.locator(`.react-flow__node[data-id="${id}"]`)
  const palette = (name: string) =>
    page.getByRole('complementary', { name: 'Palette' }).getByRole('button', { name, exact: true })

  await node('llm').getByText('Ask sky-model with Input').waitFor()
  await node('llm').click()
  await palette('Tool').click()
  await node('tool').waitFor()
  await page.getByRole('combobox', { name: 'Tool' }).click()
  await page.getByRole('option', { name: /echo/ }).click()
  await node('tool').getByText(/echo/).first().waitFor()

  await node('llm').click()
  await palette('Router').click()
  await node('router').waitFor()
  await page.getByRole('button', { name: 'Add a branch' }).click()
  await page.getByLabel('Name of branch').fill('spam')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Close the panel' }).click()
  await page.getByRole('button', { name: /^Show everything/ }).click()

  // The wire of the new branch is let go above nothing, and an output is put there.
  const spam = node('router').locator('[data-handleid="spam"]')
  await spam.hover()
  const { x, y } = (await spam.boundingBox())!
  await page.mouse.down()
  await page.mouse.move(x + 40, y + 60, { steps: 4 })
  await page.mouse.move(x + 60, y + 140, { steps: 4 })
  await page.mouse.up()
  await page.getByPlaceholder('What comes here?').fill('output')
  await page.keyboard.press('Enter')
  await node('output_2').getByText('Gives Router').waitFor()
}
