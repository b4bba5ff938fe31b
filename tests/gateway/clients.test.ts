import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { hashToken } from '#kernel/tokens'
import { isInstalled, OWN_KEYS, prompted } from '../support/coding-tools'
import { codingModels } from '../support/fake-coding-models'
import { openGateway, type TestGateway, until } from '../support/gateway'
import { removeFolders } from '../support/process'

/** The real programs, where they are installed; they take seconds to start on a busy machine. */
const PATIENCE_MS = 90_000
const ORGANIZATION = { 'claude-code': 'sk-ant-of-the-organization', codex: 'sk-of-the-organization' }
const KEY = 'tygk_of-ada'

const SCRIPTS = {
  'claude-code': {
    steps: [
      {
        text: 'I look around.',
        calls: [
          { tool: 'Bash', input: { command: 'ls', description: 'List files' } },
          { tool: 'Read', input: { file_path: '/nowhere/at/all.ts' } },
        ],
      },
      {
        text: 'Somebody else should look too.',
        calls: [
          {
            tool: 'Agent',
            input: {
              description: 'Check the tax',
              prompt: 'Check price.ts',
              subagent_type: 'general-purpose',
            },
          },
        ],
      },
      { text: 'The tax is right.' },
    ],
    agent: [
      {
        text: 'I read it.',
        calls: [{ tool: 'Bash', input: { command: 'cat price.ts', description: 'Show' } }],
      },
      { text: 'It is fine.' },
    ],
    overloadedAt: [2],
  },
  codex: {
    steps: [
      { text: '', calls: [{ tool: 'exec_command', input: { cmd: 'ls' } }] },
      { text: '', calls: [{ tool: 'exec_command', input: { cmd: 'cat missing.ts' } }] },
      { text: 'The tax is right.' },
    ],
  },
}

afterAll(removeFolders)

describe.skipIf(!isInstalled('claude-code'))(
  'Claude Code (skipped where there is no `claude` on the PATH)',
  () => {
    test(
      'notices nothing, and its session is told: turns, tools, a sub-agent, a retry, the project',
      async () => {
        await using gateway = await openGateway()
        gateway.upstream.answers(codingModels(SCRIPTS['claude-code']))
        const { stdout, code } = await prompted({
          client: 'claude-code',
          url: gateway.url,
          prompt: 'Is the tax right?',
        })
        expect([code, stdout]).toEqual([0, 'The tax is right.\n'])
        const records = await until(() => gateway.records().length >= 6 && gateway.records())
        expect(records).toHaveLength(6)
        const [session] = new Set(records.map(({ session_id }) => session_id))
        const agent = records[2]!.agent_id
        expect(agent).toBeString()
        expect(
          records.map(({ agent_id, attempt, response }) => [agent_id, attempt, response.status]),
        ).toEqual([
          [null, 1, 200],
          [null, 1, 200],
          [agent, 1, 200],
          [agent, 1, 200],
          [null, 1, 529],
          [null, 2, 200],
        ])
        for (const record of records) {
          expect(record).toMatchObject({
            client: 'claude-code',
            client_version: expect.stringMatching(/^\d+\.\d+\.\d+/),
            session_id: session,
            session_source: 'header',
            project: { name: 'shop', source: 'cwd' },
            request: { model_requested: 'claude-sonnet-4-5' },
          })
        }
        expect(records[1]!.request.tool_results).toEqual(
          expect.arrayContaining([
            expect.objectContaining({ name: 'Bash', is_error: false }),
            expect.objectContaining({ name: 'Read', is_error: true }),
          ]),
        )
        expect(new Set(records.map(({ turn_key }) => turn_key)).size).toBe(5)
        expect(JSON.stringify(records)).not.toContain(OWN_KEYS['claude-code'])
      },
      PATIENCE_MS,
    )
  },
)

describe.skipIf(!isInstalled('codex'))('Codex (skipped where there is no `codex` on the PATH)', () => {
  test(
    'notices nothing, and its session is told: turns, tools that failed, the project',
    async () => {
      await using gateway = await openGateway()
      gateway.upstream.answers(codingModels(SCRIPTS.codex))
      const { stdout, code } = await prompted({
        client: 'codex',
        url: gateway.url,
        prompt: 'Is the tax right?',
      })
      expect([code, stdout]).toEqual([0, 'The tax is right.\n'])
      const records = await until(() => gateway.records().length >= 3 && gateway.records())
      const [session] = new Set(records.map(({ session_id }) => session_id))
      expect(records.map(({ request }) => request.tool_results)).toMatchObject([
        [],
        [{ name: 'exec_command', is_error: false }],
        [{ name: 'exec_command', is_error: true }],
      ])
      for (const record of records) {
        expect(record).toMatchObject({
          client: 'codex',
          client_version: expect.stringMatching(/^\d+\.\d+\.\d+/),
          session_id: session,
          project: { name: 'shop', source: 'cwd' },
          request: { protocol: 'openai', path: '/v1/responses' },
          tokens: { output: 60, reasoning: 12 },
        })
      }
    },
    PATIENCE_MS,
  )
})

describe('in a team, set up with the lines that the interface shows', () => {
  let gateway: TestGateway
  const key = { id: 'k', digest: hashToken(KEY), developer_id: 'usr_ada', enabled: true }
  const team = async (billing: 'own' | 'organization') =>
    openGateway({
      env: {
        SERVICE_GATEWAY_AUTH_MODE: 'team',
        SERVICE_GATEWAY_SERVICE_KEY: 'tygs_unused',
        SERVICE_GATEWAY_ORG_API_KEY: ORGANIZATION['claude-code'],
        SERVICE_GATEWAY_ORG_OPENAI_API_KEY: ORGANIZATION.codex,
      },
      keys: { keys_version: 'v', keys: [{ ...key, billing }] },
    })

  describe.each(['organization', 'own'] as const)('billed to %s', (billing) => {
    beforeAll(async () => {
      gateway = await team(billing)
    })
    afterAll(() => gateway[Symbol.asyncDispose]())

    for (const client of ['claude-code', 'codex'] as const)
      test.skipIf(!isInstalled(client))(
        `${client} works: the provider gets the credential of who pays, and never a gateway key`,
        async () => {
          gateway.upstream.answers(codingModels({ steps: [{ text: 'Hello.' }] }))
          const before = gateway.records().length
          const { stdout, code } = await prompted({
            client,
            url: gateway.url,
            prompt: 'hi',
            billing,
            key: KEY,
          })
          expect([code, stdout]).toEqual([0, 'Hello.\n'])
          const credential = (billing === 'own' ? OWN_KEYS : ORGANIZATION)[client]
          const { headers } = gateway.upstream.last()
          expect([headers['x-api-key'], headers.authorization?.replace('Bearer ', '')]).toContain(credential)
          expect(JSON.stringify(headers)).not.toContain('tygk_')
          const record = await until(() => gateway.records()[before])
          expect(record).toMatchObject({ developer_id: 'usr_ada', key_id: 'k', billing, client })
        },
        PATIENCE_MS,
      )
  })

  test.skipIf(!isInstalled('claude-code'))(
    'Claude Code shows why a key is refused, and asks once',
    async () => {
      await using closed = await team('organization')
      const asked: string[] = []
      const between = Bun.serve({
        port: 0,
        hostname: '127.0.0.1',
        async fetch(request) {
          asked.push(request.method)
          const { pathname } = new URL(request.url)
          const { method, headers } = request
          return fetch(closed.url + pathname, { method, headers, body: await request.bytes() })
        },
      })
      const { stdout, code } = await prompted({
        client: 'claude-code',
        url: between.url.origin,
        prompt: 'hi',
        billing: 'organization',
        key: 'tygk_unknown',
      })
      expect([code, stdout]).toEqual([1, expect.stringMatching(/gateway key/)])
      expect(asked.filter((method) => method === 'POST')).toHaveLength(1)
      await between.stop(true)
    },
    PATIENCE_MS,
  )
})
