import { beforeAll, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { archived, type Line, refilled, requestLine } from '../support/gateway-records'
import { eachDatabase } from '../support/world'

const DAY = '2026-11-10'
const at = (hour: number, minute = 0) => Date.UTC(2026, 10, 10, hour, minute)
/** The retention of these tests is a day. */
const AFTER = Date.UTC(2026, 10, 12)
const PRICE = {
  model: 'claude-test*',
  input: 3,
  cache_read: 0.3,
  cache_write_5m: 3.75,
  cache_write_1h: 6,
  output: 15,
}

eachDatabase((world) => {
  let key: string
  let gateway: string
  let seq = 0
  let epoch = 'e0'

  const call = (method: string, path: string, body?: unknown, as: 'admin' | 'viewer' = 'admin') =>
    world().call(method, path, { as, body })
  const deliver = (lines: (Line | string)[], headers: Record<string, string> = {}) =>
    world().call('POST', '/gateway/records', {
      as: { token: key },
      headers: { 'content-type': 'application/x-ndjson', ...headers },
      body: `${lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n')}\n`,
    })
  const line = (more: Parameters<typeof requestLine>[0] = {}) =>
    requestLine({ epoch, seq: ++seq, time: { at: at(9) }, ...more })
  const report = async (query: string, as: 'admin' | 'viewer' = 'admin') =>
    (await call('GET', `/gateway/reports?from=${DAY}&to=2026-11-11&${query}`, undefined, as)).body

  beforeAll(async () => {
    const made = await call('POST', '/gateways', { name: 'Office' })
    expect(made.status).toBe(201)
    key = made.body.service_key
    gateway = made.body.gateway.id
    await call('GET', '/gateways', undefined, 'viewer')
  }, 60_000)

  test('a gateway is made with a key that is shown once, renamed, switched off and removed', async () => {
    const { body } = await call('POST', '/gateways', { name: ' Lab ' })
    expect(body.service_key).toStartWith('tygs_')
    expect(body.gateway).toMatchObject({
      name: 'Lab',
      enabled: true,
      online: false,
      config_version: 0,
      observer: false,
    })
    const listed = (await call('GET', '/gateways')).body.gateways.find(
      (one: { id: string }) => one.id === body.gateway.id,
    )
    expect(JSON.stringify(listed)).not.toContain(body.service_key.slice(20))
    expect(
      (await call('PATCH', `/gateways/${body.gateway.id}`, { enabled: false, name: 'Old lab' })).body,
    ).toMatchObject({
      enabled: false,
      name: 'Old lab',
    })
    const off = await world().call('GET', '/gateway/keys', { as: { token: body.service_key } })
    expect([off.status, off.body.error.code]).toEqual([401, 'unauthorized'])
    expect((await call('DELETE', `/gateways/${body.gateway.id}`)).status).toBe(204)
    expect((await call('DELETE', `/gateways/${body.gateway.id}`)).body.error.code).toBe('gateway_not_found')
  })

  test('a configuration has a version, and is told only when it changed', async () => {
    const fetched = (known?: string) =>
      world().call('GET', '/gateway/config', {
        as: { token: key },
        headers: known ? { 'if-none-match': known } : {},
      })
    expect((await fetched()).status).toBe(204)
    const saved = await call('PUT', `/gateways/${gateway}/config`, { observer: true })
    expect(saved.body).toMatchObject({ config_version: 1, observer: true, record_level: 'metadata' })
    const first = await fetched()
    expect([first.status, first.headers.get('etag'), first.body.config_version]).toEqual([200, '"1"', 1])
    expect((await fetched('"1"')).status).toBe(304)
    const bad = await call('PUT', `/gateways/${gateway}/config`, {
      observer: true,
      redact_rules: { patterns: ['(?=x)'] },
    })
    expect([bad.status, bad.body.error.code]).toEqual([422, 'invalid_gateway_config'])
  })

  test('developers get keys; gateways get digests of those that open', async () => {
    const userId = (await call('POST', '/users', { username: 'keyholder', role: 'viewer' })).body.id
    const made = await call('POST', '/gateway-keys', { user_id: userId, billing: 'own', name: 'laptop' })
    expect(made.status).toBe(201)
    expect(made.body.token).toStartWith('tygk_')
    const digests = async () => (await world().call('GET', '/gateway/keys', { as: { token: key } })).body
    const before = await digests()
    expect(before.keys).toMatchObject([
      { id: made.body.key.id, developer_id: userId, billing: 'own', enabled: true },
    ])
    expect(before.keys[0].digest).toBe(new Bun.CryptoHasher('sha256').update(made.body.token).digest('hex'))
    expect((await call('GET', '/gateway-keys')).body.keys).toHaveLength(1)
    expect((await call('GET', '/gateway-keys', undefined, 'viewer')).body.keys).toEqual([])
    expect((await call('POST', '/gateway-keys', { user_id: userId, billing: 'own' }, 'viewer')).status).toBe(
      403,
    )
    await call('PATCH', `/gateway-keys/${made.body.key.id}`, { enabled: false })
    const after = await digests()
    expect(after.keys).toEqual([])
    expect(after.keys_version).not.toBe(before.keys_version)
    await call('PATCH', `/gateway-keys/${made.body.key.id}`, { enabled: true })
    await call('PATCH', `/users/${userId}`, { disabled: true })
    expect((await digests()).keys).toEqual([])
    await call('PATCH', `/users/${userId}`, { disabled: false })
    expect(
      (await call('POST', '/gateway-keys', { user_id: 'usr_none', billing: 'own' })).body.error.code,
    ).toBe('user_not_found')
  })

  test('a heartbeat is shown with what it tells, and answered with what is current', async () => {
    const heartbeat = {
      gateway_id: 'gtw_x',
      version: 'other',
      mode: 'team',
      config_version: 1,
      keys_version: 'old',
      started_at: new Date().toISOString(),
      org_key_source: 'none',
      queue: { records: 3, bytes: 900, oldest_at: null, dropped: 0, bad: 0 },
      refusals: { gateway_key_missing: 4 },
      requests: 12,
    }
    const send = () => world().call('POST', '/gateway/heartbeat', { as: { token: key }, body: heartbeat })
    expect((await send()).body).toMatchObject({ config_version: 1 })
    await send()
    const { body } = await call('GET', '/gateways')
    expect(body.gateways.find((one: { id: string }) => one.id === gateway)).toMatchObject({
      online: true,
      config_current: true,
      keys_current: false,
      version_differs: true,
      heartbeat: { queue: { records: 3 } },
      refusals: { gateway_key_missing: 8 },
    })
  })

  test('a ticket opens once, and only at its gateway', async () => {
    const other = (await call('POST', '/gateways', { name: 'Other' })).body
    const { ticket } = (await call('POST', `/gateways/${gateway}/tickets`)).body
    const verify = (token: string) =>
      world().call('POST', '/gateway/tickets:verify', { as: { token }, body: { ticket } })
    expect((await verify(other.service_key)).body.error.code).toBe('invalid_ticket')
    expect((await verify(key)).body).toMatchObject({ role: 'admin' })
    expect((await verify(key)).status).toBe(401)
  })

  test('records are taken once, whatever comes again, and bad lines use up their number', async () => {
    epoch = 'once'
    seq = 0
    const batch = [line(), line(), '{"v":1,"epoch":"once","seq":3}', 'no json', line({ seq: 4 })]
    seq = 4
    const first = await deliver(batch)
    expect(first.body).toEqual({
      accepted: 3,
      duplicates: 0,
      rejected: [
        { seq: 3, code: 'invalid_record' },
        { seq: null, code: 'invalid_json' },
      ],
    })
    expect((await deliver(batch)).body).toMatchObject({ accepted: 0, duplicates: 4 })
    expect((await deliver([...batch, line()])).body).toMatchObject({ accepted: 1, duplicates: 4 })
    expect((await report('group_by=day')).totals).toMatchObject({ requests: 4 })
    const packed = gzipSync(`${JSON.stringify(line())}\n`)
    const zipped = await world().call('POST', '/gateway/records', {
      as: { token: key },
      headers: { 'content-encoding': 'gzip' },
      body: new Uint8Array(packed),
    })
    expect(zipped.body.accepted).toBe(1)
    expect((await deliver([line()], { 'content-encoding': 'gzip' })).body.error.code).toBe('invalid_request')
  })

  test('two deliveries of the same batch at once count once', async () => {
    epoch = 'race'
    seq = 0
    const before = (await report('')).totals.requests
    const batch = Array.from({ length: 40 }, () => line())
    const answers = await Promise.all([deliver(batch), deliver(batch), deliver(batch)])
    expect(answers.map(({ body }) => body.accepted).sort()).toEqual([0, 0, 40])
    expect((await report('')).totals.requests).toBe(before + 40)
  })

  test('reports add up in every grouping, with sessions counted once', async () => {
    epoch = 'sums'
    seq = 0
    await deliver([
      line({ project: { name: 'sums', source: 'cwd' }, session_id: 'a', response: { model: 'm1' } }),
      line({
        project: { name: 'sums', source: 'cwd' },
        session_id: 'a',
        response: { model: 'm2', status: 529 },
        attempt: 2,
      }),
      line({
        project: { name: 'sums', source: 'cwd' },
        session_id: 'b',
        response: { model: 'm2', ended: 'client_abort' },
      }),
      line({
        project: { name: 'sums', source: 'cwd' },
        session_id: 'b',
        response: { model: 'm2', ended: 'stream_error' },
      }),
    ])
    const whole = await report('group_by=project&project=sums')
    expect(whole.rows).toHaveLength(1)
    expect(whole.rows[0]).toMatchObject({
      project: 'sums',
      requests: 4,
      sessions: 2,
      turns: 3,
      errors: 2,
      retries: 1,
      aborts: 1,
      input: 40,
      cache_read: 1600,
      output: 100,
      unpriced: 4,
      cost: 0,
      errors_by_class: { overloaded: 1, stream: 1, server: 0 },
    })
    expect(whole.rows[0].cache_hit_share).toBeCloseTo(1600 / (40 + 1600 + 80 + 40))
    const byModel = await report('group_by=model,project&project=sums')
    expect(
      byModel.rows.map(({ model, requests, sessions }: Record<string, unknown>) => [
        model,
        requests,
        sessions,
      ]),
    ).toEqual([
      ['m2', 3, 2],
      ['m1', 1, 1],
    ])
    expect(byModel.totals.sessions).toBe(2)
    expect(byModel.rows[0].total_p50_ms).toBeWithin(450, 1_100)
    for (const bad of ['group_by=colour', 'group_by=day,model,client,status', 'from=2026-99-99']) {
      const { body } = await call('GET', `/gateway/reports?${bad}`)
      expect(body.error.code).toBe('invalid_report')
    }
    const { tools } = (await call('GET', `/gateway/tools?from=${DAY}&to=2026-11-11&project=sums`)).body
    expect(tools).toEqual([{ tool: 'Bash', calls: 4, errors: 3, error_share: 0.75, result_bytes: 360 }])
  })

  test('a viewer sees what is theirs', async () => {
    epoch = 'mine'
    seq = 0
    const mine = (await call('GET', '/auth/me', undefined, 'viewer')).body.user.id
    await deliver([
      line({ developer_id: mine, session_id: 'mine' }),
      line({ developer_id: 'usr_other', session_id: 'theirs' }),
    ])
    expect((await report('', 'viewer')).totals).toMatchObject({ requests: 1, sessions: 1 })
    const list = (await call('GET', '/gateway/sessions', undefined, 'viewer')).body.sessions
    expect(list.map(({ id }: { id: string }) => id)).toEqual(['mine'])
    expect((await call('GET', '/gateway/sessions/theirs', undefined, 'viewer')).status).toBe(404)
    expect((await call('GET', '/gateway/archives', undefined, 'viewer')).status).toBe(403)
  })

  test('a session is told as turns of agents, with what each tool returned', async () => {
    epoch = 'time'
    seq = 0
    const of = (minute: number, more: Parameters<typeof requestLine>[0]) =>
      line({ session_id: 'story', time: { at: at(12, minute) }, ...more })
    await deliver([
      of(0, {
        turn_key: 't1',
        response: { tools_used: [{ id: 'x1', name: 'Task', bytes: 4 }] },
        request: { tool_results: [] },
      }),
      of(1, {
        turn_key: 'g1',
        agent_id: 'sub',
        response: { status: 529, tools_used: [] },
        request: { tool_results: [] },
      }),
      of(2, {
        turn_key: 'g1',
        agent_id: 'sub',
        attempt: 2,
        response: { tools_used: [] },
        request: { tool_results: [] },
      }),
      of(3, {
        turn_key: 'd1',
        agent_id: 'deep',
        parent_agent_id: 'sub',
        response: { tools_used: [] },
        request: { tool_results: [] },
      }),
      of(4, {
        turn_key: 't2',
        response: { tools_used: [] },
        request: { tool_results: [{ id: 'x1', name: 'Task', bytes: 77, is_error: true }] },
      }),
    ])
    const { body } = await call('GET', '/gateway/sessions/story')
    expect(body.session).toMatchObject({
      requests: 5,
      turns: 4,
      retries: 1,
      agent_requests: 3,
      archived: false,
    })
    expect(body.agents.map(({ agent_id, depth }: Record<string, unknown>) => [agent_id, depth])).toEqual([
      [null, 0],
      ['sub', 1],
      ['deep', 2],
    ])
    expect(body.agents[0].turns.map(({ turn_key }: Record<string, unknown>) => turn_key)).toEqual([
      't1',
      't2',
    ])
    expect(body.agents[0].turns[0].requests[0].tools).toEqual([
      { id: 'x1', name: 'Task', bytes: 4, result_bytes: 77, is_error: true },
    ])
    expect(
      body.agents[1].turns[0].requests.map(({ attempt, status }: Record<string, unknown>) => [
        attempt,
        status,
      ]),
    ).toEqual([
      [1, 529],
      [2, 200],
    ])
    const page = (await call('GET', '/gateway/sessions/story?limit=2')).body
    const rest = (await call('GET', `/gateway/sessions/story?after=${page.next}`)).body
    expect(rest.agents.flatMap((agent: { turns: unknown[] }) => agent.turns)).toHaveLength(3)
    const [{ id }] = body.agents[0].turns[0].requests
    expect((await call('GET', `/gateway/sessions/story/requests/${id}`)).body).toMatchObject({
      seq: 1,
      turn_key: 't1',
    })
  })

  test('prices count from when they are saved, and for what was recorded when asked', async () => {
    epoch = 'price'
    seq = 0
    const of = { project: { name: 'priced', source: 'cwd' as const }, session_id: 'priced' }
    await deliver([line(of), line({ ...of, response: { model: 'nobody-knows' } })])
    const figures = async () => (await report('group_by=project&project=priced')).rows[0]
    expect(await figures()).toMatchObject({ cost: 0, unpriced: 2 })
    expect((await call('PUT', '/gateway-prices', { prices: [PRICE] })).body).toMatchObject({ version: 1 })
    await deliver([line(of)])
    const each = (10 * 3 + 400 * 0.3 + 20 * 3.75 + 10 * 6 + 25 * 15) / 1e6
    expect((await figures()).cost).toBeCloseTo(each, 12)
    expect((await call('POST', '/gateway-prices:reprice')).body).toMatchObject({ version: 1 })
    expect((await figures()).cost).toBeCloseTo(2 * each, 12)
    expect(await figures()).toMatchObject({ unpriced: 1 })
    const [fewer, whole] = [await report('group_by=day'), await report('group_by=status')]
    expect(fewer.totals.cost).toBeCloseTo(whole.totals.cost, 9)
    expect(fewer.totals.unpriced).toBe(whole.totals.unpriced)
    const { body } = await call('GET', '/gateway/sessions/priced')
    expect(body.session.cost).toBeCloseTo(2 * each, 12)
    expect(
      body.agents[0].turns.flatMap((turn: { requests: { cost: number | null }[] }) =>
        turn.requests.map(({ cost }) => cost === null),
      ),
    ).toEqual([false, true, false])
    expect((await call('PUT', '/gateway-prices', { prices: [PRICE, PRICE] })).body.error.code).toBe(
      'invalid_request',
    )
  })

  test('totals of fewer dimensions say what those behind them say, also those that a migration made', async () => {
    epoch = 'fewer'
    seq = 0
    const [shop, web] = ['fewer shop', 'fewer web'].map((name) => ({ name, source: 'cwd' as const }))
    await deliver([
      line({ project: shop, session_id: 'f1', developer_id: 'usr_f' }),
      line({ project: shop, session_id: 'f1', developer_id: 'usr_f', response: { status: 429 } }),
      line({ project: web, session_id: 'f1', developer_id: 'usr_f', response: { model: 'm9', status: 503 } }),
      line({ project: shop, session_id: 'f2', developer_id: 'usr_f', response: { ended: 'upstream_error' } }),
    ])
    // `client` and `status` are in the whole totals only.
    const pairs = [
      ['group_by=day', 'group_by=status'],
      ['group_by=developer&developer=usr_f', 'group_by=client&developer=usr_f'],
      ['group_by=project,model&project=fewer shop', 'group_by=status&project=fewer shop'],
      ['group_by=model&model=m9', 'group_by=client,gateway&model=m9'],
    ]
    const all = async () => Promise.all(pairs.flat().map(async (query) => await report(query)))
    const before = await all()
    for (let at = 0; at < before.length; at += 2) expect(before[at].totals).toEqual(before[at + 1].totals)
    expect(before[2].totals).toMatchObject({ requests: 4, sessions: 2, errors: 3 })
    expect(before[4].rows).toMatchObject([
      { model: 'claude-test-1', requests: 3, sessions: 2, cost: expect.any(Number) },
    ])
    expect(before[4].totals.errors_by_class).toMatchObject({ rate_limit: 1, server: 0, stream: 1 })
    expect(before[6].totals).toMatchObject({ requests: 1, sessions: 1, unpriced: 1 })
    await refilled(world())
    const after = await all()
    for (const [at, { totals, rows }] of after.entries()) {
      expect(totals.cost).toBeCloseTo(before[at].totals.cost, 9)
      expect({ ...totals, cost: 0 }).toEqual({ ...before[at].totals, cost: 0 })
      expect(rows).toHaveLength(before[at].rows.length)
    }
  })

  test('a hole is told, and a clock that is wrong counts for today', async () => {
    epoch = 'odd'
    seq = 0
    await deliver([
      { v: 1, type: 'gap', id: 'gwr_gap', epoch, seq: ++seq, from: at(10), to: at(11), dropped: 7 } as never,
      line({ time: { at: Date.UTC(2199, 0, 1) }, project: { name: 'future', source: 'cwd' } }),
    ])
    expect((await report('')).gaps).toMatchObject([{ gateway, dropped: 7 }])
    const today = new Date().toISOString().slice(0, 10)
    const { body } = await call('GET', `/gateway/reports?from=${today}&project=future`)
    expect(body.totals.requests).toBe(1)
  })

  test('days over their time move to archives; reports stay, timelines go, late records are another part', async () => {
    epoch = 'archive'
    seq = 0
    const before = await report('group_by=model,status,project')
    expect(before.totals.requests).toBeGreaterThan(50)
    await call('PATCH', '/settings', { 'ai_gateway.request_retention_days': 1 })
    expect(await archived(world(), AFTER, DAY)).toBe(0)
    expect(await report('group_by=model,status,project')).toEqual(before)
    expect((await call('GET', '/gateway/sessions/story')).body).toMatchObject({
      session: { archived: true },
      agents: [],
    })
    const { body } = await call('GET', '/gateway/archives')
    expect(body.archives).toMatchObject([{ day: DAY, parts: 1, requests: before.totals.requests }])
    const file = await call('GET', `/gateway/archives/${DAY}`)
    const lines = String(file.body).trim().split('\n')
    expect(lines).toHaveLength(body.archives[0].rows)
    expect(lines.filter((text) => JSON.parse(text).session_id === 'story')).toHaveLength(5)
    await deliver([line({ session_id: 'late' })])
    expect(await archived(world(), AFTER, DAY)).toBe(0)
    expect((await call('GET', '/gateway/archives')).body.archives).toMatchObject([{ day: DAY, parts: 2 }])
    expect((await report('')).totals.requests).toBe(before.totals.requests + 1)
    expect((await call('GET', '/gateway/archives/2020-01-01')).body.error.code).toBe('archive_not_found')
  })
})
