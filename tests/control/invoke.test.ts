import { beforeAll, describe, expect, test } from 'bun:test'
import { shouting } from '../support/graphs'
import { eachDatabase, events } from '../support/world'

const INVOKE_TOKEN = 'a token of this deployment'.replaceAll(' ', '-')
const PATH = '/agents/agent.door/invoke'

const tests = (isTokenSet: boolean) => (world: () => import('../support/world').World) => {
  beforeAll(async () => {
    await world().call('POST', '/agents', { as: 'editor', body: { ir: shouting({ id: 'agent.door' }) } })
  })
  const invoke = (token: string | undefined, body: unknown = { input: 'hi' }, path = PATH) =>
    world().call('POST', path, { as: token === undefined ? undefined : { token }, body })
  const keyOf = async (as: 'viewer' | 'editor') =>
    (await world().call('POST', '/auth/api-keys', { as, body: { name: 'door' } })).body
  const run = async (id: string, as: 'viewer' | 'editor' | 'admin' = 'admin') =>
    world().call('GET', `/runs/${id}`, { as })

  test('an API key opens it, of any role, and owns the run', async () => {
    const { token } = await keyOf('viewer')
    const { status, body } = await invoke(token)
    expect([status, body]).toEqual([200, { runId: expect.any(String), status: 'completed', output: 'HI' }])
    const me = (await world().call('GET', '/auth/me', { as: 'viewer' })).body.user
    expect((await run(body.runId)).body).toMatchObject({ user_id: me.id, graph_id: 'agent.door' })
    expect((await run(body.runId, 'editor')).status).toBe(404)
  })

  test('it streams when asked to', async () => {
    const { token } = await keyOf('viewer')
    const { response } = await invoke(token, { input: 'hi', stream: true })
    const names = []
    for await (const { event, data } of events(response)) names.push(event ?? data)
    expect(names).toEqual(['run', 'run', '[DONE]'])
  })

  test('nothing else opens it, and the body is not even looked at', async () => {
    const revoked = await keyOf('viewer')
    await world().call('DELETE', `/auth/api-keys/${revoked.api_key.id}`, { as: 'viewer' })
    const before = (await world().call('GET', '/runs?limit=1', { as: 'admin' })).body.runs[0]?.id
    const strangers = [
      undefined,
      'wrong',
      await world().token('viewer'),
      await world().token('admin'),
      'tyk_unknown',
      revoked.token,
      ...(isTokenSet ? [`${INVOKE_TOKEN}x`, INVOKE_TOKEN.slice(1)] : [INVOKE_TOKEN, 'undefined']),
    ]
    for (const token of strangers) {
      for (const body of [{ input: 'hi' }, {}, '{"not json']) {
        for (const path of [PATH, '/agents/agent.nobody/invoke']) {
          const answer = await invoke(token, body, path)
          expect([token, answer.status, answer.body.error.code]).toEqual([token, 401, 'unauthorized'])
        }
      }
    }
    expect((await world().call('GET', '/runs?limit=1', { as: 'admin' })).body.runs[0]?.id).toBe(before)
  })

  test('behind the gate the usual refusals apply', async () => {
    const { token } = await keyOf('viewer')
    const codes = async (body: unknown, path = PATH) => {
      const answer = await invoke(token, body, path)
      return [answer.status, answer.body.error.code]
    }
    expect(await codes({})).toEqual([422, 'validation_error'])
    expect(await codes({ input: 1, version: '7' })).toEqual([404, 'agent_version_not_found'])
    expect(await codes({ input: 1 }, '/agents/agent.nobody/invoke')).toEqual([404, 'agent_not_found'])
  })

  if (isTokenSet) {
    test('the token of the deployment opens it too, and its runs are nobody’s', async () => {
      const { status, body } = await invoke(INVOKE_TOKEN)
      expect([status, body.output]).toEqual([200, 'HI'])
      expect((await run(body.runId)).body.user_id).toBe(null)
      expect((await run(body.runId, 'viewer')).status).toBe(200)
    })

    test('which reaches only sessions that are nobody’s', async () => {
      await world().call('POST', '/sessions', { as: 'viewer', body: { id: 'mine' } })
      const foreign = await invoke(INVOKE_TOKEN, { input: 'hi', session_id: 'mine' })
      expect([foreign.status, foreign.body.error.code]).toEqual([404, 'session_not_found'])
      expect((await invoke(INVOKE_TOKEN, { input: 'hi', session_id: 'open' })).status).toBe(200)
      const { body } = await world().call('GET', '/sessions/open', { as: 'viewer' })
      expect(body).toMatchObject({ user_id: null, messages: [{ content: 'hi' }, { content: 'HI' }] })
    })

    test('and opens nothing else', async () => {
      for (const [method, path] of [
        ['GET', '/runs'],
        ['POST', '/agents/agent.door/runs'],
      ] as const) {
        expect((await world().call(method, path, { as: { token: INVOKE_TOKEN } })).status).toBe(401)
      }
    })
  }
}

describe('invoke, with a token', () => {
  eachDatabase(tests(true), { env: { SERVICE_INVOKE_TOKEN: INVOKE_TOKEN } })
})
describe('invoke, without one', () => {
  eachDatabase(tests(false))
})
