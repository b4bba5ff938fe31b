import { beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { asAdminWithModel, inBrowser, seriousProblems } from '../support/browser'
import { held } from '../support/hold'

inBrowser((stage) => {
  const { open, run } = asAdminWithModel(stage)
  const rows = (page: Page) => page.getByRole('region', { name: 'Runs' }).getByRole('listitem')

  test('the empty screen says what comes here', async () => {
    const page = await open('/runs')
    await page.getByText('No runs yet').waitFor()
    expect(await seriousProblems(page)).toEqual([])
  })

  describe('the history', () => {
    beforeAll(async () => {
      stage().world.provider.answers((body) => ({
        deltas: [`Echo of ${(body.messages as { content: string }[]).at(-1)!.content}`],
      }))
      for (let index = 0; index < 120; index++) await run(`question ${index}`)
    }, 60_000)

    test('loads older runs as one scrolls, and draws only what is in sight', async () => {
      const page = await open('/runs')
      await page.getByText('Echo of question 119').waitFor()
      expect(await rows(page).count()).toBeLessThan(60)
      await rows(page).first().hover()
      const oldest = page.getByText('Echo of question 0', { exact: true })
      while ((await oldest.count()) === 0) await page.mouse.wheel(0, 1500)
      await oldest.waitFor()
      expect(await rows(page).count()).toBeLessThan(60)
    })

    test('j and k move, Enter opens', async () => {
      const page = await open('/runs')
      await page.getByText('Echo of question 119').waitFor()
      for (const key of ['j', 'j', 'j', 'k']) await page.keyboard.press(key)
      const active = () => page.evaluate(() => document.activeElement?.textContent)
      await page.waitForFunction(() => document.activeElement?.textContent?.includes('question 118'))
      expect(await active()).toContain('question 118')
      await page.keyboard.press('Enter')
      await page.getByRole('tree').waitFor()
      await page.getByText('Echo of question 118').waitFor()
    })

    test('is narrowed by text and by status', async () => {
      stage().world.provider.answers({
        failure: { status: 429, body: { error: { message: 'Out of quota' } } },
      })
      await run('fails')
      const page = await open('/runs')
      await page.getByText('Echo of question 119').waitFor()
      const search = page.getByLabel('Find by model, answer, error or id')
      // Of runs that the list had not loaded yet, too.
      await search.fill('QUESTION 11')
      await page.getByText('Echo of question 11', { exact: true }).waitFor()
      expect(await rows(page).count()).toBe(11)
      await page.waitForURL(/text=QUESTION/)
      await search.fill('')
      await page.getByRole('combobox', { name: 'Status' }).click()
      await page.getByRole('option', { name: 'Failed' }).click()
      await page.getByText(/Out of quota/).waitFor()
      await page.getByText('Echo of').first().waitFor({ state: 'detached' })
      expect(await rows(page).count()).toBe(1)
      await rows(page).first().click()
      await page.getByRole('tree').waitFor()
      await page.goBack()
      await page.getByText(/Out of quota/).waitFor()
      expect(await rows(page).count()).toBe(1)
    })

    test('a narrowed list can be linked, and says when nothing fits', async () => {
      const page = await open('/runs?text=question+7&period=hour&agent=agent.gone')
      await page.getByText('No run fits').waitFor()
      await page.getByText('agent.gone').waitFor()
      expect(await seriousProblems(page)).toEqual([])
      await page.getByRole('button', { name: 'Show all' }).click()
      await page.getByText('Echo of question 119').waitFor()
      expect(new URL(page.url()).search).toBe('')
    })

    test('shows new runs and their end by itself', async () => {
      const gate = held({ deltas: ['Late.'] }, 1)
      const page = await open('/runs')
      await page.getByText('Echo of question 119').waitFor()
      stage().world.provider.answers(gate.script)
      const late = run('late')
      await rows(page).first().getByRole('img', { name: 'Running' }).waitFor()
      gate.letGo()
      await late
      await rows(page).first().getByText('Late.').waitFor()
      await rows(page).first().getByRole('img', { name: 'Completed' }).waitFor()
    })
  })
})
