import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { asAdminWithModel, inBrowser, seriousProblems } from '../support/browser'
import { shouting } from '../support/graphs'

inBrowser((stage) => {
  const { open, run } = asAdminWithModel(stage)
  const call = (method: string, path: string, body?: unknown) =>
    stage().world.call(method, path, { as: 'admin', body })
  const given = async (input: unknown) => {
    const body = { ir: shouting(), input, stream: false }
    return (await call('POST', '/graphs/runs', body)).body.runId as string
  }
  const values = (page: Page) => page.getByRole('region', { name: 'Details of in' })

  test('large JSON is opened piece by piece', async () => {
    const rows = Array.from({ length: 3_000 }, (_, index) => ({
      name: `row ${index}`,
      deep: { er: [index] },
    }))
    const id = await given({ rows, note: 'n'.repeat(900) })
    const page = await open(`/runs/${id}?span=${encodeURIComponent(`${id}:in`)}`)
    await values(page).getByRole('button', { name: 'rows: [ 3,000 items ]' }).click()
    expect(
      await values(page)
        .getByRole('button', { name: /^\d+: \{ 2 keys \}$/ })
        .count(),
    ).toBe(100)
    await values(page).getByRole('button', { name: 'Show 100 more of 2,900' }).click()
    await values(page).getByRole('button', { name: '199: { 2 keys }' }).click()
    await values(page).getByText('name: "row 199"').waitFor()
    await values(page).getByRole('button', { name: '600 characters more' }).click()
    await values(page)
      .getByText(`note: "${'n'.repeat(900)}"`)
      .waitFor()
    expect(await seriousProblems(page)).toEqual([])
  })

  test('what can be seen and heard is shown where it stands in a value', async () => {
    const { world } = stage()
    const uploaded = await world.call('POST', '/artifacts', {
      as: 'admin',
      body: new Uint8Array([0x49, 0x44, 0x33, 1]),
      headers: { 'content-type': 'audio/mpeg' },
    })
    const { ref, contentType } = uploaded.body
    const photo = `data:image/png;base64,${PIXEL}`
    const id = await given({ photo, voice: { ref, contentType } })
    const page = await open(`/runs/${id}?span=${encodeURIComponent(`${id}:in`)}`)
    await values(page).getByAltText('out, photo').waitFor()
    await values(page).locator('audio[src^="blob:"]').waitFor()
    // The bytes of a picture are no reading.
    expect(await values(page).getByText(PIXEL).count()).toBe(0)
  })

  test('two fingers zoom the timeline', async () => {
    const page = await open(`/runs/${await run('Hello')}`)
    const tree = page.getByRole('tree')
    await tree.getByRole('treeitem').nth(2).waitFor()
    await tree.evaluate((element) => {
      const { left, top } = element.getBoundingClientRect()
      const finger = (identifier: number, x: number) =>
        new Touch({ identifier, target: element, clientX: left + x, clientY: top + 60 })
      const touch = (type: string, ...at: number[]) =>
        element.dispatchEvent(
          new TouchEvent(type, {
            touches: at.map((x, index) => finger(index, x)),
            bubbles: true,
            cancelable: true,
          }),
        )
      touch('touchstart', 400, 500)
      touch('touchmove', 350, 550)
      touch('touchmove', 250, 650)
      touch('touchend')
      // Fingers that come down again begin anew.
      touch('touchstart', 100, 900)
      touch('touchend')
    })
    await page.getByText('4×', { exact: true }).waitFor()
  })

  test('runs are narrowed to one version of an agent, among more agents than one page holds', async () => {
    for (let index = 0; index < 60; index++) {
      await call('POST', '/agents', { ir: shouting({ id: `agent.n${index}`, name: `Number ${index}` }) })
    }
    const second = shouting({ id: 'agent.n0', name: 'Number 0', version: '2.0.0' })
    await call('POST', '/agents/agent.n0/versions', { ir: second })
    for (const [version, input] of [
      ['1.0.0', 'old'],
      ['2.0.0', 'new'],
    ]) {
      await call('POST', '/agents/agent.n0/runs', { input, version, stream: false })
    }
    const page = await open('/runs')
    const rows = page.getByRole('region', { name: 'Runs' }).getByRole('listitem')
    await page.getByRole('button', { name: /^Agent:/ }).click()
    await page.getByPlaceholder('Find an agent…').fill('Number 0')
    await page.getByRole('option', { name: /^Number 0/ }).click()
    await page.getByRole('combobox', { name: 'Version' }).click()
    await page.getByRole('option', { name: '1.0.0' }).click()
    await rows.getByText('OLD').waitFor()
    expect(await rows.count()).toBe(1)
    expect(page.url()).toMatch(/agent=agent\.n0.*version=1\.0\.0/)
  })
})

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
