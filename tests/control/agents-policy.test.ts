import { beforeAll, describe, expect, test } from 'bun:test'
import { document } from '../graph/support'
import { eachDatabase, type World } from '../support/world'

const helpers = (world: () => World) => {
  const call = (method: string, path: string, body?: unknown) =>
    world().call(method, path, { as: 'editor', body })
  return {
    call,
    put: (body: unknown, id = 'agent.kept') => call('PUT', `/agents/${id}/io-policy`, body),
    get: async (id = 'agent.kept') => (await call('GET', `/agents/${id}/io-policy`)).body,
    publish: (id = 'agent.kept') => call('POST', '/agents', { ir: document([], [], { id }) }),
    ceiling: (level: string | null) =>
      world().call('PATCH', '/settings', { as: 'admin', body: { 'telemetry.io_capture': level } }),
  }
}

describe('a local topology', () => {
  eachDatabase((world) => {
    const { call, put, get, publish, ceiling } = helpers(world)
    beforeAll(() => publish())

    test('an agent without a policy has the default of the topology', async () => {
      expect(await get()).toEqual({
        agent_id: 'agent.kept',
        io_capture: 'full',
        effective: 'full',
        capped: false,
        ceiling: 'full',
        topology_default: 'full',
        io_retention_seconds: null,
        redact_rules: null,
        updated_at: null,
        has_explicit_policy: false,
      })
    })

    test('a policy counts from now on, is replaced whole, and changes no hash', async () => {
      const before = (await call('GET', '/agents/agent.kept')).body
      const redact_rules = { keys: ['password'], patterns: ['\\d{16}', '(a+)+$'] }
      const { status, body } = await put({ io_capture: 'metadata', io_retention_seconds: 60, redact_rules })
      expect(status).toBe(200)
      expect(body).toMatchObject({
        io_capture: 'metadata',
        effective: 'metadata',
        capped: false,
        io_retention_seconds: 60,
        redact_rules,
        has_explicit_policy: true,
      })
      expect(await get()).toEqual(body)
      await put({ io_capture: 'off' })
      expect(await get()).toMatchObject({ io_capture: 'off', io_retention_seconds: null, redact_rules: null })
      expect((await call('GET', '/agents/agent.kept')).body).toEqual(before)
    })

    test('the ceiling pins what is asked for, and what is asked for stays', async () => {
      await put({ io_capture: 'full' })
      await ceiling('metadata')
      expect(await get()).toMatchObject({
        io_capture: 'full',
        effective: 'metadata',
        capped: true,
        ceiling: 'metadata',
      })
      await ceiling(null)
      expect(await get()).toMatchObject({ io_capture: 'full', effective: 'full', capped: false })
    })

    test.each([
      ['no regular expression', { patterns: ['(open'] }],
      ['a back-reference', { patterns: ['(a)\\1'] }],
      ['look-ahead', { patterns: ['(?=a)b'] }],
      ['a pattern that is no text', { patterns: [5] }],
      ['a pattern of nothing', { patterns: [''] }],
      ['a pattern of a novel', { patterns: ['a'.repeat(5_000)] }],
      ['keys that are no list', { keys: 'password' }],
      ['more keys than anybody has', { keys: Array(101).fill('k') }],
      ['a rule that does not exist', { pattern: ['a'] }],
    ])('%s is refused, and nothing is stored', async (_, redact_rules) => {
      await put({ io_capture: 'full' })
      const { status, body } = await put({ io_capture: 'off', redact_rules })
      expect(`${status} ${body.error.code}`).toBe('422 invalid_policy')
      expect((await get()).io_capture).toBe('full')
    })

    test.each([
      ['no level', {}],
      ['an unknown level', { io_capture: 'some' }],
      ['a retention of nothing', { io_capture: 'full', io_retention_seconds: 0 }],
      ['half a second', { io_capture: 'full', io_retention_seconds: 0.5 }],
      ['rules that are a list', { io_capture: 'full', redact_rules: ['a'] }],
    ])('%s is a wrong shape', async (_, policy) => {
      const { status, body } = await put(policy)
      expect(status).toBe(422)
      expect(['validation_error', 'invalid_policy']).toContain(body.error.code)
    })

    test('an unknown agent has none, and none can be set', async () => {
      expect((await put({ io_capture: 'off' }, 'agent.none')).body.error.code).toBe('agent_not_found')
      expect((await get('agent.none')).error.code).toBe('agent_not_found')
    })
  })
})

describe('a hosted topology', () => {
  eachDatabase(
    (world) => {
      const { put, get, publish } = helpers(world)

      test('keeps sizes at most, whatever an agent asks for', async () => {
        await publish()
        expect(await get()).toMatchObject({ io_capture: 'metadata', effective: 'metadata', capped: false })
        await put({ io_capture: 'full' })
        expect(await get()).toMatchObject({
          io_capture: 'full',
          effective: 'metadata',
          capped: true,
          topology_default: 'metadata',
        })
      })
    },
    { env: { SERVICE_TOPOLOGY: 'hosted' } },
  )
})
