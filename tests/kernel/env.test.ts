import { describe, expect, test } from 'bun:test'
import { defaultDataDir, EnvironmentError, environmentSecret, readEnv, VARIABLES } from '#kernel/env'

const problemsOf = (source: Record<string, string>): string[] => {
  try {
    readEnv(source)
    return []
  } catch (error) {
    return (error as EnvironmentError).problems
  }
}

test('everything that is wrong is said at once, each with its variable and without its value', () => {
  const problems = problemsOf({
    SERVICE_CONTROL_PLANE_PORT: 'eighty-eighty',
    SERVICE_DURABLE: 'perhaps-later',
    SERVICE_INFERENCE_PLANE_URL: 'ftp://hunter2@example.com/v1',
    SERVICE_TOPOLOGY: 'hosted',
  })
  expect(problems).toEqual([
    'SERVICE_CONTROL_PLANE_PORT must be a whole number from 0 to 65535.',
    'SERVICE_INFERENCE_PLANE_URL must be an http or https URL without a user name or password.',
    'SERVICE_DURABLE must be true or false.',
  ])
  expect(new EnvironmentError(problems).message.split('\n')).toEqual(problems)
})

test('an empty variable, and one of spaces, is unset', () => {
  const unset = readEnv({})
  for (const empty of ['', '  ']) {
    expect(readEnv(Object.fromEntries(Object.keys(VARIABLES).map((name) => [name, empty])))).toEqual(unset)
  }
})

test('without any variable the listeners, the bind address and the level are the documented ones', () => {
  expect(readEnv({})).toMatchObject({
    SERVICE_HOST: '127.0.0.1',
    SERVICE_GATEWAY_HOST: '127.0.0.1',
    SERVICE_CONTROL_PLANE_PORT: 8080,
    SERVICE_INFERENCE_PLANE_PORT: 8081,
    SERVICE_GATEWAY_PORT: 8082,
    SERVICE_INTERFACE_PORT: 5174,
    SERVICE_TOPOLOGY: 'local',
    SERVICE_LOG_LEVEL: 'info',
    SERVICE_DURABLE: undefined,
    DATABASE_URL: undefined,
    SERVICE_CORS_ORIGINS: undefined,
  })
})

const REGISTRY = { id: 'ours', label: 'Ours', url: 'https://mcp.example.com' }

describe('what a variable takes', () => {
  test.each([
    ['SERVICE_CONTROL_PLANE_PORT', '0', 0],
    ['SERVICE_CONTROL_PLANE_PORT', '65535', 65_535],
    ['SERVICE_CONTROL_PLANE_PORT', ' 9000 ', 9_000],
    ['SERVICE_IO_CAPTURE_MAX_BYTES', '1024', 1_024],
    ['SERVICE_IO_CAPTURE_MAX_BYTES', '10485760', 10_485_760],
    ['SERVICE_CATALOG_URL', 'https://hub.example.com/', 'https://hub.example.com'],
    ['SERVICE_CATALOG_URL', 'file:///srv/models', 'file:///srv/models'],
    ['SERVICE_MAX_RESIDENT', '16', 16],
    ['SERVICE_MCP_CALL_TIMEOUT_S', '1', 1],
    ['SERVICE_MCP_CALL_TIMEOUT_S', '2.5', 2.5],
    ['SERVICE_MCP_CALL_TIMEOUT_S', '3600', 3_600],
    ...['true', '1', 'yes', 'on', 'TRUE'].map((text) => ['SERVICE_DURABLE', text, true]),
    ...['false', '0', 'no', 'off'].map((text) => ['SERVICE_DURABLE', text, false]),
    ['SERVICE_IO_CAPTURE', 'metadata', 'metadata'],
    ['SERVICE_LOG_LEVEL', 'WARN', 'warn'],
    ['SERVICE_INFERENCE_PLANE_URL', 'http://10.0.0.7:8081/v1/', 'http://10.0.0.7:8081/v1'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'https://otel.example.com//', 'https://otel.example.com'],
    [
      'SERVICE_CORS_ORIGINS',
      'http://localhost:5174/, HTTPS://Tycho.example.com:443',
      ['http://localhost:5174', 'https://tycho.example.com'],
    ],
    ['SERVICE_OTEL_REDACT_ATTRS', ' a.b ,c/ ,,', ['a.b', 'c/']],
    ['SERVICE_OTEL_REDACT_ATTRS', ',', []],
    ['SERVICE_MCP_REGISTRIES', '[]', []],
    ['SERVICE_MCP_REGISTRIES', JSON.stringify([REGISTRY]), [REGISTRY]],
    ['SERVICE_SECRET_KEY', 'new, old', 'new, old'],
    ['SERVICE_DATA_DIR', '/data/with space', '/data/with space'],
  ] as [keyof typeof VARIABLES, string, unknown][])('%s=%s', (name, text, value) => {
    expect(readEnv({ [name]: text })[name]).toEqual(value as never)
  })
})

describe('what a variable refuses', () => {
  test.each([
    ['SERVICE_CONTROL_PLANE_PORT', ['-1', '65536', '80.5', '0x50', '1e3', '8080a']],
    ['SERVICE_IO_CAPTURE_MAX_BYTES', ['1023', '10485761', '2048.5']],
    ['SERVICE_MAX_RESIDENT', ['0', '17']],
    ['SERVICE_MCP_CALL_TIMEOUT_S', ['0.9', '3600.1', '1e2', '-5', 'Infinity']],
    ['SERVICE_DURABLE', ['2', 'maybe', 'enabled']],
    ['SERVICE_TOPOLOGY', ['cloud']],
    ['SERVICE_IO_CAPTURE', ['all']],
    ['SERVICE_LOG_LEVEL', ['loud']],
    ['SERVICE_INFERENCE_PLANE_URL', ['localhost:8081/v1', 'http://localhost:8081', 'http://a:b@host/v1']],
    [
      'SERVICE_CATALOG_URL',
      [
        'huggingface.co',
        'https://huggingface.co/api',
        'file://',
        'ftp://hub',
        'https://a:b@hub',
        'https://hub/?x',
      ],
    ],
    ['SERVICE_OAUTH_REDIRECT_URL', ['/mcp/oauth/callback', 'javascript:alert(1)']],
    ['SERVICE_CORS_ORIGINS', ['*', 'localhost:5174', 'http://localhost:5174/app', 'http://a, null']],
    ['SERVICE_SECRET_KEY', [',', ' , ']],
    [
      'SERVICE_MCP_REGISTRIES',
      [
        'https://mcp.example.com',
        JSON.stringify(REGISTRY),
        JSON.stringify([{ ...REGISTRY, url: 'mcp' }]),
        JSON.stringify([{ ...REGISTRY, id: 'github' }]),
        JSON.stringify([REGISTRY, REGISTRY]),
      ],
    ],
  ])('%s', (name, texts) => {
    for (const text of texts) {
      expect({ text, problems: problemsOf({ [name]: text }) }).toEqual({
        text,
        problems: [expect.stringMatching(new RegExp(`^${name} must .+\\.$`))],
      })
    }
  })
})

test('the documented ranges are those that count', () => {
  for (const [name, { type }] of Object.entries(VARIABLES)) {
    const [, min, max] = /^(\d+) to (\d+)$/.exec(type) ?? []
    if (min === undefined) continue
    expect(problemsOf({ [name]: min })).toEqual([])
    expect(problemsOf({ [name]: max! })).toEqual([])
    expect(problemsOf({ [name]: String(Number(min) - 1) })).toHaveLength(1)
    expect(problemsOf({ [name]: String(Number(max) + 1) })).toHaveLength(1)
  }
})

test('every variable of ours that the code names is in the table', async () => {
  const unknown: string[] = []
  for await (const file of new Bun.Glob('{src,engines,ui}/**/*.{ts,tsx}').scan('.')) {
    const names = (await Bun.file(file).text()).match(/\b(?:SERVICE|OTEL)_[A-Z][A-Z_]*[A-Z]\b/g) ?? []
    for (const name of names) if (!Object.hasOwn(VARIABLES, name)) unknown.push(`${file}: ${name}`)
  }
  expect(unknown).toEqual([])
})

test('a model may be given a secret of the environment, but none of our own', () => {
  const source = {
    OPENAI_API_KEY: 'sk-1',
    SERVICE_SECRET_KEY: 'ours',
    service_secret_key: 'ours',
    DATABASE_URL: 'postgres://a:b@c/d',
    EMPTY: '',
  }
  expect(environmentSecret('OPENAI_API_KEY', source)).toBe('sk-1')
  for (const name of [
    'SERVICE_SECRET_KEY',
    'service_secret_key',
    'DATABASE_URL',
    'EMPTY',
    'MISSING',
    'constructor',
  ]) {
    expect(environmentSecret(name, source)).toBeUndefined()
  }
})

test.if(process.platform === 'linux')('the data folder is where the system keeps data of programs', () => {
  expect(defaultDataDir({ XDG_DATA_HOME: '/x' })).toBe('/x/tycho')
  expect(defaultDataDir({})).toEndWith('/.local/share/tycho')
})
