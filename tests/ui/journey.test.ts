import { expect, test } from 'bun:test'
import { inBrowser, screenshot } from '../support/browser'
import { held } from '../support/hold'

const ANSWER = ['The sky is blue because ', 'air scatters **short** waves ', 'more than long ones.']
const TEXT = 'The sky is blue because air scatters short waves more than long ones.'

inBrowser((stage) => {
  test('from an empty install to a streamed answer and its timeline', async () => {
    const { provider } = stage().world
    provider.answers({ reasoning: ['Rayleigh, ', 'then.'], deltas: ANSWER })
    const page = await stage().open()

    await page.getByLabel('Username').fill('ada')
    await page.getByLabel('Your name').fill('Ada Lovelace')
    await page.getByLabel('Password', { exact: true }).fill('correct horse battery')
    await page.getByRole('button', { name: 'Create account' }).click()
    await page.getByRole('button', { name: 'Add a model' }).click()

    await page.getByText('What Tycho can ask').waitFor()
    await page.getByRole('button', { name: 'Add a model' }).first().click()
    await page.getByLabel('Base URL').fill(provider.url)
    await page.getByLabel('Provider’s model name').fill('acme/Sky-Model')
    expect(await page.getByLabel('Logical id').inputValue()).toBe('sky-model')
    await page.getByRole('button', { name: 'Add model' }).click()

    const trial = page.getByRole('dialog', { name: 'Try sky-model' })
    await trial.getByRole('button', { name: 'Send' }).click()
    await trial.getByText(TEXT).first().waitFor()
    expect(await trial.getByRole('definition').first().textContent()).toMatch(/^\d+\.\d\d s$/)
    await trial.getByRole('link', { name: 'Chat with it' }).click()

    const gate = held({ reasoning: ['Rayleigh, ', 'then.'], deltas: ANSWER }, 4)
    provider.answers(gate.script)
    await page.getByLabel('Message').fill('Why is the sky blue?')
    await page.keyboard.press('Enter')
    await page.getByText('The sky is blue because', { exact: true }).waitFor()
    gate.letGo()
    await page.getByRole('article').getByText(TEXT).waitFor()

    await page.getByRole('article').getByRole('link', { name: 'Run' }).click()
    await page.getByText('Completed').waitFor()
    const tree = page.getByRole('tree', { name: 'Spans of the run' })
    await tree.getByRole('treeitem', { name: /^model\.generate done/ }).waitFor()
    expect(await tree.getByRole('treeitem').evaluateAll(namesOf)).toEqual(['Run', 'llm', 'model.generate'])
    expect(await tree.locator('[data-first-token]').count()).toBeGreaterThan(0)
    await screenshot(page, 'journey')
  })
})

const namesOf = (rows: Element[]) => rows.map((row) => row.textContent!.split(' ')[0])
