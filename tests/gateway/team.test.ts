import { afterAll, beforeAll, expect, test } from 'bun:test'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { hashToken } from '#kernel/tokens'
import { anthropicMessage } from '../support/fake-upstream'
import { openGateway, type TestGateway, until } from '../support/gateway'
import { openWorld, type World } from '../support/world'

const OWN = 'tygk_own-key-of-ada'
const BILLED = 'tygk_billed-to-the-organization'
const OFF = 'tygk_switched-off'
const key = (id: string, token: string, billing: 'own' | 'organization', enabled = true) => ({
  id,
  digest: hashToken(token),
  developer_id: 'usr_ada',
  billing,
  enabled,
})
const KEYS = {
  keys_version: 'v1',
  keys: [key('k1', OWN, 'own'), key('k2', BILLED, 'organization'), key('k3', OFF, 'own', false)],
}
const TEAM = { SERVICE_GATEWAY_AUTH_MODE: 'team', SERVICE_GATEWAY_SERVICE_KEY: 'tygs_unused' }

let gateway: TestGateway
beforeAll(async () => {
  gateway = await openGateway({
    env: { ...TEAM, SERVICE_GATEWAY_ORG_API_KEY: 'sk-organization' },
    keys: KEYS,
  })
})
afterAll(() => gateway[Symbol.asyncDispose]())

const ask = (headers: Record<string, string>, path = '/v1/messages', to = gateway) =>
  to.send(path, { method: 'POST', body: '{}', headers })
const codeOf = async (answer: Response) => {
  const { error } = await answer.json()
  return [answer.status, error?.code, answer.headers.get('x-should-retry'), answer.headers.get('retry-after')]
}

test.each([
  ['no key', {}, '/v1/messages', [401, 'gateway_key_missing', 'false', null]],
  [
    'a credential of their own and no key',
    { authorization: 'Bearer sk-own' },
    '/v1/messages',
    [401, 'gateway_key_missing', 'false', null],
  ],
  [
    'an unknown key',
    { authorization: 'Bearer tygk_unknown' },
    '/v1/messages',
    [401, 'gateway_key_invalid', 'false', null],
  ],
  [
    'a key that was switched off',
    { 'x-service-gateway-key': OFF, 'x-api-key': 'own' },
    '/v1/messages',
    [401, 'gateway_key_invalid', 'false', null],
  ],
  [
    'no credential of their own',
    { 'x-service-gateway-key': OWN },
    '/v1/messages',
    [401, 'upstream_credential_missing', 'false', null],
  ],
  [
    'the same key as the only credential',
    { authorization: `Bearer ${OWN}`, 'x-api-key': OWN },
    '/v1/messages',
    [401, 'upstream_credential_missing', 'false', null],
  ],
  [
    "the organization's bill for another endpoint",
    { authorization: `Bearer ${BILLED}` },
    '/v1/files',
    [403, 'endpoint_not_allowed', 'false', null],
  ],
  [
    "the organization's bill for an id with a slash in it",
    { authorization: `Bearer ${BILLED}` },
    '/v1/models/a%2f..%2fx',
    [403, 'endpoint_not_allowed', 'false', null],
  ],
  [
    "the organization's bill at a provider without a key",
    { authorization: `Bearer ${BILLED}` },
    '/v1/responses',
    [503, 'org_key_not_configured', 'false', null],
  ],
])('%s is refused', async (_, headers, path, expected) => {
  const before = gateway.upstream.seen.length
  expect(await codeOf(await ask(headers as Record<string, string>, path))).toEqual(expected as never)
  expect(gateway.upstream.seen.length).toBe(before)
})

test.each([
  [
    'own key, gateway key in its own header',
    { 'x-api-key': 'own', 'x-service-gateway-key': OWN },
    { 'x-api-key': 'own' },
  ],
  [
    'own key, gateway key as the token',
    { 'x-api-key': 'own', authorization: `Bearer ${OWN}` },
    { 'x-api-key': 'own' },
  ],
  [
    'own subscription',
    { authorization: 'Bearer oauth', 'anthropic-beta': 'oauth-2025-04-20', 'x-service-gateway-key': OWN },
    { authorization: 'Bearer oauth', 'anthropic-beta': 'oauth-2025-04-20' },
  ],
  ['organization', { authorization: `Bearer ${BILLED}` }, { 'x-api-key': 'sk-organization' }],
  [
    'organization, with a credential that must not go on',
    { 'x-service-gateway-key': BILLED, authorization: 'Bearer own', 'x-api-key': 'own', cookie: 'a=1' },
    { 'x-api-key': 'sk-organization' },
  ],
])('%s: the provider sees the right credential and no gateway key', async (_, headers, expected) => {
  gateway.upstream.answers(() => anthropicMessage())
  expect((await ask(headers as unknown as Record<string, string>)).status).toBe(200)
  const arrived = gateway.upstream.last().headers
  const credentials = ['authorization', 'x-api-key', 'cookie', 'anthropic-beta']
  expect(Object.fromEntries(Object.entries(arrived).filter(([name]) => credentials.includes(name)))).toEqual(
    expected as never,
  )
  expect(JSON.stringify(arrived)).not.toContain('tygk_')
})

test('a record names the developer, the key and who pays, and holds no credential', async () => {
  gateway.upstream.answers(() => anthropicMessage())
  await (await ask({ authorization: `Bearer ${BILLED}` })).text()
  const record = await until(() => gateway.records().findLast(({ billing }) => billing === 'organization'))
  expect(record).toMatchObject({ developer_id: 'usr_ada', key_id: 'k2', billing: 'organization' })
  expect(JSON.stringify(gateway.records())).not.toMatch(/tygk_|sk-organization|Bearer/)
})

test('without keys it says so, and is not ready; what was on disk is enough to serve', async () => {
  await using fresh = await openGateway({ env: TEAM })
  expect(await codeOf(await ask({ authorization: `Bearer ${OWN}` }, '/v1/messages', fresh))).toEqual([
    503,
    'gateway_keys_unavailable',
    null,
    '5',
  ])
  const ready = await fresh.send('/readyz')
  expect([ready.status, (await ready.json()).status]).toEqual([503, 'not-ready'])
  expect((await gateway.send('/readyz')).status).toBe(200)
})

test('what it keeps is readable by the owner only', () => {
  expect(statSync(gateway.state).mode & 0o777).toBe(0o700)
  for (const name of ['gateway.json', 'machine.key', 'queue'])
    expect(statSync(join(gateway.state, name)).mode & 0o077).toBe(0)
})

/** A team: the real control plane, and a gateway that attached to it with a key an admin made. */
async function team(): Promise<{ world: World; gateway: TestGateway; id: string }> {
  const world = await openWorld({ planes: ['control'] })
  const { body } = await world.call('POST', '/gateways', { as: 'admin', body: { name: 'Team' } })
  const attached = await openGateway({
    env: { ...TEAM, SERVICE_GATEWAY_ADMIN_ORIGINS: 'https://admin.example' },
    config: null,
    attach: { url: world.urls.control, serviceKey: body.service_key },
    heartbeatMs: 40,
  })
  return { world, gateway: attached, id: body.gateway.id }
}

test('a key works soon after it is made and dies soon after it is revoked; the control plane may be away', async () => {
  const { world, gateway: attached } = await team()
  await using _world = world
  await using _gateway = attached
  await until(async () => (await attached.send('/readyz')).status === 200)
  const user = (await world.call('GET', '/auth/me', { as: 'admin' })).body.user.id
  const { body } = await world.call('POST', '/gateway-keys', {
    as: 'admin',
    body: { user_id: user, billing: 'own' },
  })
  const status = async () => {
    const answer = await ask(
      { 'x-service-gateway-key': body.token, 'x-api-key': 'own' },
      '/v1/messages',
      attached,
    )
    await answer.text()
    return answer.status
  }
  await until(async () => (await status()) === 200)
  await world.call('PATCH', `/gateway-keys/${body.key.id}`, { as: 'admin', body: { enabled: false } })
  await until(async () => (await status()) === 401)
})

test('an admin sets the organization key at the gateway, with a ticket that opens once', async () => {
  const { world, gateway: attached, id } = await team()
  await using _world = world
  await using _gateway = attached
  const ticket = async () =>
    (await world.call('POST', `/gateways/${id}/tickets`, { as: 'admin' })).body.ticket
  const orgKey = async (method: string, bearer: string | null, body?: object) =>
    attached.send('/admin/org-key', {
      method,
      headers: {
        origin: 'https://admin.example',
        ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
    })
  expect((await orgKey('GET', null)).status).toBe(401)
  expect((await (await orgKey('GET', 'tygt_unknown')).json()).error.code).toBe('invalid_ticket')
  const one = await ticket()
  const first = await orgKey('GET', one)
  expect(first.headers.get('access-control-allow-origin')).toBe('https://admin.example')
  expect(await first.json()).toMatchObject({ configured: false, source: 'none', locked: false })
  expect((await orgKey('GET', one)).status).toBe(401)
  const set = await orgKey('PUT', await ticket(), { value: 'sk-the-organization' })
  expect(await set.json()).toMatchObject({ configured: true, source: 'stored', locked: false })
  const shown = await (await orgKey('GET', await ticket())).text()
  expect(shown).not.toContain('sk-the-organization')
  expect(await Bun.file(join(attached.state, 'org_key.enc')).text()).not.toContain('sk-the-organization')
  const foreign = await attached.send('/admin/org-key', { headers: { origin: 'https://evil.example' } })
  expect(foreign.status).toBe(403)
  expect((await orgKey('DELETE', await ticket())).status).toBe(204)
  expect(await (await orgKey('GET', await ticket())).json()).toMatchObject({ configured: false })
})

test('a key of the deployment cannot be replaced', async () => {
  const world = await openWorld({ planes: ['control'] })
  await using _world = world
  const { body } = await world.call('POST', '/gateways', { as: 'admin', body: { name: 'Team' } })
  await using pinned = await openGateway({
    env: { ...TEAM, SERVICE_GATEWAY_ORG_API_KEY: 'sk-deployment' },
    attach: { url: world.urls.control, serviceKey: body.service_key },
  })
  const { ticket } = (await world.call('POST', `/gateways/${body.gateway.id}/tickets`, { as: 'admin' })).body
  const answer = await pinned.send('/admin/org-key', {
    method: 'PUT',
    headers: { authorization: `Bearer ${ticket}`, 'content-type': 'application/json' },
    body: JSON.stringify({ value: 'sk-another-one' }),
  })
  expect([answer.status, (await answer.json()).error.code]).toEqual([409, 'org_key_pinned'])
})
