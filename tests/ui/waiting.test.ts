import { afterEach, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import {
  asAdminWithModel,
  inBrowser,
  screenshot,
  seriousProblems,
  sidewaysOverflow,
} from '../support/browser'
import { enqueue, publish, reaches, resume } from '../support/durable'
import { graph, llm, node } from '../support/graphs'

const HOURS = 3_600
const SCHEMA = {
  type: 'object',
  required: ['decision'],
  properties: {
    decision: { type: 'string', enum: ['approve', 'reject'], title: 'Your decision' },
    comment: { type: 'string', format: 'textarea', description: 'The employee reads this.' },
    limit_eur: { type: 'integer', minimum: 0, default: 200 },
    receipt: { type: 'boolean' },
    tags: { type: 'array', items: { type: 'string' } },
  },
}

const gate = (config: Record<string, unknown>) => node('approval', 'human', { config })
const asking = (id: string, config: Record<string, unknown>) =>
  graph(
    [
      node('in', 'input'),
      node('note', 'transform', { config: { expr: '{"claim": "$in.in"}' } }),
      gate(config),
      node('out', 'output'),
    ],
    ['in.out>note.in', 'note.out>approval.in', 'approval.out>out.in'],
    { id },
  )

inBrowser(
  (stage) => {
    const { open } = asAdminWithModel(stage)
    const world = () => stage().world

    beforeAll(async () => {
      const prompt = 'Approve this expense claim?'
      await publish(
        world(),
        asking('agent.claims', { prompt, inputSchema: SCHEMA, timeout: 3 * HOURS + 60, onTimeout: 'fail' }),
        asking('agent.free', { prompt: 'What shall it be called?' }),
      )
    })

    afterEach(async () => {
      const { body } = await world().call('GET', '/runs?status=waiting', { as: 'admin' })
      for (const { id } of body.runs) await world().call('POST', `/runs/${id}/cancel`, { as: 'admin' })
    })

    const waiting = async (agent: string, input: unknown = 'Dinner, 184 €') => {
      const id = await enqueue(world(), agent, input)
      await reaches(world(), id, 'waiting')
      return id
    }
    const item = (page: Page, name: string) =>
      page.getByRole('region', { name: 'Waiting runs' }).getByRole('button', { name: new RegExp(name) })
    const form = (page: Page) => page.getByRole('form', { name: 'Your answer' })
    const send = (page: Page) => page.getByRole('button', { name: 'Send the answer' }).click()
    const isEmpty = async (page: Page) => page.getByText('Nobody is waiting for you').waitFor()

    test('what waits is found in the inbox, also after a restart, answered in place and followed to its end', async () => {
      const before = await open('/inbox')
      await isEmpty(before)
      expect(await before.getByRole('link', { name: /^Inbox/ }).textContent()).toBe('Inbox')

      const id = await waiting('agent.claims')
      await world().restart()
      const page = await open('/')
      await page.getByRole('heading', { name: '1 waiting for an answer' }).waitFor()
      await page.getByRole('link', { name: 'Inbox 1 waiting' }).click()
      await item(page, 'Approve this expense claim').getByText('due in 3 hours').waitFor()
      await item(page, 'Approve this expense claim').click()
      await page.getByText('Dinner, 184 €').waitFor()

      await send(page)
      await form(page).getByText('Choose one.').waitFor()
      await form(page).getByLabel('Approve').check()
      await form(page).getByLabel('Comment').fill('Well spent.')
      await form(page).getByLabel('Limit eur').fill('many')
      await send(page)
      await form(page).getByText('This is not a number.').waitFor()
      await form(page).getByLabel('Limit eur').fill('250')
      await form(page).getByLabel('Receipt').click()
      await form(page).getByLabel('Tags').fill('food\ntravel')
      await send(page)
      await page.getByText('Completed').waitFor()
      const { output } = await reaches(world(), id, 'completed')
      expect(JSON.parse(output)).toEqual({
        decision: 'approve',
        comment: 'Well spent.',
        limit_eur: 250,
        receipt: true,
        tags: ['food', 'travel'],
      })
      await page.getByRole('region', { name: 'Output' }).getByText('Well spent.').waitFor()
      await page.getByRole('link', { name: 'Inbox', exact: true }).waitFor()
    })

    test('an answer that comes second is told so calmly, and what was typed stays', async () => {
      const id = await waiting('agent.free')
      const page = await open(`/inbox?run=${id}`)
      await form(page).getByLabel('Answer').fill('Endeavour')
      await item(page, 'What shall it be called').click()
      await item(page, 'What shall it be called').click()
      await resume(world(), id, 'Discovery')
      await reaches(world(), id, 'completed')
      await page.getByText('This was answered already').waitFor()
      expect(await form(page).getByLabel('Answer').inputValue()).toBe('Endeavour')
      expect(await page.getByRole('alert').count()).toBe(0)
      expect(await page.getByRole('button', { name: 'Send the answer' }).count()).toBe(0)
      await page.getByRole('region', { name: 'Output' }).getByText('Discovery').waitFor()
    })

    test('a refusal is told at the form, names the field, and loses nothing', async () => {
      const id = await waiting('agent.claims')
      const page = await open(`/runs/${id}`)
      await page.route('**/resume', (route) =>
        route.fulfill({
          status: 422,
          json: { error: { code: 'resume_schema_mismatch', message: 'The answer lacks "comment".' } },
        }),
      )
      await form(page).getByLabel('Reject').check()
      await send(page)
      await page.getByRole('alert').getByText('The answer lacks "comment".').waitFor()
      expect(await form(page).getByLabel('Comment').getAttribute('aria-invalid')).toBe('true')
      expect(await form(page).getByLabel('Reject').isChecked()).toBe(true)
      await page.unroute('**/resume')
      await form(page).getByLabel('Comment').fill('Not this time.')
      await send(page)
      await page.getByText('Completed').waitFor()
      await page.getByRole('button', { name: 'Compare…' }).waitFor()
    })

    test('a run that cannot go on any more says so', async () => {
      const id = await waiting('agent.free')
      const page = await open(`/runs/${id}`)
      await page.route('**/resume', async (route) => {
        await world().call('POST', `/runs/${id}/cancel`, { as: 'admin' })
        await route.fulfill({
          status: 410,
          json: { error: { code: 'workflow_gone', message: 'It is gone.' } },
        })
      })
      await form(page).getByLabel('Answer').fill('Endeavour')
      await send(page)
      await page.getByRole('alert').getByText('This run cannot go on').waitFor()
      await page.getByText('Stopped', { exact: true }).first().waitFor()
      expect(await form(page).getByLabel('Answer').inputValue()).toBe('Endeavour')
      expect(await page.getByText('This was answered already').count()).toBe(0)
    })

    test('JSON may be sent where nothing is prescribed', async () => {
      const id = await waiting('agent.free')
      const page = await open(`/runs/${id}`)
      await page.getByRole('heading', { name: 'What shall it be called?' }).waitFor()
      await page.getByRole('radio', { name: 'JSON' }).click()
      await form(page).getByLabel('Answer').fill('{"name": ')
      await send(page)
      await form(page)
        .getByText(/This is no JSON/)
        .waitFor()
      await form(page).getByLabel('Answer').fill('{"name": "Endeavour"}')
      await page.keyboard.press('Control+Enter')
      await page.getByText('Completed').waitFor()
      expect((await reaches(world(), id, 'completed')).output).toBe('{"name":"Endeavour"}')
    })

    test('a waiting run is stopped from its page, and is in the inbox no more', async () => {
      const id = await waiting('agent.free')
      const page = await open(`/runs/${id}`)
      await page.getByRole('link', { name: 'Inbox 1 waiting' }).waitFor()
      await page.getByRole('button', { name: 'Stop' }).click()
      await page.getByText('Somebody stopped this run before it was done.').waitFor()
      await page.getByRole('link', { name: 'Inbox', exact: true }).waitFor()
      expect(await form(page).count()).toBe(0)
    })

    test('a run is forked from a completed step, and says where it comes from', async () => {
      const id = await waiting('agent.free')
      await resume(world(), id, 'Discovery')
      await reaches(world(), id, 'completed')
      const page = await open(`/runs/${id}?span=${encodeURIComponent(`${id}:approval`)}`)
      await page.getByRole('button', { name: 'Fork from here' }).click()
      await page
        .getByRole('dialog', { name: 'Fork from approval' })
        .getByRole('button', { name: 'Start the new run' })
        .click()
      await form(page).getByLabel('Answer').fill('Endeavour')
      expect(page.url()).not.toContain(id)
      await send(page)
      await page.getByText('Completed').waitFor()
      await page.getByRole('link', { name: 'an earlier run' }).click()
      await page.waitForURL(new RegExp(`/runs/${id}`))
    })

    test('a fork whose outputs were not kept says why', async () => {
      const id = await waiting('agent.free')
      const page = await open(`/runs/${id}?span=${encodeURIComponent(`${id}:note`)}`)
      await page.route('**/fork', (route) =>
        route.fulfill({
          status: 409,
          json: {
            error: { code: 'outputs_not_recorded', message: 'What node "in" put out is not on record.' },
          },
        }),
      )
      await page.getByRole('button', { name: 'Fork from here' }).click()
      await page.getByRole('button', { name: 'Start the new run' }).click()
      await page
        .getByRole('alert')
        .getByText(/capture policy/)
        .waitFor()
    })

    describe('in a chat', () => {
      async function ask(page: Page, text: string) {
        await page.getByLabel('Message').fill(text)
        await page.locator('button[aria-label="Send (Enter)"]:enabled').waitFor()
        await page.getByLabel('Message').press('Enter')
      }

      test('an agent that waits asks in the thread, also after a reload, and answers there', async () => {
        const page = await open('/chat?agent=agent.free')
        await page.getByRole('button', { name: 'Agent: Test' }).waitFor()
        await ask(page, 'A ship')
        await page.getByRole('heading', { name: 'What shall it be called?' }).waitFor()
        await page.getByText('Waiting', { exact: true }).waitFor()
        await page.reload()
        await form(page).getByLabel('Answer').fill('Endeavour')
        expect(await sidewaysOverflow(page)).toBe(0)
        expect(await seriousProblems(page)).toEqual([])
        await screenshot(page, 'chat-waiting')
        await send(page)
        const turn = page.getByRole('article', { name: 'Turn' })
        await turn.getByText('Endeavour', { exact: true }).waitFor()
        await form(page).waitFor({ state: 'detached' })
        await page.reload()
        await turn.getByText('A ship', { exact: true }).waitFor()
        await turn.getByText('Endeavour', { exact: true }).waitFor()
        expect(await turn.count()).toBe(1)
        await page.getByRole('button', { name: 'Agent: Test' }).waitFor()
      })

      test('without durable mode it is said what is missing', async () => {
        const page = await open('/chat?agent=agent.free')
        await page.route('**/durable-runs', (route) =>
          route.fulfill({
            status: 400,
            json: { error: { code: 'durable_required', message: 'Durable mode is off.' } },
          }),
        )
        await ask(page, 'A ship')
        await page
          .getByRole('alert')
          .getByText(/SERVICE_DURABLE=true/)
          .waitFor()
      })

      test('an agent that does not wait streams, and its own output is the answer', async () => {
        await publish(
          world(),
          graph(
            [
              node('in', 'input'),
              llm('model'),
              node('shout', 'transform', { config: { expr: '$uppercase($in.in)' } }),
              node('out', 'output'),
            ],
            ['in.out>model.in', 'model.out>shout.in', 'shout.out>out.in'],
            { id: 'agent.loud', models: { default: { binding: 'standard-compatible', model: 'sky' } } },
          ),
        )
        const page = await open('/chat?agent=agent.loud')
        await ask(page, 'A ship')
        await page.getByRole('article').getByText('FINE.', { exact: true }).waitFor()
      })
    })

    test('a durable run is started from its agent’s page', async () => {
      const page = await open('/agents/agent.free')
      await page.getByRole('button', { name: 'Run durably' }).click()
      const dialog = page.getByRole('dialog', { name: 'Run Test' })
      await dialog.getByLabel('Input').fill('A ship')
      await dialog.getByRole('button', { name: 'Run durably' }).click()
      await page.getByRole('heading', { name: 'What shall it be called?' }).waitFor()
      await page.getByText('A ship').first().waitFor()
    })

    describe.each([
      ['light', 1280],
      ['dark', 360],
    ] as const)('%s at %d px', (scheme, width) => {
      test('it fits, and axe finds nothing serious', async () => {
        const id = await waiting('agent.claims', { purpose: 'Dinner '.repeat(40), amount: 184 })
        const page = await open(`/inbox?run=${id}`, { scheme, width })
        await form(page).waitFor()
        await send(page)
        expect(await sidewaysOverflow(page)).toBe(0)
        expect(await seriousProblems(page)).toEqual([])
        await screenshot(page, `inbox-${scheme}-${width}`)
        await page.goto(`${world().urls.interface}/runs/${id}`)
        await form(page).waitFor()
        expect(await sidewaysOverflow(page)).toBe(0)
        expect(await seriousProblems(page)).toEqual([])
        await screenshot(page, `waiting-run-${scheme}-${width}`)
      })
    })
  },
  { env: { SERVICE_DURABLE: 'true' } },
)
