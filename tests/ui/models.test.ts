import { beforeAll, beforeEach, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { inBrowser, seriousProblems, sidewaysOverflow } from '../support/browser'
import { held } from '../support/hold'

inBrowser((stage) => {
  let token: string
  beforeAll(async () => {
    token = await stage().world.token('admin')
  })
  beforeEach(() => stage().world.provider.answers({ deltas: ['Fine.'] }))

  const models = (options = {}) => stage().open('/registries', { token, ...options })
  const registered = async (id: string) =>
    (await stage().world.infer('GET', `/admin/models/${encodeURIComponent(id)}`)).body.binding
  const openTrial = async (page: Page, id: string) => {
    await page
      .getByRole('listitem')
      .filter({ hasText: id })
      .getByRole('button', { name: `Try it: ${id}` })
      .click()
    const trial = page.getByRole('dialog', { name: `Try ${id}` })
    await trial.getByRole('button', { name: 'Send' }).click()
    return trial
  }

  test('the empty screen teaches, and what is wrong in the form is said beside the field', async () => {
    const page = await models()
    await page.getByText('No models yet').waitFor()
    expect(await seriousProblems(page)).toEqual([])
    await page.getByRole('button', { name: 'Add a model' }).first().click()
    await page.getByLabel('Base URL').fill('api.example.com')
    await page.getByRole('button', { name: 'Add model' }).click()
    await page.getByText('Write an address that begins with http:// or https://.').waitFor()
    await page.getByText('Give it a name.').waitFor()
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-invalid'))).toBe('true')
    await page.getByLabel('Base URL').fill('https://api.example.com')
    await page.getByText('Most providers’ addresses end in /v1; this one does not.').waitFor()
    expect(await seriousProblems(page)).toEqual([])
  })

  test('a model with a new key is registered and works at once; the key never comes back', async () => {
    const { provider, infer } = stage().world
    const page = await models()
    await page.getByRole('button', { name: 'Add a model' }).first().click()
    await page.getByRole('button', { name: 'OpenAI' }).click()
    await page.getByLabel('Base URL').fill(provider.url)
    await page.getByLabel('Provider’s model name').fill('acme/Big Model')
    await page.getByLabel('Logical id').fill('team/big:latest')
    await page.getByLabel('Key', { exact: true }).fill('sk-very-secret')
    await page.getByText('Advanced').click()
    await page.getByLabel('Default parameters').fill('{"temperature": 0.2}')
    await page.getByRole('button', { name: 'Add model' }).click()

    const trial = page.getByRole('dialog', { name: 'Try team/big:latest' })
    await trial.getByRole('button', { name: 'Send' }).click()
    await trial.getByText('Fine.').first().waitFor()
    expect(provider.seen.at(-1)!.headers.authorization).toBe('Bearer sk-very-secret')
    expect(provider.seen.at(-1)!.body).toMatchObject({ model: 'acme/Big Model', temperature: 0.2 })
    expect(await registered('team/big:latest')).toMatchObject({ credentialRef: 'secret://OPENAI_API_KEY' })
    expect(JSON.stringify((await infer('GET', '/admin/credentials')).body)).not.toContain('very-secret')

    await trial.getByRole('button', { name: 'Close' }).click()
    await page.getByText('OPENAI_API_KEY').waitFor()
    expect(await page.content()).not.toContain('very-secret')
  })

  test('try it shows the answer as it streams, its figures, and stops', async () => {
    await stage().world.registerModel('quick')
    const gate = held({ deltas: ['One ', 'two ', 'three'] }, 2)
    stage().world.provider.answers(gate.script)
    const page = await models()
    const trial = await openTrial(page, 'quick')
    await trial.getByText('One', { exact: true }).waitFor()
    await trial.getByRole('button', { name: 'Stop' }).click()
    await trial.getByText('Stopped.').waitFor()
    await stage().world.provider.seen.at(-1)!.aborted
    gate.letGo()

    const usage = { prompt_tokens: 1, completion_tokens: 77, total_tokens: 78 }
    const again = held({ deltas: ['One ', 'two ', 'three'], usage }, 2)
    stage().world.provider.answers(again.script)
    await trial.getByRole('button', { name: 'Send' }).click()
    await trial.getByText('One', { exact: true }).waitFor()
    again.letGo()
    await trial.getByText('One two three', { exact: true }).waitFor()
    // The figures come behind the last word.
    await trial.getByText('77', { exact: true }).waitFor()
    expect(await trial.getByRole('definition').allTextContents()).toEqual([
      expect.stringMatching(/^\d+\.\d\d s$/),
      expect.stringMatching(/^\d+\.\d$/),
      '77',
    ])
  })

  test.each([
    [
      'no-key',
      { credentialRef: 'secret://NOT_THERE' },
      'credential_error',
      'Give the model’s credential a value',
    ],
    ['no-v1', { baseUrl: 'PROVIDER/nowhere' }, 'modality_not_supported', 'end in /v1?'],
  ])('a model that fails (%s) says the code and what to do', async (id, more, code, help) => {
    const { world } = stage()
    const origin = new URL(world.provider.url).origin
    await world.registerModel(id, JSON.parse(JSON.stringify(more).replace('PROVIDER', origin)))
    const page = await models()
    const trial = await openTrial(page, id)
    await trial.getByText(code).waitFor()
    await trial.getByText(help).waitFor()
    expect(await seriousProblems(page)).toEqual([])
  })

  test('a model is changed under its id, and deleted after a question', async () => {
    await stage().world.registerModel('changing', { params: { temperature: 1 } })
    const page = await models()
    const menu = page.getByRole('button', { name: 'More for changing' })
    await menu.click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    expect(await page.getByLabel('Logical id').isEditable()).toBe(false)
    await page.getByLabel('Provider’s model name').fill('another')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText(/^another at/).waitFor()
    expect(await registered('changing')).toMatchObject({ model: 'another', params: { temperature: 1 } })

    await menu.click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('button', { name: 'Delete model' }).click()
    await page.getByText('changing is deleted.').first().waitFor()
    await menu.waitFor({ state: 'detached' })
    expect((await stage().world.infer('GET', '/admin/models/changing')).status).toBe(404)
  })

  test('a key is added, replaced and removed, with a word on who uses it', async () => {
    await stage().world.registerModel('keyed', { credentialRef: 'secret://MY_KEY' })
    const page = await models()
    await page.getByRole('button', { name: 'Add a credential' }).click()
    await page.getByLabel('Name', { exact: true }).fill('not a name')
    await page.getByLabel('Key', { exact: true }).fill('one')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Use capital letters, digits and underscores').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('MY_KEY')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Replace MY_KEY' }).click()
    await page.getByLabel('Key', { exact: true }).fill('two')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    const trial = await openTrial(page, 'keyed')
    await trial.getByText('Fine.').first().waitFor()
    expect(stage().world.provider.seen.at(-1)!.headers.authorization).toBe('Bearer two')
    await page.keyboard.press('Escape')

    await page.getByRole('button', { name: 'Delete MY_KEY' }).click()
    await page.getByText('keyed will not answer any more').waitFor()
    await page.getByRole('button', { name: 'Delete credential' }).click()
    await page.getByRole('button', { name: 'Delete MY_KEY' }).waitFor({ state: 'detached' })
  })

  test('the engines of this machine say how to get them', async () => {
    const page = await models()
    const engines = page.getByRole('region', { name: 'Local engines' })
    await engines.getByRole('listitem').filter({ hasText: 'stable-diffusion.cpp' }).locator('summary').click()
    await engines.getByText('SERVICE_SDCPP_BIN').waitFor()
  })

  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
    ['dark', 360],
  ] as const)('%s at %d px it fits, and axe finds nothing serious', async (scheme, width) => {
    await stage().world.registerModel(`a-model-with-${'quite-'.repeat(8)}a-long-name`)
    const page = await models({ scheme, width })
    await page.getByRole('list', { name: 'Registered models' }).waitFor()
    expect(await sidewaysOverflow(page)).toBe(0)
    expect(await seriousProblems(page)).toEqual([])
    await page.getByRole('button', { name: 'Add a model' }).first().click()
    await page.getByRole('button', { name: 'OpenAI' }).click()
    expect(await sidewaysOverflow(page)).toBe(0)
    expect(await seriousProblems(page)).toEqual([])
  })
})
