import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { asAdminWithModel, inBrowser, seriousProblems, sidewaysOverflow } from '../support/browser'
import { held } from '../support/hold'

inBrowser((stage) => {
  const { open, run } = asAdminWithModel(stage)
  const rows = (page: Page) => page.getByRole('region', { name: 'Runs' }).getByRole('listitem')

  const tree = (page: Page) => page.getByRole('tree', { name: 'Spans of the run' })
  const selected = (page: Page) => tree(page).locator('[aria-selected=true]').textContent()

  test('a run is walked through by keyboard; the chosen span is in the address', async () => {
    const page = await open(`/runs/${await run('Hello')}`)
    await tree(page).getByRole('treeitem').nth(2).waitFor()
    await tree(page).focus()
    await page.keyboard.press('ArrowDown')
    expect(await selected(page)).toStartWith('Run done')
    await page.keyboard.press('End')
    expect(await selected(page)).toStartWith('model.generate done')
    await page.waitForURL(/span=.*model\.generate/)

    await page.keyboard.press('ArrowLeft')
    expect(await selected(page)).toStartWith('llm done')
    await page.keyboard.press('ArrowLeft')
    expect(await tree(page).getByRole('treeitem').count()).toBe(2)
    await page.keyboard.press('ArrowRight')
    expect(await tree(page).getByRole('treeitem').count()).toBe(3)

    const details = page.getByRole('region', { name: 'Details of llm' })
    await details.getByText('Hello', { exact: true }).waitFor()
    await details.getByText('Fine.').waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await details.waitFor({ state: 'detached' })
    expect(new URL(page.url()).search).toBe('')
  })

  test('a run opens with the span that its address names', async () => {
    const id = await run('Hello')
    const page = await open(`/runs/${id}?span=${encodeURIComponent(`${id}:llm`)}`)
    await page.getByRole('region', { name: 'Details of llm' }).getByText('Tokens out').waitFor()
  })

  test('a run zooms to 32x and back, by button, key and wheel', async () => {
    const page = await open(`/runs/${await run('Hello')}`)
    const bar = tree(page).locator('[data-bar]').first()
    const width = async () => (await bar.boundingBox())!.width
    const whole = await width()
    await page.getByRole('button', { name: 'Zoom in (+)' }).click()
    await page.getByText('2×').waitFor()
    expect(await width()).toBeCloseTo(whole * 2, 0)
    await tree(page).focus()
    for (let press = 0; press < 7; press++) await page.keyboard.press('+')
    await page.getByText('32×').waitFor()
    expect(await width()).toBeCloseTo(whole * 32, 0)
    await page.keyboard.press('0')
    await page.getByText('1×', { exact: true }).waitFor()

    await tree(page).getByRole('treeitem').first().hover()
    await page.keyboard.down('Control')
    await page.mouse.wheel(0, -400)
    await page.keyboard.up('Control')
    await page.waitForFunction(
      (least) => document.querySelector('[data-bar]')!.getBoundingClientRect().width > least,
      whole * 1.5,
    )
    await tree(page).getByRole('treeitem').first().dblclick()
    await page.getByText('1×', { exact: true }).waitFor()
  })

  test('a run grows while it runs, and marks its first token when it comes', async () => {
    const gate = held({ deltas: ['One ', 'two.'] }, 2)
    stage().world.provider.answers(gate.script)
    const going = run('Slowly')
    await gate.reached
    const { body } = await stage().world.call('GET', '/runs?limit=1', { as: 'admin' })
    const page = await open(`/runs/${body.runs[0].id}`)
    const item = tree(page).getByRole('treeitem', { name: /^model\.generate running/ })
    await item.waitFor()
    const before = await item.textContent()
    await page.waitForFunction(
      (text) => [...document.querySelectorAll('[role=treeitem]')].every((row) => row.textContent !== text),
      before,
    )
    await item.waitFor()
    gate.letGo()
    await going
    await tree(page)
      .getByRole('treeitem', { name: /^model\.generate done/ })
      .waitFor()
    await page.getByText('Completed').waitFor()
    await tree(page).locator('[data-first-token]').first().waitFor()
    await page.getByText('One two.').waitFor()
  })

  test('a run is stopped from its own page', async () => {
    const gate = held({ deltas: ['One ', 'two.'] }, 2)
    stage().world.provider.answers(gate.script)
    const going = run('Slowly')
    await gate.reached
    const { body } = await stage().world.call('GET', '/runs?limit=1', { as: 'admin' })
    const page = await open(`/runs/${body.runs[0].id}`)
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('Somebody stopped this run before it was done.').waitFor()
    gate.letGo()
    await going
  })

  test('a run that failed says why, and what to do', async () => {
    await stage().world.registerModel('keyless', { credentialRef: 'secret://NOT_THERE' })
    const { body } = await stage().world.call('POST', '/runs', {
      as: 'admin',
      body: { input: 'Hello', model: 'keyless', stream: false },
    })
    const page = await open(`/runs/${body.runId}`)
    const alert = page.getByRole('alert').filter({ hasText: 'The run failed' })
    await alert.getByText(/NOT_THERE/).waitFor()
    await alert.getByText('Check the model’s credential on the Models screen.').waitFor()
    await tree(page)
      .getByRole('treeitem', { name: /^llm failed/ })
      .waitFor()
    // The failure began in the step below, and that is what one sees first.
    await page.waitForURL(/span=.*llm/)
    await page.getByRole('region', { name: /^Details of (llm|model\.generate)/ }).waitFor()
    await page.keyboard.press('Escape')
    expect(await seriousProblems(page)).toEqual([])
  })

  test('a run explains payloads that were not recorded', async () => {
    const id = await run('Hello')
    const page = await open('/config.json')
    await page.route('**/nodes/llm/io', async (route) => {
      const answer = await route.fetch()
      const io = await answer.json()
      await route.fulfill({
        response: answer,
        json: { ...io, inputs: null, outputs: null, capture_level: 'metadata', reason: 'sizes only' },
      })
    })
    await page.goto(`${stage().world.urls.interface}/runs/${id}`)
    await tree(page).getByRole('treeitem', { name: /^llm/ }).click()
    await page
      .getByRole('region', { name: 'Details of llm' })
      .getByText(/Only sizes were recorded/)
      .waitFor()
  })

  test('a run that is not there says so', async () => {
    const page = await open('/runs/01ARZ3NDEKTSV4RRFFQ69G5FAV')
    await page.getByText('There is no such run').waitFor()
    expect(await seriousProblems(page)).toEqual([])
  })

  test('two runs of a model are put beside each other', async () => {
    stage().world.provider.answers({ deltas: ['The first.'] })
    const first = await run('Hello')
    stage().world.provider.answers({ deltas: ['The second.'] })
    const second = await run('Hello again')
    const page = await open(`/runs/${second}`)
    await page.getByRole('button', { name: 'Compare…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Compare with' })
    await dialog.getByRole('button', { name: /The first\./ }).click()
    await page.waitForURL(new RegExp(`/runs/compare\\?a=${first}&b=${second}`))
    await page.getByRole('region', { name: 'Run A' }).getByText('The first.').waitFor()
    await page.getByRole('region', { name: 'Run B' }).getByText('The second.').waitFor()
    const steps = page.getByRole('region', { name: 'Steps' })
    await steps.getByRole('row', { name: /model\.generate/ }).waitFor()
    expect(await seriousProblems(page)).toEqual([])
    await steps
      .getByRole('row', { name: /model\.generate/ })
      .getByRole('link')
      .last()
      .click()
    await page.getByRole('region', { name: 'Details of model.generate' }).waitFor()
    expect(page.url()).toContain(second)
  })

  test('time in which nothing worked is folded and unfolded', async () => {
    const id = await run('Hello')
    const page = await open('/config.json')
    await page.route('**/trace', async (route) => {
      const answer = await route.fetch()
      await route.fulfill({ response: answer, body: withLateStep(await answer.text(), 3_600) })
    })
    await page.goto(`${stage().world.urls.interface}/runs/${id}`)
    const bar = tree(page).getByRole('treeitem', { name: /^late/ }).locator('[data-bar]')
    await bar.waitFor()
    const left = async () => (await bar.boundingBox())!.x
    const whole = await left()
    await page.getByRole('button', { name: 'Fold idle time (i)' }).click()
    await tree(page).locator('[data-gap=folded]').waitFor()
    expect(await left()).toBeLessThan(whole - 50)
    await tree(page).locator('[data-gap=folded]').click()
    await tree(page).locator('[data-gap=open]').waitFor()
    expect(await left()).toBeCloseTo(whole, 0)
    await tree(page).focus()
    await page.keyboard.press('i')
    await tree(page).locator('[data-gap=folded]').waitFor()
    expect(await seriousProblems(page)).toEqual([])
  })

  test('a run of ten thousand spans scrolls at the speed of the screen', async () => {
    const id = await run('Hello')
    const page = await open('/config.json')
    await page.route('**/trace', async (route) => {
      const answer = await route.fetch()
      await route.fulfill({ response: answer, body: manySpans(await answer.text(), 10_000) })
    })
    await page.goto(`${stage().world.urls.interface}/runs/${id}`)
    await page.getByText('10,003 spans').waitFor()
    expect(await tree(page).getByRole('treeitem').count()).toBeLessThan(60)
    const steps = await tree(page).evaluate(async (element) => {
      const frame = () => new Promise((resolve) => requestAnimationFrame(resolve))
      const took: number[] = []
      for (let step = 0; step < 60; step++) {
        const before = performance.now()
        element.scrollTop += 400
        await frame()
        await frame()
        took.push(performance.now() - before)
      }
      return took.sort((a, b) => a - b)
    })
    // Two frames last 33 ms; the middle one of them, for other tests may run on this machine meanwhile.
    expect(steps[30]).toBeLessThan(60)
    await tree(page).focus()
    await page.keyboard.press('End')
    expect(await selected(page)).toStartWith('tool.9999 done')
    expect(
      await tree(page)
        .getByRole('treeitem', { name: /^tool\.9999/ })
        .isVisible(),
    ).toBe(true)
  })

  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
    ['dark', 360],
  ] as const)('%s at %d px it fits, and axe finds nothing serious', async (scheme, width) => {
    stage().world.provider.answers({ reasoning: ['Well.'], deltas: [`${'long'.repeat(100)} `, 'answer'] })
    const page = await open(`/runs/${await run('Hello '.repeat(300))}`, { scheme, width })
    await tree(page)
      .getByRole('treeitem', { name: /^model/ })
      .waitFor()
    expect(await sidewaysOverflow(page)).toBe(0)
    expect(await seriousProblems(page)).toEqual([])
    await tree(page).getByRole('treeitem', { name: /^llm/ }).click()
    await page.getByText('reasoning').waitFor()
    expect(await sidewaysOverflow(page)).toBe(0)
    expect(await seriousProblems(page)).toEqual([])

    const list = await open('/runs', { scheme, width })
    await rows(list).first().waitFor()
    expect(await sidewaysOverflow(list)).toBe(0)
    expect(await seriousProblems(list)).toEqual([])
  })
})

/** The trace with that many tool calls more under its llm node; as text, for its times exceed what JSON.parse keeps. */
function manySpans(trace: string, count: number): string {
  const { spans } = JSON.parse(trace) as {
    spans: { id: string; span_id: string; node_id: string | null; phase: string | null }[]
  }
  const llm = spans.find(({ node_id, phase }) => node_id !== null && phase === null)!
  const start = /"start_ns":(\d+)/.exec(trace)![1]!
  const more = Array.from({ length: count }, (_, index) => {
    const at = BigInt(start) + BigInt(index) * 1000n
    return `{"id":"${llm.id}:tool.${index}","span_id":"tool${index}","parent_span_id":"${llm.span_id}","node_id":"llm",
      "name":"tool.${index}","phase":"tool.${index}#0.0","status":"ok","start_ns":${at},"end_ns":${at + 5000n},
      "attributes":{},"seq":${index + 10}}`
  })
  return trace.replace(/\]\s*\}\s*$/, `,${more.join(',')}]}`)
}

/** The trace with a step more, a second long, that began so many seconds later. */
function withLateStep(trace: string, seconds: number): string {
  const { spans } = JSON.parse(trace) as { spans: { span_id: string; parent_span_id: string | null }[] }
  const root = spans.find(({ parent_span_id }) => parent_span_id === null)!
  const at = BigInt(/"start_ns":(\d+)/.exec(trace)![1]!) + BigInt(seconds) * 1_000_000_000n
  return trace.replace(
    /\]\s*\}\s*$/,
    `,{"id":"late","span_id":"late","parent_span_id":"${root.span_id}","node_id":"late","name":"late","phase":null,
      "status":"ok","start_ns":${at},"end_ns":${at + 1_000_000_000n},"attributes":{},"seq":99}]}`,
  )
}
