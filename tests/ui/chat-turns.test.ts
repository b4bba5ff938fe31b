import { beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import {
  asAdminWithModel,
  inBrowser,
  screenshot,
  seriousProblems,
  sidewaysOverflow,
} from '../support/browser'
import { graph, llm, node } from '../support/graphs'

const model = { binding: 'standard-compatible', model: 'sky' }

inBrowser((stage) => {
  const { open } = asAdminWithModel(stage)
  const call = (method: string, path: string, body?: unknown) =>
    stage().world.call(method, path, { as: 'admin', body })

  async function ask(page: Page, text: string) {
    await page.getByLabel('Message').fill(text)
    await page.locator('button[aria-label="Send (Enter)"]:enabled').waitFor()
    await page.getByLabel('Message').press('Enter')
  }
  const turns = (page: Page) => page.getByRole('article')
  const answered = (page: Page, text: string) => turns(page).last().getByText(text, { exact: true }).waitFor()
  const idle = (page: Page) => page.getByRole('button', { name: 'Send (Enter)' }).waitFor()
  const sent = () =>
    (stage().world.provider.seen.at(-1)!.body as { messages: { content: string }[] }).messages.map(
      ({ content }) => content,
    )
  const echoes = () =>
    stage().world.provider.answers((body) => ({
      deltas: [`Re: ${(body.messages as { content: string }[]).at(-1)!.content}`],
    }))

  test('a turn is edited, and the model hears nothing of what came after it', async () => {
    echoes()
    const page = await open('/chat')
    for (const text of ['One', 'Two', 'Three']) {
      await ask(page, text)
      await answered(page, `Re: ${text}`)
      await idle(page)
    }
    // Some of them known from here, and then all of them from the session.
    await turns(page).nth(1).hover()
    await turns(page).nth(1).getByRole('button', { name: 'Edit the question' }).click()
    await page.getByRole('textbox', { name: 'Question' }).fill('Deux')
    await page.keyboard.press('Enter')
    await answered(page, 'Re: Deux')
    await idle(page)
    expect(await turns(page).count()).toBe(2)
    expect(sent()).toEqual(['One', 'Re: One', 'Deux'])

    await page.reload()
    await turns(page).nth(1).waitFor()
    expect(await turns(page).count()).toBe(2)
    await turns(page).first().hover()
    await turns(page).first().getByRole('button', { name: 'Edit the question' }).click()
    await page.getByRole('textbox', { name: 'Question' }).fill('Un')
    await page.getByRole('button', { name: 'Ask again' }).first().click()
    await answered(page, 'Re: Un')
    expect(await turns(page).count()).toBe(1)
    expect(sent()).toEqual(['Un'])
  })

  test('asking again forgets the first answer', async () => {
    stage().world.provider.answers({ deltas: ['First.'] })
    const page = await open('/chat')
    await ask(page, 'Say it.')
    await answered(page, 'First.')
    stage().world.provider.answers({ deltas: ['Second.'] })
    await page.getByRole('button', { name: 'Ask again' }).click()
    await answered(page, 'Second.')
    await idle(page)
    expect(sent()).toEqual(['Say it.'])
    await page.reload()
    await answered(page, 'Second.')
    expect(await turns(page).count()).toBe(1)
  })

  describe('an agent with a tool', () => {
    beforeAll(async () => {
      const ir = graph(
        [node('in', 'input'), llm('ask', '$in', { tools: ['echo'] }), node('out', 'output')],
        ['in.out>ask.in', 'ask.out>out.in'],
        { id: 'agent.tooled', models: { default: model }, tools: { echo: { kind: 'builtin', ref: 'echo' } } },
      )
      await call('POST', '/agents', { ir })
    })

    const callsTool = () =>
      stage().world.provider.answers((body) =>
        (body.messages as { role: string }[]).some(({ role }) => role === 'tool')
          ? { deltas: ['The echo came back.'] }
          : {
              reasoning: ['I shall call.'],
              toolCalls: [{ id: 'c1', name: 'echo', arguments: '{"text":"hello cave"}' }],
            },
      )

    test('shows its calls as chips that open, live and after a reload', async () => {
      callsTool()
      const page = await open('/chat?agent=agent.tooled')
      await page.getByRole('button', { name: 'Agent: Test' }).waitFor()
      await ask(page, 'Call.')
      await answered(page, 'The echo came back.')
      for (const reloaded of [false, true]) {
        if (reloaded) await page.reload()
        await page.getByRole('list', { name: 'Tools used' }).getByRole('button', { name: 'echo' }).click()
        await page
          .getByRole('region', { name: 'arguments' })
          .getByText(/hello cave/)
          .waitFor()
        await page.getByRole('region', { name: 'result' }).waitFor()
        expect(await seriousProblems(page)).toEqual([])
        await screenshot(page, `chat-tools-${reloaded}`)
      }
      await page.getByRole('button', { name: 'Thought' }).click()
      await page.getByText('I shall call.').waitFor()
    })
  })

  describe('sound and pictures', () => {
    beforeAll(async () => {
      const { world } = stage()
      await world.registerModel('ear', { modality: 'audio.transcription' })
      await world.registerModel('voice', { modality: 'audio.speech' })
      await world.registerModel('brush', { modality: 'images.generation' })
      const ir = graph(
        [
          node('in', 'input', { config: { modality: 'audio' } }),
          node('hear', 'transcribe', { config: { model: 'ear' } }),
          node('out', 'output'),
        ],
        ['in.out>hear.audio', 'hear.text>out.in'],
        { id: 'agent.desk', models: { ear: { ...model, model: 'ear' } } },
      )
      await call('POST', '/agents', { ir })
    })

    const speak = async (page: Page) => {
      await page.getByRole('button', { name: 'Record your voice' }).click()
      await page.getByRole('timer').waitFor()
      // There is a sound as soon as the clock has moved.
      await page.getByText('Listening… 0:01').waitFor()
      await page.getByRole('button', { name: 'Done speaking' }).click()
    }

    test('what one says becomes the words of the message', async () => {
      const page = await open('/chat', { microphone: true })
      await speak(page)
      await page.waitForFunction(
        () =>
          document.querySelector<HTMLTextAreaElement>('[aria-label=Message]')?.value ===
          'hello from a recording',
      )
      const { body } = stage().world.provider.seen.findLast(({ path }) => path.endsWith('transcriptions'))!
      const file = (body as FormData).get('file') as File
      expect(Buffer.from(await file.slice(0, 12).arrayBuffer()).toString('latin1')).toMatch(/^RIFF....WAVE$/s)
    })

    test('an agent that takes sound gets the recording itself', async () => {
      const page = await open('/chat?agent=agent.desk', { microphone: true })
      await page.getByPlaceholder('Record something, or attach a recording…').waitFor()
      await speak(page)
      await page.getByLabel('To be sent').waitFor()
      await page.getByRole('button', { name: 'Send (Enter)' }).click()
      await answered(page, 'hello from a recording')
      await idle(page)
      await page.reload()
      await page.getByLabel('Attached').waitFor()
    })

    test('an answer is read aloud', async () => {
      stage().world.provider.answers({ deltas: ['Fine.'] })
      const page = await open('/chat?model=sky')
      await ask(page, 'Hello')
      await answered(page, 'Fine.')
      await page.getByRole('button', { name: 'Read aloud' }).click()
      await page.getByLabel('The answer, read aloud').waitFor()
      expect(stage().world.provider.seen.at(-1)!.body).toMatchObject({ input: 'Fine.' })
    })

    test('a model that paints answers with a picture, which the session keeps', async () => {
      const page = await open('/chat?model=brush')
      await page.getByRole('button', { name: 'Model: brush' }).waitFor()
      await ask(page, 'A lighthouse')
      await turns(page).getByAltText('The answer').waitFor()
      await idle(page)
      expect(await turns(page).count()).toBe(1)
      await page.reload()
      await turns(page).getByAltText('The answer').waitFor()
      await turns(page).getByText('A lighthouse').waitFor()
    })
  })

  test('a local model that is being loaded is waited for by name', async () => {
    const page = await open('/chat?model=sky')
    await page.getByRole('button', { name: 'Model: sky' }).waitFor()
    await page.route('**/admin/models', async (route) => {
      const answer = await route.fetch()
      const { models } = await answer.json()
      const loading = (one: { logicalId: string; state: object }) =>
        one.logicalId === 'sky' ? { ...one, state: { ...one.state, phase: 'loading' } } : one
      await route.fulfill({ response: answer, json: { models: models.map(loading) } })
    })
    const gate = Promise.withResolvers<void>()
    stage().world.provider.answers({ deltas: ['Here.'], before: () => gate.promise })
    await ask(page, 'Hello')
    await page.getByText(/Loading sky into memory/).waitFor()
    gate.resolve()
    await answered(page, 'Here.')
  })

  test.each([
    ['light', 1280],
    ['dark', 360],
  ] as const)('%s at %d px editing fits, and axe finds nothing serious', async (scheme, width) => {
    echoes()
    const page = await open('/chat', { scheme, width })
    await ask(page, 'A question of some length, so that it fills more than one line on a narrow screen')
    await page.getByText(/^Re: /).waitFor()
    await idle(page)
    await turns(page).first().hover()
    await page.getByRole('button', { name: 'Edit the question' }).click()
    expect(await sidewaysOverflow(page)).toBe(0)
    expect(await seriousProblems(page)).toEqual([])
    await screenshot(page, `chat-edit-${scheme}-${width}`)
  })
})
