import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { asAdminWithModel, inBrowser, seriousProblems, sidewaysOverflow } from '../support/browser'
import { held } from '../support/hold'

const WORDS = Array.from({ length: 40 }, (_, index) => `word${index} `)

inBrowser((stage) => {
  const { open } = asAdminWithModel(stage)
  const chat = (path = '/chat', options = {}) => open(path, options)

  async function ask(page: Page, text: string) {
    await page.getByLabel('Message').fill(text)
    // There is nothing to ask before the models are known.
    await page.locator('button[aria-label="Send (Enter)"]:enabled').waitFor()
    await page.keyboard.press('Enter')
  }
  const answers = (page: Page) => page.getByRole('article')
  const answered = (page: Page, text: string) =>
    answers(page).last().getByText(text, { exact: true }).waitFor()
  const idle = (page: Page) => page.getByRole('button', { name: 'Send (Enter)' }).waitFor()

  describe('a reload in mid-stream', () => {
    test('goes on with the same answer, no piece lost or doubled', async () => {
      const gate = held({ deltas: WORDS }, 20)
      stage().world.provider.answers(gate.script)
      const page = await chat()
      await ask(page, 'Count.')
      await page.getByText(/word18$/).waitFor()
      const asked = stage().world.provider.seen.length

      await page.reload()
      await page.getByText(/word18$/).waitFor()
      gate.letGo()
      await answered(page, WORDS.join('').trim())
      await idle(page)
      expect(await answers(page).count()).toBe(1)
      expect(stage().world.provider.seen).toHaveLength(asked)
    })

    test('finds the whole answer when the run ended meanwhile', async () => {
      const gate = held({ deltas: WORDS }, 20)
      stage().world.provider.answers(gate.script)
      const page = await chat()
      await ask(page, 'Count.')
      await page.getByText(/word18$/).waitFor()
      const address = page.url()
      await page.goto(`${stage().world.urls.interface}/config.json`)
      gate.letGo()
      const { world } = stage()
      for (;;) {
        const { body } = await world.call('GET', '/runs?limit=1', { as: 'admin' })
        if (body.runs[0].status === 'completed') break
      }
      await page.goto(address)
      await answered(page, WORDS.join('').trim())
      expect(await answers(page).count()).toBe(1)
    })
  })

  test('looking at another screen meanwhile loses nothing', async () => {
    const gate = held({ deltas: WORDS }, 20)
    stage().world.provider.answers(gate.script)
    const page = await chat()
    await ask(page, 'Count.')
    await page.getByText(/word18$/).waitFor()
    await page.getByRole('link', { name: 'Models' }).first().click()
    await page.getByRole('heading', { name: 'Models', level: 1 }).waitFor()
    gate.letGo()
    await page.goBack()
    await answered(page, WORDS.join('').trim())
  })

  test('stop ends the run at once, and keeps what came', async () => {
    const gate = held({ deltas: WORDS }, 5)
    stage().world.provider.answers(gate.script)
    const page = await chat()
    await ask(page, 'Count.')
    await page.getByText(/word3$/).waitFor()
    await page.getByRole('button', { name: 'Stop (Esc)' }).click()
    await page.getByText('Stopped. The model will not remember this turn.').waitFor()
    await answered(page, 'word0 word1 word2 word3')
    await stage().world.provider.seen.at(-1)!.aborted

    const { body } = await stage().world.call('GET', '/runs?limit=1', { as: 'admin' })
    expect(body.runs[0]).toMatchObject({ status: 'failed', error: 'cancelled' })
    gate.letGo()
  })

  test('thinking is open while it lasts, and folded with its duration afterwards', async () => {
    const gate = held({ reasoning: ['Let me see. ', 'Yes.'], deltas: ['42.'] }, 2)
    stage().world.provider.answers(gate.script)
    const page = await chat()
    await ask(page, 'The answer?')
    await page.getByText('Let me see.').waitFor()
    expect(await page.getByRole('button', { name: /^Thinking…/ }).getAttribute('aria-expanded')).toBe('true')
    gate.letGo()
    await answered(page, '42.')
    const fold = page.getByRole('button', { name: /^Thought (briefly|for \d+\.\d s)$/ })
    expect(await fold.getAttribute('aria-expanded')).toBe('false')
    expect(await page.getByText('Let me see.').isVisible()).toBe(false)
    await fold.click()
    await page.getByText('Let me see. Yes.').waitFor()
  })

  test('a failure of the provider is said in words, in its place, and can be tried again', async () => {
    stage().world.provider.answers({
      failure: { status: 429, body: { error: { message: 'You are out of quota.' } } },
    })
    const page = await chat()
    await ask(page, 'Hello?')
    const alert = answers(page).getByRole('alert')
    await alert.getByText(/You are out of quota\./).waitFor()
    expect(await seriousProblems(page)).toEqual([])

    stage().world.provider.answers({ deltas: ['Now it works.'] })
    await alert.getByRole('button', { name: 'Try again' }).click()
    await answered(page, 'Now it works.')
    expect(await answers(page).count()).toBe(1)
  })

  test('an answer that breaks off keeps its beginning and says so, also after a reload', async () => {
    const gate = held({ deltas: ['Half ', 'of it', ' is missing'], breakAfter: 3 }, 3)
    stage().world.provider.answers(gate.script)
    const page = await chat()
    await ask(page, 'Tell me.')
    await answered(page, 'Half of it')
    gate.letGo()
    await page.getByText('The answer broke off').waitFor()
    await answered(page, 'Half of it')
    await page.reload()
    await page.getByText('The answer broke off').waitFor()
    await answered(page, 'Half of it')
  })

  test('a conversation is remembered, listed, and goes on where it was left', async () => {
    const page = await chat()
    await ask(page, 'My name is Ada, remember it.')
    await answered(page, 'Fine.')
    await idle(page)
    await page.goto(`${stage().world.urls.interface}/chat`)
    await page.getByRole('link', { name: /My name is Ada/ }).click()
    await page.getByText('My name is Ada, remember it.').last().waitFor()
    await ask(page, 'What is my name?')
    await answers(page).nth(1).getByText('Fine.').waitFor()
    const { messages } = stage().world.provider.seen.at(-1)!.body as { messages: { content: string }[] }
    expect(messages.map(({ content }) => content)).toEqual([
      'My name is Ada, remember it.',
      'Fine.',
      'What is my name?',
    ])
  })

  test('marks are formatted, and HTML stays text', async () => {
    const text =
      '# Steps\n\n- **one**\n\n```js\nalert(1)\n```\n\n<img src=x onerror="window.hit=1"> [x](javascript:window.hit=1)'
    stage().world.provider.answers({ deltas: [text] })
    const page = await chat()
    await ask(page, 'Format.')
    const answer = answers(page).last()
    await answer.getByRole('heading', { name: 'Steps' }).waitFor()
    expect(await answer.locator('strong').textContent()).toBe('one')
    expect(await answer.locator('pre').textContent()).toBe('alert(1)\n')
    expect(await answer.getByText('<img src=x onerror="window.hit=1">').count()).toBe(1)
    expect(await answer.locator('img, a[href^="javascript"]').count()).toBe(0)
    await page.getByRole('button', { name: 'Copy code' }).waitFor()

    // To the parser, which is there by now, these are a list, a heading and a quote without a word.
    for (const sign of ['1815.', '#', '>']) {
      stage().world.provider.answers({ deltas: [sign] })
      await ask(page, 'Which one?')
      await answered(page, sign)
      await idle(page)
    }
  })

  test('Shift+Enter begins a line, and a picture goes along', async () => {
    const page = await chat()
    await page.getByLabel('Message').click()
    await page.keyboard.type('First')
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.type('second')
    await page
      .getByLabel('Picture', { exact: true })
      .setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer: PNG })
    await page.getByAltText('To be sent').waitFor()
    await page.keyboard.press('Enter')
    await answered(page, 'Fine.')
    await page.getByAltText('Attached').waitFor()
    const { messages } = stage().world.provider.seen.at(-1)!.body as {
      messages: { content: { type: string; text?: string; image_url?: { url: string } }[] }[]
    }
    expect(messages.at(-1)!.content[0]).toEqual({ type: 'text', text: 'First\nsecond' })
    expect(messages.at(-1)!.content[1]!.image_url!.url).toStartWith('data:image/png;base64,')

    await page.reload()
    await page.getByAltText('Attached').waitFor()
    await answers(page).getByText('First\nsecond').waitFor()
  })

  test('the end stays in sight, until one scrolls up to read', async () => {
    const lines = Array.from({ length: 200 }, (_, index) => `Line ${index}.\n\n`)
    const gate = held({ deltas: lines }, 150)
    stage().world.provider.answers(gate.script)
    const page = await chat()
    await ask(page, 'Go on.')
    await page.getByText('Line 148.', { exact: true }).waitFor()
    expect(await page.getByText('Line 148.', { exact: true }).isVisible()).toBe(true)
    await page.getByText('Line 140.', { exact: true }).hover()
    await page.mouse.wheel(0, -1500)
    await page.getByRole('button', { name: 'Latest' }).waitFor()
    const top = () =>
      page.getByText('Line 100.', { exact: true }).evaluate((element) => element.getBoundingClientRect().top)
    const before = await top()
    gate.letGo()
    await idle(page)
    expect(Math.abs((await top()) - before)).toBeLessThan(2)
    await page.getByRole('button', { name: 'Latest' }).click()
    await page.getByText('Line 199.', { exact: true }).waitFor()
  })

  test('screen readers hear the whole answer once, not token by token', async () => {
    const gate = held({ deltas: ['One ', 'two ', 'three.'] }, 3)
    stage().world.provider.answers(gate.script)
    const page = await chat()
    await ask(page, 'Count.')
    const said = page.getByRole('status').filter({ hasText: /answer/i })
    await said.getByText('The answer is coming in.').waitFor()
    gate.letGo()
    await said.getByText('Answer: One two three.').waitFor()
  })

  test('without a model it says how to get one', async () => {
    const page = await chat('/config.json')
    await page.route('**/admin/models', (route) =>
      route.fulfill({ headers: { 'access-control-allow-origin': '*' }, json: { models: [] } }),
    )
    await page.goto(`${stage().world.urls.interface}/chat`)
    await page.getByText('Add a model first').first().waitFor()
    expect(await page.getByRole('button', { name: 'Send (Enter)' }).isDisabled()).toBe(true)
  })

  test('a chat that is not there says so', async () => {
    const page = await chat('/chat?session=chat-of-nobody')
    await page.getByText('There is no such chat').waitFor()
  })

  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
    ['dark', 360],
  ] as const)('%s at %d px it fits, and axe finds nothing serious', async (scheme, width) => {
    stage().world.provider.answers({
      reasoning: ['Well.'],
      deltas: [
        `Here:\n\n\`\`\`\n${'a very long line of code '.repeat(20)}\n\`\`\`\n\n> quote\n\n${'x'.repeat(300)}`,
      ],
    })
    const page = await chat('/chat', { scheme, width })
    await ask(page, 'Hello')
    await page.getByText('quote', { exact: true }).waitFor()
    await idle(page)
    expect(await sidewaysOverflow(page)).toBe(0)
    expect(await seriousProblems(page)).toEqual([])
  })
})

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
