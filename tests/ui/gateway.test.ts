import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import Anthropic from '@anthropic-ai/sdk'
import { inBrowser, screenshot, seriousProblems, sidewaysOverflow } from '../support/browser'
import { ANTHROPIC_STREAM, anthropicMessage, fakeUpstream, streamOf } from '../support/fake-upstream'
import { until } from '../support/gateway'
import { archived, requestLine } from '../support/gateway-records'

const upstream = fakeUpstream()
const CLAUDE = { 'user-agent': 'claude-cli/2.1.329 (external, cli)', 'x-claude-code-session-id': 'ses-1' }
const OVERLOADED = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
const DAY_MS = 24 * 60 * 60 * 1000
const PROJECT = {
  role: 'system',
  content: [{ type: 'text', text: 'Env:\nPrimary working directory: /home/ada/=shop\n' }],
} as unknown as Anthropic.MessageParam
const ask: Anthropic.MessageParam = { role: 'user', content: 'hi' }
const toolCall: Anthropic.MessageParam = {
  role: 'assistant',
  content: [{ type: 'tool_use', id: 'toolu_1', name: 'Bash', input: { command: 'ls' } }],
}
const toolResult: Anthropic.MessageParam = {
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'a b c', is_error: true }],
}

inBrowser(
  (stage) => {
    let token: string
    beforeAll(async () => {
      token = await stage().world.token('admin')
    })
    afterAll(() => upstream.stop())

    const open = (path: string, options = {}) => stage().open(path, { token, ...options })
    const api = async (path: string) => (await stage().world.call('GET', path, { as: 'admin' })).body
    const recording = () =>
      until(async () => (await (await fetch(`${stage().world.urls.gateway}/readyz`)).json()).recording)

    /** A turn with a tool, a turn after a retry, and one of a sub-agent. */
    async function work() {
      const client = (headers = {}) =>
        new Anthropic({
          baseURL: stage().world.urls.gateway,
          apiKey: 'own',
          maxRetries: 1,
          defaultHeaders: { ...CLAUDE, ...headers },
        })
      const params = { model: 'claude-test-1', max_tokens: 10 }
      upstream.answers(() => streamOf([ANTHROPIC_STREAM]))
      await client()
        .messages.stream({ ...params, messages: [PROJECT, ask] })
        .finalMessage()
      let refusals = 1
      upstream.answers(() =>
        refusals-- > 0
          ? Response.json(OVERLOADED, { status: 529, headers: { 'retry-after-ms': '1' } })
          : anthropicMessage(),
      )
      await client().messages.create({ ...params, messages: [PROJECT, ask, toolCall, toolResult] })
      await client({ 'x-claude-code-agent-id': 'agent-42' }).messages.create({
        ...params,
        messages: [PROJECT, ask],
      })
      await until(async () => (await api('/gateway/sessions')).sessions[0]?.requests === 4)
    }

    test('until an admin says so nothing is recorded; one click changes that', async () => {
      const page = await open('/gateway')
      await page.getByRole('heading', { name: /forwards, and records nothing/ }).waitFor()
      await page.getByText('Keys and logins are not recorded at any level.').waitFor()
      await page.getByText('Nothing recorded yet').waitFor()
      expect(await page.getByLabel('Shell', { exact: true }).textContent()).toContain(
        `ANTHROPIC_BASE_URL="${stage().world.urls.gateway}"`,
      )
      expect(await seriousProblems(page)).toEqual([])
      await page.getByRole('button', { name: 'Record metadata' }).click()
      await page
        .getByText(/ records metadata\.$/)
        .first()
        .waitFor()
      expect((await api('/gateways')).gateways[0]).toMatchObject({ observer: true, record_level: 'metadata' })
      // A gateway asks for its configuration when it starts, and every 30 seconds.
      await stage().world.restart()
      await recording()
    })

    test('what a client did is on the overview, and its session is a timeline', async () => {
      await work()
      const page = await open('/gateway')
      const figures = page.getByRole('region', { name: 'Last 30 days' })
      await figures.getByText('Unpriced').waitFor()
      await figures.getByText('Live sessions').locator('..').getByText('1', { exact: true }).waitFor()
      expect(await seriousProblems(page)).toEqual([])

      await page.getByRole('tab', { name: 'Sessions' }).click()
      const row = page.getByRole('row', { name: /=shop/ })
      await row.waitFor()
      expect(await row.getByRole('cell').allTextContents()).toEqual([
        expect.stringContaining('=shop'),
        'This machine',
        'Claude Code',
        '3',
        '4',
        expect.any(String),
        'unpriced',
        '1',
        expect.any(String),
      ])
      await row.getByRole('link').click()
      await page.getByRole('heading', { name: '=shop', level: 1 }).waitFor()
      await page.getByRole('heading', { level: 3 }).first().waitFor()
      expect(await page.getByRole('heading', { level: 3 }).allTextContents()).toEqual([
        'Main agent',
        'Sub-agent agent-42depth 1',
      ])
      await page.getByText('529 overloaded_error').waitFor()
      await page.getByRole('listitem').getByText('1 retry').first().waitFor()
      await page.getByRole('list', { name: 'Tools it called' }).getByText('Bash').waitFor()
      await page.getByRole('img', { name: /^Turn 2: 2 requests, 1 retried/ }).waitFor()
      await page
        .getByRole('img', { name: /400 read from a cache, 30 written to a cache, 10 in full/ })
        .first()
        .waitFor()
      expect(await seriousProblems(page)).toEqual([])

      await page.getByRole('button', { name: 'Record' }).first().click()
      const record = page.getByRole('dialog', { name: 'Record' })
      await record.getByText('"session_id": "ses-1"').waitFor()
      expect(await record.textContent()).not.toContain('"content"')
    })

    test('a report is grouped, drawn, sorted and taken away as a file no spreadsheet runs', async () => {
      const page = await open('/gateway?tab=reports')
      await page.getByRole('button', { name: 'Project' }).click()
      await page.getByRole('button', { name: 'Status' }).click()
      await page.waitForURL(/group=day%2Cproject%2Cstatus/)
      await page.locator('.plot canvas').waitFor()
      await page.getByText('Cost as a table').click()
      await page.getByRole('region', { name: 'Cost by day' }).getByText('unpriced').waitFor()
      await page.getByRole('region', { name: 'Tools' }).getByText('Bash').waitFor()
      const table = page.getByRole('region', { name: 'Report' })
      await table.getByRole('button', { name: 'Requests' }).click()
      await page.waitForURL(/sort=-requests/)
      expect(await table.getByRole('columnheader', { name: 'Requests' }).getAttribute('aria-sort')).toBe(
        'descending',
      )
      expect(await seriousProblems(page)).toEqual([])

      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'CSV' }).click(),
      ])
      const [header, ...rows] = readFileSync(await file.path(), 'utf8')
        .trimEnd()
        .split('\r\n')
      expect(header).toStartWith('\ufeffday,project,status,cost,requests,')
      expect(rows).toEqual([
        expect.stringMatching(/^\d{4}-\d\d-\d\d,'=shop,200,unpriced,3,/),
        expect.stringMatching(/^\d{4}-\d\d-\d\d,'=shop,529,0,1,/),
      ])
    })

    test('a price that is entered is a cost, of what was recorded before too', async () => {
      const page = await open('/gateway?tab=settings')
      await page
        .getByText('The table begins with what was used in the last 30 days: claude-test-1.')
        .waitFor()
      await page.getByRole('button', { name: 'Enter prices' }).click()
      expect(await page.getByLabel('Model of row 1').inputValue()).toBe('claude-test-1')
      await page.getByLabel('Model of row 1').fill('')
      await page.getByRole('button', { name: 'Paste a table' }).click()
      await page.getByRole('button', { name: 'Add these rows' }).click()
      await page.getByText('No line of this has a model and its prices.').waitFor()
      await page.getByLabel('A table of prices').fill('claude-test*\t$1.00\t1\t1\t1')
      await page.getByRole('button', { name: 'Add these rows' }).click()
      await page.getByRole('button', { name: 'Save prices' }).click()
      await page.getByText('claude-test*: Output must be a number from 0 to 100000.').waitFor()
      await page.getByLabel('Output of row 1').fill('1000')
      await page.getByRole('button', { name: 'Save prices' }).click()
      await page.getByRole('button', { name: 'Price everything anew' }).click()
      await page.getByRole('button', { name: 'Price anew', exact: true }).click()
      await page.getByText('1 model has the prices of version 1.').first().waitFor()
      await page.getByRole('tab', { name: 'Overview' }).click()
      await page.getByRole('region', { name: 'Last 30 days' }).getByText('$0.08').waitFor()
    })

    test('a configuration that cannot be is refused where it is written', async () => {
      const page = await open('/gateway?tab=settings')
      await page.getByLabel('Largest kept content').fill('1')
      await page.getByLabel('Redacted patterns').fill('(?=x)')
      const save = page.getByRole('region', { name: /^Recording of/ }).getByRole('button', { name: 'Save' })
      await save.click()
      await page.getByText('Write a whole number from 1024 to 1048576.').waitFor()
      await page.getByLabel('Largest kept content').fill('2048')
      await save.click()
      await page.getByText('invalid_gateway_config').waitFor()
      await page.getByLabel('Redacted patterns').fill('ACME-\\d+')
      await save.click()
      await page.getByText('It counts within 30 seconds.').first().waitFor()
      const { id } = (await api('/gateways')).gateways[0]
      expect(await api(`/gateways/${id}/config`)).toMatchObject({
        observer: true,
        record_level: 'metadata',
        redact_rules: { keys: [], patterns: ['ACME-\\d+'] },
        max_content_bytes: 2048,
      })
      await page.getByText('is a personal gateway: it forwards').waitFor()
      expect(await seriousProblems(page)).toEqual([])
    })

    test('a key is shown once with the lines to copy, and disabled after a question', async () => {
      const page = await open('/gateway?tab=keys')
      await page.getByRole('button', { name: 'Create key' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('button', { name: 'Create key' }).click()
      await dialog.getByText('Choose whose key it is.').waitFor()
      await dialog.getByRole('button', { name: /^Developer/ }).click()
      await page.getByRole('option', { name: 'The admin' }).click()
      await dialog.getByLabel('Name').fill('laptop')
      await dialog.getByRole('button', { name: 'Create key' }).click()
      const key = await dialog.getByLabel('gateway key', { exact: true }).textContent()
      expect(key).toStartWith('tygk_')
      const lines = dialog.getByLabel('Shell', { exact: true })
      expect(await lines.textContent()).toContain(`"x-service-gateway-key: ${key}"`)
      await dialog.getByRole('radio', { name: 'Codex' }).click()
      expect(await lines.textContent()).toContain(`TYCHO_GATEWAY_KEY="${key}"`)
      expect(await seriousProblems(page)).toEqual([])
      await dialog.getByRole('button', { name: 'Done' }).click()
      await page.getByText(`${key!.slice(0, 13)}…`).waitFor()
      expect(await page.content()).not.toContain(key!)

      await page.getByRole('button', { name: 'Actions for laptop' }).click()
      await page.getByRole('menuitem', { name: 'Disable' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
      await page.getByText('disabled', { exact: true }).waitFor()
      expect((await api('/gateway-keys')).keys).toMatchObject([{ name: 'laptop', enabled: false }])
    })

    test('a viewer sees own rows, and nothing that is the admins’', async () => {
      const viewer = await stage().world.token('viewer')
      const page = await open('/gateway?tab=settings', { token: viewer })
      await page.getByText('Nothing recorded yet').waitFor()
      expect(await page.getByRole('tab').allTextContents()).toEqual([
        'Overview',
        'Sessions',
        'Reports',
        'Developers & keys',
      ])
      await page.getByRole('tab', { name: 'Developers & keys' }).click()
      await page.getByText('No gateway keys').waitFor()
      expect(await page.getByRole('button', { name: 'Create key' }).count()).toBe(0)
      await page.goto(`${stage().world.urls.interface}/gateway/sessions/ses-1`)
      await page.getByText('There is no such session').waitFor()
    })

    test('an archived day is downloaded as it was sent; its session says where it went', async () => {
      const { world } = stage()
      const made = await world.call('POST', '/gateways', { as: 'admin', body: { name: 'Cellar' } })
      const at = Date.now() - 5 * DAY_MS
      const line = JSON.stringify(requestLine({ session_id: 'old/1', time: { at } }))
      await world.call('POST', '/gateway/records', {
        as: { token: made.body.service_key },
        headers: { 'content-type': 'application/x-ndjson' },
        body: `${line}\n`,
      })
      expect(await archived(world, Date.now(), new Date(at).toISOString().slice(0, 10))).toBe(0)
      const page = await open('/gateway?tab=archives')
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: /^Download / }).click(),
      ])
      expect(file.suggestedFilename()).toMatch(/^gateway-\d{4}-\d\d-\d\d\.jsonl$/)
      expect(readFileSync(await file.path(), 'utf8')).toBe(`${line}\n`)
      await page.getByRole('tab', { name: 'Sessions' }).click()
      await page
        .getByRole('row', { name: /archived/ })
        .getByRole('link')
        .click()
      await page.getByText('Its requests are in archives').waitFor()
      await page.getByText('old/1').waitFor()
    })

    test('every screen fits a phone, in the dark', async () => {
      const page = await open('/gateway', { width: 360, scheme: 'dark' })
      const look = async (name: string, ready: string) => {
        await page.getByText(ready).first().waitFor()
        await screenshot(page, `gateway-${name}-360`)
        expect([name, await sidewaysOverflow(page), await seriousProblems(page)]).toEqual([name, 0, []])
      }
      await look('overview', 'Latest sessions')
      for (const [tab, ready] of [
        ['Sessions', '=shop'],
        ['Reports', 'By day'],
        ['Developers & keys', 'Set up a coding tool'],
        ['Archives', 'Download'],
        ['Settings', 'Retention'],
      ] as const) {
        await page.getByRole('tab', { name: tab }).click()
        await look(tab.split(' ')[0]!.toLowerCase(), ready)
      }
      await page.goto(`${stage().world.urls.interface}/gateway/sessions/ses-1`)
      await look('session', 'Timeline')
    })

    test('the organization key goes from the page to the gateway of a team', async () => {
      const { world } = stage()
      const made = await world.call('POST', '/gateways', { as: 'admin', body: { name: 'Team' } })
      const port = (url: string) => new URL(url).port
      Object.assign(world.env, {
        SERVICE_CONTROL_PLANE_PORT: port(world.urls.control),
        SERVICE_GATEWAY_PORT: port(world.urls.gateway),
        SERVICE_INTERFACE_PORT: port(world.urls.interface),
        SERVICE_GATEWAY_AUTH_MODE: 'team',
        SERVICE_GATEWAY_SERVICE_KEY: made.body.service_key,
        SERVICE_GATEWAY_ORG_OPENAI_API_KEY: 'sk-of-the-deployment',
        SERVICE_GATEWAY_ADMIN_ORIGINS: new URL(world.urls.interface).origin,
      })
      await world.restart()
      await until(async () =>
        (await api('/gateways')).gateways.some(
          (one: { heartbeat?: { mode: string } }) => one.heartbeat?.mode === 'team',
        ),
      )
      const page = await open('/gateway?tab=settings')
      await page.getByRole('combobox', { name: 'Gateway to set' }).click()
      await page.getByRole('option', { name: 'Team' }).click()
      await page.getByRole('button', { name: 'Ask the gateway' }).click()
      await page.getByText('set by the deployment', { exact: true }).waitFor()
      const toControl: string[] = []
      page.on('request', (request) => {
        if (request.url().startsWith(world.urls.control)) toControl.push(request.postData() ?? '')
      })
      await page.getByLabel('Anthropic key', { exact: true }).fill('sk-of-the-organization')
      await page.getByRole('button', { name: 'Set key' }).click()
      await page.getByText('stored at the gateway').waitFor()
      expect(toControl.join('')).not.toContain('sk-of-the-organization')
      expect(await page.content()).not.toContain('sk-of-the-organization')
      expect(await seriousProblems(page)).toEqual([])
    })

    test('what keeps the organization key from being set is said, with what to do about it', async () => {
      const { world } = stage()
      await world.call('POST', '/gateways', { as: 'admin', body: { name: 'Elsewhere' } })
      const page = await open('/gateway?tab=settings')
      const choose = async (name: string) => {
        await page.getByRole('combobox', { name: 'Gateway to set' }).click()
        await page.getByRole('option', { name }).click()
      }
      const askGateway = () => page.getByRole('button', { name: 'Ask the gateway' }).click()

      await choose('Team')
      await askGateway()
      await page.getByText('set by the deployment', { exact: true }).waitFor()
      world.env.SERVICE_GATEWAY_ORG_API_KEY = 'sk-of-the-deployment-too'
      await world.restart()
      await page.getByLabel('Anthropic key', { exact: true }).fill('sk-too-late')
      await page.getByRole('button', { name: 'Replace key' }).click()
      await page.getByText('org_key_pinned').waitFor()
      await page.getByText('To change it from here, unset SERVICE_GATEWAY_ORG_API_KEY').waitFor()

      await choose('Elsewhere')
      await askGateway()
      await page.getByText('a ticket opens the gateway that it was made for, and no other').waitFor()

      delete world.env.SERVICE_GATEWAY_AUTH_MODE
      delete world.env.SERVICE_GATEWAY_SERVICE_KEY
      await world.restart()
      await askGateway()
      await page.getByText('This is a personal gateway.').waitFor()
      expect(await seriousProblems(page)).toEqual([])

      delete world.env.SERVICE_GATEWAY_ADMIN_ORIGINS
      await world.restart()
      await askGateway()
      await page.getByText('Either no gateway runs at this address').waitFor()
    })
  },
  { env: { SERVICE_GATEWAY_UPSTREAM_URL: upstream.url } },
)
