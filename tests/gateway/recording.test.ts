import { afterAll, beforeAll, expect, test } from 'bun:test'
import {
  ANTHROPIC_STREAM,
  anthropicMessage,
  CHAT_STREAM,
  RESPONSES_STREAM,
  streamOf,
} from '../support/fake-upstream'
import { openGateway, type RecordLine, type TestGateway, until } from '../support/gateway'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await openGateway({
    config: { record_level: 'full', redact_rules: { keys: ['password'], patterns: ['ACME-\\d+'] } },
  })
})
afterAll(() => gateway[Symbol.asyncDispose]())

const CLAUDE = { 'user-agent': 'claude-cli/2.1.329 (external, sdk-cli)', 'x-claude-code-session-id': 's1' }
const CODEX = {
  'user-agent': 'codex_exec/0.169.0 (Linux)',
  originator: 'codex_exec',
  'session-id': 'c1',
  'thread-id': 'c1',
}
/** Some text came. */
const BROKEN_OFF = ANTHROPIC_STREAM.slice(0, ANTHROPIC_STREAM.indexOf('event: content_block_stop'))
const hi = { role: 'user', content: 'hi' }

/** Sends a request and returns its record. */
async function recorded(
  path: string,
  body: unknown,
  headers: Record<string, string> = {},
  to = gateway,
): Promise<RecordLine> {
  const before = to.records().length
  const answer = await to.send(path, { method: 'POST', body: JSON.stringify(body), headers })
  await answer.arrayBuffer().catch(() => null)
  return until(() => to.records()[before])
}

test('nothing is written until an admin saved a configuration in observer mode', async () => {
  for (const config of [null, { observer: false }, { record_level: 'off' as const }]) {
    await using quiet = await openGateway({ config })
    await (await quiet.send('/v1/messages', { method: 'POST', body: '{}' })).text()
    expect((await (await quiet.send('/readyz')).json()).recording).toBe(false)
    expect(quiet.records()).toEqual([])
  }
})

test('a record of Claude Code: who, where, what was asked, what came', async () => {
  gateway.upstream.answers(() => streamOf([ANTHROPIC_STREAM], { 'request-id': 'req_9' }))
  const record = await recorded(
    '/v1/messages?beta=true&secret=1',
    {
      model: 'claude-x',
      stream: true,
      tools: [{}, {}],
      output_config: { effort: 'high' },
      metadata: { user_id: JSON.stringify({ device_id: 'd1', account_uuid: 'a', session_id: 's1' }) },
      messages: [
        hi,
        {
          role: 'system',
          content: [{ type: 'text', text: 'Env:\nPrimary working directory: /home/ada/shop\n' }],
        },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'Read', input: {} }] },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 't1', content: 'abc', is_error: true }],
        },
      ],
    },
    { ...CLAUDE, 'x-claude-code-agent-id': 'a1', 'x-claude-code-parent-agent-id': 'a0' },
  )
  expect(record).toMatchObject({
    client: 'claude-code',
    client_version: '2.1.329',
    entrypoint: 'sdk-cli',
    session_id: 's1',
    session_source: 'header',
    agent_id: 'a1',
    parent_agent_id: 'a0',
    attempt: 1,
    project: { name: 'shop', source: 'cwd' },
    request: {
      protocol: 'anthropic',
      kind: 'generate',
      path: '/v1/messages',
      model_requested: 'claude-x',
      stream: true,
      messages: 4,
      tools_offered: 2,
      effort: 'high',
      tool_results: [{ id: 't1', name: 'Read', bytes: 3, is_error: true }],
    },
    response: {
      status: 200,
      upstream_request_id: 'req_9',
      ended: 'complete',
      res_bytes: Buffer.byteLength(ANTHROPIC_STREAM),
    },
  })
  expect(record.device).toMatch(/^[0-9a-f]{32}$/)
  expect(record.time.ttfb_ms).toBeNumber()
  expect(record.time.ttft_ms).toBeNumber()
  expect(record).not.toHaveProperty('cost')
  expect(JSON.stringify(record)).not.toContain('secret=1')
})

test('a record of Codex: the session, the turn, the project come from headers', async () => {
  gateway.upstream.answers(() => streamOf([RESPONSES_STREAM]))
  const record = await recorded(
    '/v1/responses',
    {
      model: 'gpt-x',
      stream: true,
      reasoning: { effort: 'low' },
      input: [
        hi,
        { type: 'custom_tool_call', call_id: 'k1', name: 'apply_patch', input: 'x' },
        {
          type: 'custom_tool_call_output',
          call_id: 'k1',
          output: '{"output":"no","metadata":{"exit_code":1}}',
        },
      ],
    },
    {
      ...CODEX,
      'thread-id': 'c1-sub',
      'x-codex-turn-metadata': JSON.stringify({
        workspaces: {
          '/home/ada/web': {
            associated_remote_urls: { origin: 'https://ada:token@github.com/acme/web.git' },
          },
        },
      }),
    },
  )
  expect(record).toMatchObject({
    client: 'codex',
    client_version: '0.169.0',
    session_id: 'c1',
    agent_id: 'c1-sub',
    project: { name: 'web', remote: 'github.com/acme/web', source: 'remote' },
    request: {
      protocol: 'openai',
      effort: 'low',
      tool_results: [{ id: 'k1', name: 'apply_patch', is_error: true }],
    },
    response: {
      model: 'gpt-test-1',
      stop_reason: 'completed',
      tools_used: [{ id: 'call_1', name: 'shell', bytes: 18 }],
    },
    tokens: { input: 40, cache_read: 60, output: 20, reasoning: 5 },
  })
})

test('the project is found where Claude Code tells it to the model, however long its prompt is', async () => {
  gateway.upstream.answers(() => anthropicMessage())
  const prompt = 'Work in the current working directory. '.repeat(1_000)
  const system = [
    { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1.197;' },
    { type: 'text', text: `${prompt}\n - Primary working directory: /home/ada/shop\n - Platform: linux\n` },
  ]
  const { project } = await recorded('/v1/messages', { model: 'm', system, messages: [hi] }, CLAUDE)
  expect(project).toEqual({ name: 'shop', source: 'cwd' })
})

test.each([
  ['succeeded', 'Chunk ID: 5c\nProcess exited with code 0\nOutput:\nProcess exited with code 1\n', false],
  ['failed', 'Chunk ID: 5c\nWall time: 0.1 seconds\nProcess exited with code 127\nOutput:\nno\n', true],
  ['is still running', 'Process running with session ID 7\nOutput:\nProcess exited with code 1\n', false],
])('Codex says of a command that it %s', async (_, output, is_error) => {
  gateway.upstream.answers(() => streamOf([RESPONSES_STREAM]))
  const input = [
    hi,
    { type: 'function_call', call_id: 'k', name: 'exec_command', arguments: '{}' },
    { type: 'function_call_output', call_id: 'k', output },
  ]
  const { request } = await recorded('/v1/responses', { model: 'm', input }, CODEX)
  expect(request.tool_results).toMatchObject([{ name: 'exec_command', is_error }])
})

test('chat completions are read too, and answers without a stream', async () => {
  gateway.upstream.answers(() => streamOf([CHAT_STREAM]))
  expect(await recorded('/v1/chat/completions', { model: 'm', messages: [hi] })).toMatchObject({
    client: 'other',
    session_id: null,
    session_source: 'none',
    response: { stop_reason: 'tool_calls', tools_used: [{ id: 'call_1', name: 'look', bytes: 7 }] },
    tokens: { input: 42, cache_read: 8, output: 7 },
  })
  gateway.upstream.answers(() =>
    anthropicMessage({ content: [{ type: 'tool_use', id: 'x', name: 'Edit', input: { a: 1 } }] }),
  )
  expect(await recorded('/v1/messages', { model: 'm', messages: [hi] })).toMatchObject({
    response: { tools_used: [{ name: 'Edit', bytes: 7 }], stop_reason: 'end_turn' },
    tokens: { input: 10, output: 25 },
  })
})

test('a retry, a fallback without a stream and a ladder of smaller requests are one turn; the next one is another', async () => {
  const body = { model: 'm', messages: [{ role: 'user', content: [{ type: 'text', text: 'a new turn' }] }] }
  gateway.upstream.answers(() =>
    Response.json({ type: 'error', error: { type: 'overloaded_error', message: 'x' } }, { status: 529 }),
  )
  const first = await recorded('/v1/messages', { ...body, stream: true }, CLAUDE)
  expect(first.response).toMatchObject({ status: 529, error_type: 'overloaded_error', ended: 'complete' })
  gateway.upstream.answers(() =>
    streamOf([BROKEN_OFF, 'event: error\ndata: {"type":"error","error":{"type":"api_error"}}\n\n']),
  )
  const marked = [
    { role: 'user', content: [{ type: 'text', text: 'a new turn', cache_control: { type: 'ephemeral' } }] },
  ]
  const second = await recorded('/v1/messages', { ...body, messages: marked, stream: true, extra: 1 }, CLAUDE)
  expect(second.response).toMatchObject({ status: 200, ended: 'stream_error', error_type: 'api_error' })
  gateway.upstream.answers(() => anthropicMessage())
  const third = await recorded('/v1/messages', body, CLAUDE)
  expect([first, second, third].map(({ attempt }) => attempt)).toEqual([1, 2, 3])
  expect(new Set([first, second, third].map(({ turn_key }) => turn_key)).size).toBe(1)
  const next = await recorded('/v1/messages', { ...body, messages: [...body.messages, hi] }, CLAUDE)
  expect([next.attempt, next.turn_key === first.turn_key]).toEqual([1, false])
})

test('what is kept of what was said is what is new, without secrets, within its size', async () => {
  gateway.upstream.answers(() => anthropicMessage())
  const session = { ...CLAUDE, 'x-claude-code-session-id': 'content' }
  const said = {
    role: 'user',
    content: 'key sk-ant-REDACTME0123456789 and ACME-77',
    input: { password: 'hunter2' },
  }
  const first = await recorded('/v1/messages', { messages: [said] }, session)
  expect(first.content).toMatchObject({
    request_tail: [{ content: 'key [redacted] and [redacted]', input: { password: '[redacted]' } }],
    response: [{ type: 'text', text: 'Hello.' }],
    truncated: false,
    redactions: 3,
  })
  const second = await recorded(
    '/v1/messages',
    { messages: [said, { role: 'assistant', content: 'a' }, hi] },
    session,
  )
  expect(second.content?.request_tail).toEqual([{ role: 'assistant', content: 'a' }, hi])
  const long = await recorded(
    '/v1/messages',
    { messages: [{ role: 'user', content: 'x'.repeat(300_000) }] },
    { ...session, 'x-claude-code-session-id': 'long' },
  )
  expect(long.content?.truncated).toBe(true)
  expect(Buffer.byteLength(JSON.stringify(long.content))).toBeLessThan(66_000)
})

test('metadata holds nothing that was said', async () => {
  await using plain = await openGateway()
  plain.upstream.answers(() => streamOf([ANTHROPIC_STREAM]))
  const record = await recorded(
    '/v1/messages',
    { messages: [{ role: 'user', content: 'my own words' }] },
    CLAUDE,
    plain,
  )
  expect(JSON.stringify(record)).not.toMatch(/my own words|Welt|command/)
  expect(record.response.tools_used).toMatchObject([{ name: 'Bash', bytes: 16 }])
})

test('counting tokens and other paths are records without tokens; their answers are not read', async () => {
  gateway.upstream.answers(() => Response.json({ input_tokens: 999 }))
  const counted = await recorded('/v1/messages/count_tokens?beta=true', { messages: [hi] }, CLAUDE)
  expect([counted.request.kind, counted.tokens.input, counted.content]).toEqual([
    'count_tokens',
    0,
    undefined,
  ])
  const other = await recorded('/v1/files', { some: 'file' })
  expect([other.request.kind, other.content]).toEqual(['other', undefined])
})

test('a clock that jumps in the middle of an answer changes no duration', async () => {
  const HOUR_MS = 3_600_000
  let jumped = 0
  await using jumpy = await openGateway({ now: () => Date.now() + jumped })
  jumpy.upstream.answers(() => {
    jumped = jumped === 0 ? -HOUR_MS : HOUR_MS
    return streamOf([ANTHROPIC_STREAM])
  })
  const back = await recorded('/v1/messages', { messages: [hi] }, CLAUDE, jumpy)
  const forward = await recorded('/v1/messages', { messages: [hi] }, CLAUDE, jumpy)
  for (const { time } of [back, forward]) {
    expect(time.ttfb_ms).toBeWithin(0, 60_000)
    expect(time.ttft_ms).toBeWithin(time.ttfb_ms!, 60_000)
    expect(time.total_ms).toBeWithin(time.ttft_ms!, 60_000)
  }
  expect(back.time.at - forward.time.at).toBeGreaterThan(HOUR_MS / 2)
  expect([back.seq, forward.seq]).toEqual([1, 2])
})

test('a body that is no JSON, and one that is compressed, pass and are recorded without facts', async () => {
  gateway.upstream.answers(() => anthropicMessage())
  const before = gateway.records().length
  await (
    await gateway.send('/v1/messages', { method: 'POST', body: new Uint8Array([31, 139, 8, 0, 255]) })
  ).text()
  const record = await until(() => gateway.records()[before])
  expect(record.request).toMatchObject({ model_requested: null, messages: 0, req_bytes: 5 })
  expect(record.tokens.input).toBe(10)
})
