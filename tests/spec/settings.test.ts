import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { openWorld, type World } from '../support/world'

/** The settings of the specification's part 8 and what the interface adds: one row a key. */
interface Row {
  key: string
  /** `{base_url}` stands for the control plane's address. */
  default: unknown
  accepted: unknown[]
  refused: unknown[]
  env?: { variable: string; rule: 'pin' | 'cap'; text: string; value: unknown }
}

const MIB = 1024 * 1024
const registry = { id: 'ours', label: 'Ours', url: 'https://mcp.example.com' }

const TABLE: Row[] = [
  {
    key: 'tools.result_max_chars',
    default: 16_000,
    accepted: [1_000, 1_000_000],
    refused: [999, 1_000_001, 2_000.5, '2000'],
  },
  {
    key: 'telemetry.io_capture',
    default: 'full',
    accepted: ['off', 'metadata', 'full'],
    refused: ['FULL', 'everything', '', 1],
    env: { variable: 'SERVICE_IO_CAPTURE', rule: 'cap', text: 'metadata', value: 'metadata' },
  },
  {
    key: 'telemetry.io_capture_max_bytes',
    default: 262_144,
    accepted: [1_024, 10_485_760],
    refused: [1_023, 10_485_761],
    env: { variable: 'SERVICE_IO_CAPTURE_MAX_BYTES', rule: 'cap', text: '500000', value: 500_000 },
  },
  { key: 'telemetry.io_retention_days', default: 0, accepted: [0, 3_650], refused: [-1, 3_651, 1.5] },
  { key: 'telemetry.otlp_enabled', default: false, accepted: [true, false], refused: ['true', 1] },
  {
    key: 'telemetry.otlp_endpoint',
    default: null,
    accepted: ['http://localhost:4318', 'https://otel.example.com/v1'],
    refused: ['localhost:4318', 'ftp://otel.example.com', 'https://user:pass@otel.example.com', '', 4318],
    env: {
      variable: 'OTEL_EXPORTER_OTLP_ENDPOINT',
      rule: 'pin',
      text: 'http://collector:4318',
      value: 'http://collector:4318',
    },
  },
  {
    key: 'telemetry.otlp_headers',
    default: null,
    accepted: [{ Authorization: 'Bearer abc', 'X-Team': '' }],
    refused: [{}, [], 'Authorization: x', { 'bad name': 'x' }, { Authorization: 1 }, { A: 'two\nlines' }],
  },
  {
    key: 'telemetry.otlp_redact_attrs',
    default: [],
    accepted: [['gen_ai.request.model', 'service.run_id'], []],
    refused: ['gen_ai.request.model', [''], [1], Array(101).fill('a')],
    env: {
      variable: 'SERVICE_OTEL_REDACT_ATTRS',
      rule: 'pin',
      text: 'service.run_id, path/, ',
      value: ['service.run_id', 'path/'],
    },
  },
  {
    key: 'rag.chunk_max_tokens',
    default: 450,
    accepted: [50, 4_000],
    refused: [49, 4_001],
  },
  {
    key: 'rag.chunk_overlap_tokens',
    default: 60,
    accepted: [0, 1_000],
    refused: [-1, 1_001],
  },
  {
    key: 'rag.crawl_desired_concurrency',
    default: 2,
    accepted: [1, 16],
    refused: [0, 17],
  },
  {
    key: 'rag.crawl_max_concurrency',
    default: 4,
    accepted: [1, 32],
    refused: [0, 33],
  },
  {
    key: 'rag.max_upload_bytes',
    default: 50 * MIB,
    accepted: [MIB, 1024 * MIB],
    refused: [MIB - 1, 1024 * MIB + 1],
  },
  { key: 'rag.default_top_k', default: 5, accepted: [1, 50], refused: [0, 51] },
  {
    key: 'rag.default_embedding_model',
    default: null,
    accepted: ['nomic/embed:v1'],
    refused: ['', '  ', 'm'.repeat(201), 7],
  },
  {
    key: 'mcp.call_timeout_s',
    default: 120,
    accepted: [1, 3_600, 2.5],
    refused: [0.9, 3_601],
    env: { variable: 'SERVICE_MCP_CALL_TIMEOUT_S', rule: 'pin', text: '45', value: 45 },
  },
  { key: 'mcp.connect_timeout_s', default: 30, accepted: [1, 600], refused: [0, 601] },
  {
    key: 'mcp.extra_registries',
    default: [],
    accepted: [[registry], []],
    refused: [
      registry,
      [{ ...registry, url: 'mcp.example.com' }],
      [{ ...registry, id: 'Not an id' }],
      [{ ...registry, id: 'official' }],
      [{ ...registry, label: ' ' }],
      [{ ...registry, more: 1 }],
      [registry, registry],
    ],
    env: {
      variable: 'SERVICE_MCP_REGISTRIES',
      rule: 'pin',
      text: JSON.stringify([registry]),
      value: [registry],
    },
  },
  {
    key: 'mcp.oauth_redirect_url',
    default: '{base_url}/mcp/oauth/callback',
    accepted: ['https://tycho.example.com/mcp/oauth/callback'],
    refused: ['/mcp/oauth/callback', ''],
    env: {
      variable: 'SERVICE_OAUTH_REDIRECT_URL',
      rule: 'pin',
      text: 'https://tycho.example.com/o',
      value: 'https://tycho.example.com/o',
    },
  },
  { key: 'auth.session_ttl_hours', default: 168, accepted: [1, 8_760], refused: [0, 8_761] },
  {
    key: 'auth.oidc_redirect_url',
    default: '{base_url}/auth/oidc/callback',
    accepted: ['https://tycho.example.com/auth/oidc/callback'],
    refused: ['javascript:alert(1)', ''],
    env: {
      variable: 'SERVICE_OIDC_REDIRECT_URL',
      rule: 'pin',
      text: 'https://tycho.example.com/s',
      value: 'https://tycho.example.com/s',
    },
  },
  { key: 'ai_gateway.request_retention_days', default: 90, accepted: [0, 3_650], refused: [-1, 3_651] },
]

const settingsOf = async (world: World) => {
  const { body } = await world.call('GET', '/settings', { as: 'admin' })
  return new Map<string, Record<string, unknown>>(
    body.settings.map((entry: { key: string }) => [entry.key, entry]),
  )
}
const patch = (world: World, body: object) => world.call('PATCH', '/settings', { as: 'admin', body })

describe('without any variable', () => {
  let world: World
  beforeAll(async () => {
    world = await openWorld()
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test('the settings are those of the table and no others', async () => {
    expect([...(await settingsOf(world)).keys()]).toEqual(TABLE.map(({ key }) => key))
  })

  test.each(TABLE)('$key has its default, which nothing but the default gives', async (row) => {
    const expected =
      typeof row.default === 'string' ? row.default.replace('{base_url}', world.urls.control) : row.default
    const secret = row.key === 'telemetry.otlp_headers'
    expect((await settingsOf(world)).get(row.key)).toMatchObject({
      value: secret ? { set: false, names: [] } : expected,
      default: expected,
      stored_value: null,
      source: 'default',
      env_var: row.env?.variable ?? null,
      env_pinned: false,
      env_capped: false,
      env_cap_value: null,
      stored_invalid: false,
      restart_pending: false,
    })
  })

  test.each(TABLE)('$key takes what is in its range', async ({ key, accepted }) => {
    for (const value of accepted) {
      const { status, body } = await patch(world, { [key]: value })
      expect({ value, status, apply_errors: body.apply_errors }).toEqual({
        value,
        status: 200,
        apply_errors: {},
      })
      const entry = (await settingsOf(world)).get(key)
      const shown =
        key === 'telemetry.otlp_headers' ? { set: true, names: Object.keys(value as object) } : value
      expect(entry).toMatchObject({ value: shown, stored_value: shown, source: 'stored' })
    }
    await patch(world, { [key]: null })
    expect((await settingsOf(world)).get(key)).toMatchObject({ stored_value: null, source: 'default' })
  })

  test.each(TABLE)('$key refuses what is just outside it', async ({ key, refused }) => {
    for (const value of refused) {
      const { status, body } = await patch(world, { [key]: value })
      expect({ value, status, code: body.error?.code }).toEqual({
        value,
        status: 422,
        code: 'invalid_setting',
      })
      expect(body.error.message).toContain(key)
    }
    expect((await settingsOf(world)).get(key)).toMatchObject({ stored_value: null, source: 'default' })
  })
})

describe('with every variable set', () => {
  const fromEnvironment = TABLE.filter((row) => row.env)
  const pins = fromEnvironment.filter((row) => row.env!.rule === 'pin')
  const caps = fromEnvironment.filter((row) => row.env!.rule === 'cap')
  let world: World
  beforeAll(async () => {
    world = await openWorld({
      env: Object.fromEntries(fromEnvironment.map(({ env }) => [env!.variable, env!.text])),
    })
  })
  afterAll(() => world[Symbol.asyncDispose]())

  test.each(pins)('$env.variable pins $key, and it cannot be written', async ({ key, accepted, env }) => {
    expect((await settingsOf(world)).get(key)).toMatchObject({
      value: env!.value,
      source: 'env',
      env_pinned: true,
      env_capped: false,
      env_cap_value: null,
    })
    for (const value of [accepted[0], env!.value, null]) {
      const { status, body } = await patch(world, { [key]: value })
      expect([status, body.error?.code]).toEqual([422, 'invalid_setting'])
      expect(body.error.message).toContain(key)
    }
    expect((await settingsOf(world)).get(key)).toMatchObject({ value: env!.value, stored_value: null })
  })

  test.each(caps)('$env.variable is the most that $key may be', async ({ key, env, accepted }) => {
    const shown = { env_pinned: false, env_capped: true, env_cap_value: env!.value }
    const most = env!.value
    expect((await settingsOf(world)).get(key)).toMatchObject({ ...shown, value: most, source: 'env' })

    expect((await patch(world, { [key]: accepted[0] })).status).toBe(200)
    expect((await settingsOf(world)).get(key)).toMatchObject({
      ...shown,
      value: accepted[0],
      source: 'stored',
    })
    expect((await patch(world, { [key]: most })).status).toBe(200)

    const above = await patch(world, { [key]: accepted.at(-1) })
    expect([above.status, above.body.error?.code]).toEqual([422, 'invalid_setting'])
    expect(above.body.error.message).toContain(key)

    expect((await patch(world, { [key]: null })).status).toBe(200)
    expect((await settingsOf(world)).get(key)).toMatchObject({ ...shown, value: most, source: 'env' })
  })

  test('an endpoint in the environment turns the export on, until somebody turns it off', async () => {
    expect((await settingsOf(world)).get('telemetry.otlp_enabled')).toMatchObject({
      value: true,
      default: true,
      source: 'default',
    })
    await patch(world, { 'telemetry.otlp_enabled': false })
    expect((await settingsOf(world)).get('telemetry.otlp_enabled')).toMatchObject({
      value: false,
      source: 'stored',
    })
  })
})
