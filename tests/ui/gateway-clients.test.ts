import { afterAll, describe, expect, test } from 'bun:test'
import { inBrowser, screenshot, seriousProblems } from '../support/browser'
import { isInstalled, prompted } from '../support/coding-tools'
import { codingModels, type Step } from '../support/fake-coding-models'
import { fakeUpstream } from '../support/fake-upstream'
import { until } from '../support/gateway'
import { removeFolders } from '../support/process'

const upstream = fakeUpstream()
const bash = (command: string, description: string) => ({ tool: 'Bash', input: { command, description } })
const STEPS: Step[] = [
  {
    text: 'I look at how prices are made first, and at what is tested.',
    calls: [bash('ls -la', 'List the files'), { tool: 'Read', input: { file_path: 'price.ts' } }],
  },
  {
    text: 'Somebody else should check the rounding while I go on.',
    calls: [
      {
        tool: 'Agent',
        input: {
          description: 'Check the rounding',
          prompt: 'Check how price.ts rounds.',
          subagent_type: 'general-purpose',
        },
      },
    ],
  },
  { text: 'Now the tests.', calls: [bash('sleep 0.3; echo "no tests"; exit 1', 'Run the tests')] },
  { text: 'There are none, so I try it out.', calls: [bash('sleep 0.2; echo 119', 'Try it out')] },
  { text: 'The tax is right: 19 %. There are no tests.' },
]
const AGENT: Step[] = [
  { text: 'I read it.', calls: [bash('sleep 0.2; cat price.ts', 'Show the file')] },
  { text: 'It does not round at all.' },
]
/** The provider's list, in dollars for a million tokens. */
const PRICE = {
  model: 'claude-sonnet-4-5*',
  input: 3,
  cache_read: 0.3,
  cache_write_5m: 3.75,
  cache_write_1h: 6,
  output: 15,
}

afterAll(async () => {
  await upstream.stop()
  removeFolders()
})

describe.skipIf(!isInstalled('claude-code'))('Claude Code (skipped where there is no `claude`)', () => {
  inBrowser(
    (stage) => {
      test('a real session is on its page: turns, tools, what failed, what was retried, a sub-agent', async () => {
        const { world } = stage()
        const admin = async (method: string, path: string, body?: object) =>
          (await world.call(method, path, { as: 'admin', body })).body
        const [local] = await until(async () => {
          const { gateways } = await admin('GET', '/gateways')
          return gateways[0]?.online && gateways
        })
        await admin('PUT', `/gateways/${local.id}/config`, { observer: true })
        await admin('PUT', '/gateway-prices', { prices: [PRICE] })
        // A gateway asks for its configuration when it starts.
        await world.restart()
        await until(async () => (await (await fetch(`${world.urls.gateway}/readyz`)).json()).recording)
        upstream.answers(codingModels({ steps: STEPS, agent: AGENT, overloadedAt: [3], paceMs: 40 }))
        const { stdout, code } = await prompted({
          client: 'claude-code',
          url: world.urls.gateway,
          prompt: 'Is the tax right?',
        })
        expect([code, stdout]).toEqual([0, 'The tax is right: 19 %. There are no tests.\n'])
        const [session] = await until(async () => {
          const { sessions } = await admin('GET', '/gateway/sessions')
          return sessions[0]?.requests === 8 && sessions
        })

        const page = await stage().open(`/gateway/sessions/${session.id}`, {
          token: await world.token('admin'),
          height: 940,
        })
        await page.getByRole('heading', { name: 'shop', level: 1 }).waitFor()
        await page.getByRole('heading', { name: /^Sub-agent / }).waitFor()
        await page.getByText('Agent, ').waitFor()
        await page.getByRole('button', { name: /Turn 4/ }).click()
        await page.getByText('529 overloaded_error').waitFor()
        await page.getByRole('list', { name: 'Tools it called' }).getByText('Bash').waitFor()
        expect(await seriousProblems(page)).toEqual([])
        await screenshot(page, 'gateway-session-claude-code')
      }, 90_000)
    },
    { env: { SERVICE_GATEWAY_UPSTREAM_URL: upstream.url } },
  )
})
