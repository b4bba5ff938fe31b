import { beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { inBrowser, screenshot, seriousProblems, sidewaysOverflow } from '../support/browser'
import { fakeEngine, journalOf } from '../support/fake-engine'
import type { SeenRequest } from '../support/fake-provider'
import { makeParrot } from '../support/make-tiny-gguf'

const folder = mkdtempSync(join(tmpdir(), 'tycho-ui-engines-'))
const journal = join(folder, 'journal')
const goOn = join(folder, 'go-on')
/** Models load while this file is there. */
const loads = join(folder, 'loads')
writeFileSync(loads, '')
const weights = join(folder, 'weights.gguf')
writeFileSync(weights, '')
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))

/** A machine with llama.cpp, whose streams stop after their first piece until they are let go, and whisper.cpp. */
const MACHINE = {
  SERVICE_LLAMACPP_BIN: fakeEngine(folder, 'llama-server', { journal, holdUntil: goOn, loadUntil: loads }),
  SERVICE_WHISPERCPP_BIN: fakeEngine(folder, 'whisper-server'),
  SERVICE_SDCPP_BIN: join(folder, 'not-there'),
  // This one never gets its model loaded.
  SERVICE_MLX_AUDIO_BIN: fakeEngine(folder, 'mlx_audio.server', { loadingMs: 600_000 }),
}

inBrowser(
  (stage) => {
    let token: string
    beforeAll(async () => {
      token = await stage().world.token('admin')
    })

    const models = (options = {}) => stage().open('/registries', { token, ...options })
    const local = (id: string, more: Record<string, unknown> = {}) =>
      stage().world.infer('PUT', `/admin/models/${id}`, {
        body: { binding: 'llamacpp', source: 'local-path', model: weights, ...more },
      })
    const stateOf = async (id: string) => (await stage().world.infer('GET', `/admin/models/${id}`)).body.state
    const row = (page: Page, id: string) =>
      page.getByRole('list', { name: 'Registered models' }).getByRole('listitem').filter({ hasText: id })
    const starts = async () => (await journalOf(journal)).filter(({ event }) => event === 'start').length

    test('weights are registered, loaded, tried and freed', async () => {
      const page = await models()
      await page.getByRole('button', { name: 'Add a model' }).first().click()
      await page.getByRole('radio', { name: 'This machine' }).click()
      await page.getByLabel('Path of the weights').fill('weights.gguf')
      await page.getByRole('button', { name: 'Add model' }).click()
      await page.getByText('Write the whole path').waitFor()
      await page.getByLabel('Path of the weights').fill(weights)
      expect(await page.getByLabel('Logical id').inputValue()).toBe('weights')
      await page.getByText('Advanced').click()
      await page.getByLabel('Keep in memory').click()
      await page.getByLabel('Default parameters').fill('{"ctxSize": 0}')
      await page.getByRole('button', { name: 'Add model' }).click()
      // The server's words, at the field that they are about.
      await page.getByText('ctxSize: must be a whole number from 1.').waitFor()
      expect(await page.locator('[aria-invalid=true]').count()).toBe(1)
      await page.getByLabel('Default parameters').fill('{"ctxSize": 4096}')
      await page.getByRole('button', { name: 'Add model' }).click()

      const trial = page.getByRole('dialog', { name: 'Try weights' })
      await trial.getByRole('button', { name: 'Close' }).click()
      expect(await starts()).toBe(0)
      await row(page, 'weights').getByText('Not loaded').waitFor()
      await row(page, 'weights').getByRole('button', { name: 'Load' }).click()
      await row(page, 'weights').getByText('In memory', { exact: true }).waitFor()
      await page.getByText('1 of 2 places').waitFor()
      expect(await stateOf('weights')).toMatchObject({ resident: true })
      expect(await seriousProblems(page)).toEqual([])

      await row(page, 'weights').getByRole('button', { name: 'Try it' }).click()
      await trial.getByRole('button', { name: 'Send' }).click()
      await trial.getByText('Hello', { exact: true }).waitFor()
      // Who holds the place, and that it works, shows behind the panel.
      await page.locator('[aria-label="Places in memory"]').getByText('At work on 1 answer').waitFor()
      writeFileSync(goOn, '')
      await trial.getByText('Hello from a fake.', { exact: true }).waitFor()
      // The figures come behind the last word.
      await trial.getByText('5', { exact: true }).waitFor()
      expect(await trial.getByRole('definition').allTextContents()).toEqual([
        expect.stringMatching(/^\d+\.\d\d s$/),
        expect.stringMatching(/^\d+\.\d$/),
        '5',
      ])
      await trial.getByRole('button', { name: 'Close' }).click()

      await row(page, 'weights').getByRole('button', { name: 'Free' }).click()
      await row(page, 'weights').getByText('Not loaded').waitFor()
      await page.getByText('0 of 2 places').waitFor()
      expect(await stateOf('weights')).toMatchObject({ resident: false })
    })

    test('what a model can do is asked only on demand, for it loads the model', async () => {
      await local('curious')
      const page = await models()
      const before = await starts()
      await row(page, 'curious').getByRole('button', { name: 'What can it do?' }).waitFor()
      await page.waitForLoadState('networkidle')
      expect(await starts()).toBe(before)
      await row(page, 'curious').getByRole('button', { name: 'What can it do?' }).click()
      await row(page, 'curious').getByText('Thinking').waitFor()
      await row(page, 'curious').getByText('Tools').waitFor()
      expect(await starts()).toBe(before + 1)
    })

    test('a model that is kept in memory is changed in its form, and stays what it was otherwise', async () => {
      await local('changing', { params: { ctxSize: 2048 }, fallback: 'weights' })
      const page = await models()
      await page.getByRole('button', { name: 'More for changing' }).click()
      await page.getByRole('menuitem', { name: 'Edit' }).click()
      await page.getByText('Advanced').click()
      await page.getByLabel('Keep in memory').click()
      await page.getByLabel('Priority').fill('3')
      await page.getByRole('button', { name: 'Save' }).click()
      await row(page, 'changing').getByText('Kept in memory').waitFor()
      expect((await stage().world.infer('GET', '/admin/models/changing')).body.binding).toMatchObject({
        source: 'local-path',
        model: weights,
        params: { ctxSize: 2048 },
        fallback: 'weights',
        lifecycle: { keepWarm: true, idleTimeoutSec: 900, priority: 3 },
      })
    })

    test('embeddings show their dimensions, sound becomes text', async () => {
      await local('vectors', { modality: 'embeddings' })
      await local('ears', { modality: 'audio.transcription' })
      const page = await models()
      await row(page, 'vectors').getByRole('button', { name: 'Try it' }).click()
      const vectors = page.getByRole('dialog', { name: 'Try vectors' })
      await vectors.getByLabel('Texts').fill('one\nthree')
      await vectors.getByRole('button', { name: 'Embed' }).click()
      await vectors.getByText('Nearness to the first text').waitFor()
      expect((await vectors.getByRole('definition').allTextContents()).slice(0, 2)).toEqual(['2', '2'])
      await page.keyboard.press('Escape')

      await row(page, 'ears').getByRole('button', { name: 'Try it' }).click()
      const ears = page.getByRole('dialog', { name: 'Try ears' })
      await ears
        .getByLabel('Sound file')
        .setInputFiles({ name: 'hello.wav', mimeType: 'audio/wav', buffer: Buffer.from('RIFF') })
      await ears.getByRole('button', { name: 'Transcribe' }).click()
      await ears.getByRole('region', { name: 'transcript' }).getByText('Hello from a fake.').waitFor()
      expect(await seriousProblems(page)).toEqual([])
    })

    test('speech plays, a picture shows, and a slow one is stopped', async () => {
      const { provider, registerModel } = stage().world
      await registerModel('voice', { modality: 'audio.speech' })
      await registerModel('painter', { modality: 'images.generation' })
      const page = await models()
      await row(page, 'voice').getByRole('button', { name: 'Try it' }).click()
      await page.getByRole('button', { name: 'Speak' }).click()
      await page.getByLabel('What the model says').waitFor()
      expect(provider.seen.at(-1)!.body).toEqual({
        model: 'fake-model',
        input: 'Hello! This is how I sound.',
      })
      await page.keyboard.press('Escape')

      const slow = Promise.withResolvers<Response>()
      const asked = Promise.withResolvers<SeenRequest>()
      provider.on('/v1/images/generations', (request) => {
        asked.resolve(request)
        return slow.promise
      })
      await row(page, 'painter').getByRole('button', { name: 'Try it' }).click()
      await page.getByLabel('Steps').fill('4')
      await page.getByRole('button', { name: 'Render' }).click()
      expect((await asked.promise).body).toMatchObject({ size: '512x512', steps: 4 })
      await page.getByRole('button', { name: 'Stop' }).click()
      await page.getByText('Stopped.').waitFor()
      await (await asked.promise).aborted
      slow.resolve(new Response())
      provider.on('/v1/images/generations', () => Response.json({ data: [{ b64_json: PIXEL }] }))
      await page.getByRole('button', { name: 'Render' }).click()
      await page.getByRole('img', { name: /^Rendered: A lighthouse/ }).waitFor()
    })

    test('a load is told of while it lasts, and is given up: from the list, and where it is waited for', async () => {
      await local('slow', { binding: 'mlx', source: 'hf', modality: 'audio.speech', model: 'acme/slow' })
      const page = await models()
      await row(page, 'slow').getByRole('button', { name: 'Load slow' }).click()
      await row(page, 'slow').getByText('Loading', { exact: true }).waitFor()
      await row(page, 'slow').getByRole('button', { name: 'Stop loading' }).click()
      await row(page, 'slow').getByText('Not loaded').waitFor()
      expect(await page.getByRole('alert').count()).toBe(0)

      await row(page, 'slow').getByRole('button', { name: 'Try it' }).click()
      await page.getByRole('button', { name: 'Speak' }).click()
      await page.getByText('Loading the model into memory…').waitFor()
      await page.getByRole('button', { name: 'Stop' }).click()
      await page.getByText('Stopped.').waitFor()
      await page.keyboard.press('Escape')
      await row(page, 'slow').getByRole('button', { name: 'Stop loading' }).click()
      await row(page, 'slow').getByText('Not loaded').waitFor()
    })

    test('who asks a model that has to be loaded sees that, and how long it took', async () => {
      await local('sleepy')
      rmSync(loads)
      const page = await models()
      await page.goto(`${stage().world.urls.interface}/chat?model=sleepy`)
      await page.getByLabel('Message').fill('Wake up')
      await page.getByRole('button', { name: 'Send (Enter)' }).click()
      await page.getByText(/^Loading sleepy into memory, [1-9]\d* s$/).waitFor()
      await page.goto(`${stage().world.urls.interface}/runs`)
      await page.getByRole('link', { name: 'sleepy' }).first().click()
      await page.getByText(/^Loading sleepy into memory, \d+ s$/).waitFor()
      writeFileSync(loads, '')
      await page.getByText('model.generate').first().click()
      await page.getByText('Waited for the model to load').waitFor()
    })

    test('a model that the memory hardly holds is loaded, and says so', async () => {
      const parrot = join(folder, 'parrot.gguf')
      makeParrot(parrot)
      await local('huge', { model: parrot, params: { ctxSize: 1_000_000_000 } })
      const page = await models()
      await row(page, 'huge').getByRole('button', { name: 'Load huge' }).click()
      await row(page, 'huge').getByText('In memory', { exact: true }).waitFor()
      await row(page, 'huge')
        .getByText(/^It needs about 2048 GB of memory \(.* of weights, 2048 GB of context\)/)
        .waitFor()
      await page.getByText('Short of memory').waitFor()
      expect(await seriousProblems(page)).toEqual([])
    })

    test('a missing engine says how to get it: at the model, in the form, on the dashboard and in the settings', async () => {
      await local('painting', { modality: 'images.generation', model: '/models/flux.gguf' })
      const page = await models()
      await row(page, 'painting').getByText('Correct or unset SERVICE_SDCPP_BIN.').waitFor()
      await row(page, 'painting').getByRole('button', { name: 'Load' }).click()
      await row(page, 'painting').getByText('It was not loaded').waitFor()
      await page.getByRole('link', { name: 'Dashboard' }).click()
      const engines = page.getByRole('region', { name: 'Local engines' })
      await engines
        .getByRole('listitem')
        .filter({ hasText: 'stable-diffusion.cpp' })
        .locator('summary')
        .click()
      await engines.getByText('Correct or unset SERVICE_SDCPP_BIN.').waitFor()
      await page.goto(`${stage().world.urls.interface}/settings?tab=inference`)
      await page
        .getByRole('cell')
        .filter({ hasText: 'Correct or unset SERVICE_SDCPP_BIN.' })
        .first()
        .waitFor()
    })

    test('the registry goes out as a file and comes back, with every warning', async () => {
      const page = await models()
      await page.getByRole('button', { name: 'Import and export' }).click()
      const saved = page.waitForEvent('download')
      await page.getByRole('menuitem', { name: 'Export the registry' }).click()
      const bundle = await Bun.file(await (await saved).path()).json()
      expect(bundle.models.map((model: { logicalId: string }) => model.logicalId)).toContain('weights')

      bundle.models.push({ logicalId: 'lost', binding: { ...LOST, model: '/nowhere/lost.gguf' } })
      bundle.models.push({ logicalId: 'wrong', binding: { binding: 'llamacpp' } })
      await page.getByRole('button', { name: 'Import and export' }).click()
      await page.getByRole('menuitem', { name: 'Import a registry…' }).click()
      const dialog = page.getByRole('dialog', { name: 'Import a registry' })
      await dialog.getByLabel('Registry file').setInputFiles(file('no.json', '{"agents": []}'))
      await dialog.getByText('it has no list of models').waitFor()
      await dialog.getByLabel('Registry file').setInputFiles(file('models.json', JSON.stringify(bundle)))
      await dialog.getByText(`${bundle.models.length} in it`).waitFor()
      await dialog.getByRole('button', { name: 'Import', exact: true }).click()
      await dialog.getByText('weights_unavailable').waitFor()
      await dialog.getByText('invalid_binding').waitFor()
      await dialog.getByText('Already here, left as they are').waitFor()
      expect(await seriousProblems(page)).toEqual([])
      await dialog.getByRole('button', { name: 'Done' }).click()
      await row(page, 'lost').waitFor()
    })

    test('the ceiling is raised while engines run', async () => {
      const page = await stage().open('/settings?tab=inference', { token })
      await page.getByLabel('Engines in memory at once').fill('3')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('Saved. It counts at once.').first().waitFor()
      await page.getByRole('link', { name: 'Models' }).click()
      await page.getByText(/of 3 places/).waitFor()
    })

    test.each(['light', 'dark'] as const)(
      '%s, wide and on a phone, it fits and nothing hinders',
      async (scheme) => {
        await local(`a-local-model-with-${'quite-'.repeat(8)}a-long-name`)
        const page = await models({ scheme })
        await page.getByRole('list', { name: 'Places in memory' }).waitFor()
        await page.getByText('stable-diffusion.cpp').first().waitFor()
        expect(await seriousProblems(page)).toEqual([])
        await screenshot(page, `models-1280-${scheme}`)
        await page.setViewportSize({ width: 360, height: 740 })
        expect(await sidewaysOverflow(page)).toBe(0)
        await screenshot(page, `models-360-${scheme}`)
        await page.getByRole('button', { name: 'Add a model' }).click()
        await page.getByRole('radio', { name: 'This machine' }).click()
        await page.getByText('Advanced').click()
        expect(await sidewaysOverflow(page)).toBe(0)
        expect(await seriousProblems(page)).toEqual([])
        await screenshot(page, `models-form-360-${scheme}`)
      },
    )
  },
  { env: MACHINE },
)

const LOST = { binding: 'llamacpp', source: 'local-path' }
const file = (name: string, text: string) => ({
  name,
  mimeType: 'application/json',
  buffer: Buffer.from(text),
})
/** One pixel. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
