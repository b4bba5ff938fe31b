import { describe, expect, test } from 'bun:test'
import type { ChatRequest } from '#graph/ports'
import { AppError } from '#kernel/errors'
import { type Answer, delta, failure, hastyClock, play, said, wants } from '../run-support'
import { type AuthoredEdge, edge, http, node } from '../support'

interface Ask {
  config?: Record<string, unknown>
  wired?: ReturnType<typeof node>[]
  [more: string]: unknown
}

/** A model between input and output, with nodes wired to it. */
const ask = ({ config = {}, wired = [], ...play_ }: Ask = {}) =>
  play(
    [node('a', 'input'), node('ask', 'llm', config), node('out', 'output'), ...wired],
    [
      edge('a.out', 'ask.in'),
      edge('ask.out', 'out.in'),
      ...wired.map(({ id }): AuthoredEdge => edge(`${id}.use`, 'ask.tools', { channel: 'tool' })),
    ],
    play_,
  )

const echo = { tools: { e: { kind: 'builtin', ref: 'echo' } } }
const names = ({ tools }: ChatRequest) =>
  (tools as { function: { name: string } }[]).map((tool) => tool.function.name)
/** What the model was told of its last calls. */
const results = ({ messages }: ChatRequest) =>
  (messages as { role: string; content: string }[]).flatMap(({ role, content }) =>
    role === 'tool' ? [content] : [],
  )

describe('what a model is asked', () => {
  test('is the session before the messages of its config, with references rendered', async () => {
    const history = [
      { role: 'user', content: 'one' },
      { role: 'assistant', content: 'two' },
    ]
    const messages = [
      { role: 'system', content: 'Cost: $5, $$in.' },
      { role: 'user', content: 'Say $in.in.word.' },
    ]
    const { asked } = await ask({ config: { messages }, history, input: { word: 'hi' } })
    expect(asked.chat[0]!.messages).toEqual([
      ...history,
      { role: 'system', content: 'Cost: $5, $in.' },
      { role: 'user', content: 'Say hi.' },
    ])
  })

  test('may hold text and images, under either spelling', async () => {
    const content = [
      { type: 'text', text: 'What is $in.in.text' },
      { type: 'image_url', imageUrl: { url: '$in.in.image', detail: 'low' } },
      { type: 'image_url', image_url: { url: 'https://x/y.png' } },
    ]
    const { asked } = await ask({
      config: { messages: [{ role: 'user', content }] },
      input: { text: 'this?', image: 'data:image/png;base64,AA' },
    })
    expect(asked.chat[0]!.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA', detail: 'low' } },
          { type: 'image_url', image_url: { url: 'https://x/y.png' } },
        ],
      },
    ])
  })

  test('goes to the logical id with the parameters of the binding, those of the node first, in snake_case', async () => {
    const { asked } = await ask({
      config: { params: { maxTokens: 5 } },
      rest: {
        models: {
          small: {
            binding: 'mlx',
            model: 'logical',
            params: { maxTokens: 9, topP: 0.5, responseFormat: { type: 'json_object' }, model: 'no' },
          },
        },
      },
    })
    expect(asked.chat).toEqual([
      {
        model: 'logical',
        max_tokens: 5,
        top_p: 0.5,
        response_format: { type: 'json_object' },
        messages: [{ role: 'user', content: '' }],
      },
    ])
  })

  test('fails the run as template_error where a reference leads nowhere', async () => {
    const played = await ask({ config: { messages: [{ role: 'user', content: '$in.city' }] }, input: {} })
    expect(failure(played)).toMatchObject({ code: 'template_error', status: 422 })
    expect(failure(played).message).toContain('$in.in.city')
    expect(played.asked.chat).toEqual([])
  })
})

describe('its answer', () => {
  test('is text, which nodes after it may read as JSON', async () => {
    const { result, text } = await play(
      [
        node('a', 'input'),
        node('ask', 'llm'),
        node('t', 'transform', { expr: '"$in.in.n"' }),
        node('out', 'output'),
      ],
      [edge('a.out', 'ask.in'), edge('ask.out', 't.in'), edge('t.out', 'out.in')],
      { answers: ['{"n": 4}'] },
    )
    expect(result!.output).toBe('4')
    expect(text).toBe('{"n": 4}')
  })

  test('comes without its thinking, in a field or in tags, which the record keeps', async () => {
    const thinking = [
      delta({ reasoning_content: 'a' }),
      delta({ content: '<thi' }),
      delta({ content: 'nk>b</think>yes' }),
    ]
    const { result, text, reasoning, io } = await ask({ answers: [thinking] })
    expect({ ...result, text, reasoning }).toEqual({ output: 'yes', text: 'yes', reasoning: 'ab' })
    expect(io.get('ask')!.outputs).toEqual({ out: 'yes', reasoning: 'ab' })
  })

  test('of several turns has their thinking joined by a blank line, in the record as in the stream', async () => {
    const first = [delta({ reasoning: 'look it up' }), ...wants(['e', { value: 1 }])]
    const { io, reasoning } = await ask({
      config: { tools: ['e'] },
      rest: echo,
      answers: [first, said('<think>got it</think>1')],
    })
    expect(io.get('ask')!.outputs.reasoning).toBe('look it up\n\ngot it')
    expect(reasoning).toBe('look it up\n\ngot it')
  })

  test('is on every port but those for errors', async () => {
    const made = node('ask', 'llm')
    made.ports.out = [{ id: 'one' }, { id: 'two' }, { id: 'bad', type: 'error' }]
    const { io } = await play([node('a', 'input'), made], [edge('a.out', 'ask.in')], { answers: ['x'] })
    expect(io.get('ask')!.outputs).toEqual({ one: 'x', two: 'x' })
  })

  test('fails the run with what the model was refused with, error port or not', async () => {
    const made = node('ask', 'llm')
    made.ports.out = [{ id: 'out' }, { id: 'bad', type: 'error' }]
    const refused = new AppError('model_not_found', 'No such model.')
    const played = await play([node('a', 'input'), made], [edge('a.out', 'ask.in')], { answers: [refused] })
    expect(failure(played)).toMatchObject({ code: 'model_not_found', status: 404 })
    expect(played.events.some(({ type }) => type === 'streaming')).toBe(false)
  })
})

test('its spans show model, tokens once, time to the first token and finish reason', async () => {
  const { span } = await ask({ answers: ['hi'] })
  expect(span('ask/model.generate').close!.attributes).toEqual({
    'gen_ai.request.model': 'small-chat',
    'gen_ai.response.finish_reason': 'stop',
    ttft_ms: 0,
    'gen_ai.usage.input_tokens': 3,
    'gen_ai.usage.output_tokens': 4,
    'gen_ai.usage.total_tokens': 7,
  })
  expect(span('ask').close!.attributes).toEqual({
    'gen_ai.request.model': 'small-chat',
    'gen_ai.response.finish_reason': 'stop',
    ttft_ms: 0,
  })
})

test('its span shows a load of the model that it waited for', async () => {
  const { span } = await ask({ answers: [[{ load_ms: 3210 }, ...said('hi')]] })
  expect(span('ask/model.generate').close!.attributes).toMatchObject({ load_ms: 3210, ttft_ms: 0 })
  const spoofed = await ask({ answers: [[{ load_ms: 'long' }, ...said('hi')]] })
  expect(spoofed.span('ask/model.generate').close!.attributes).not.toHaveProperty('load_ms')
})

describe('tools', () => {
  test('are those of its config and the nodes wired to it, each described', async () => {
    const { asked } = await ask({
      config: { tools: ['e', 'city', 'gone', 'known'] },
      rest: {
        tools: {
          ...echo.tools,
          city: http(),
          gone: { kind: 'mcp', tool: 'x', server: 's' },
          known: { kind: 'mcp', tool: 'y', server: 's' },
        },
      },
      tools: {
        describeMcp: async ({ tool }: { tool: string }) =>
          tool === 'y'
            ? { description: 'Knows.', parameters: { type: 'object', properties: { q: {} } } }
            : undefined,
      },
      wired: [
        node('docs', 'rag', { description: 'The handbook.' }),
        node('query', 'mcp_tool', { description: 'Asks.' }),
        node('fetch', 'tool', { tool: 'http_fetch' }),
      ],
    })
    expect(names(asked.chat[0]!)).toEqual(['e', 'city', 'known', 'docs', 'query', 'fetch'])
    const offered = asked.chat[0]!.tools as { function: Record<string, unknown> }[]
    expect(offered[1]).toEqual({
      type: 'function',
      function: {
        name: 'city',
        description: 'Looks up a city.',
        parameters: { type: 'object', properties: { city: { type: 'string' } } },
      },
    } as never)
    expect(offered[3]!.function).toMatchObject({
      description: 'The handbook.',
      parameters: { properties: { query: { type: 'string' } }, required: ['query'] },
    })
    // It cannot be found out what the node's MCP tool takes; it is offered all the same.
    expect(offered[4]!.function).toEqual({
      name: 'query',
      description: 'Asks.',
      parameters: { type: 'object', properties: {} },
    })
  })

  test('of the same name are one: that of the config', async () => {
    const { asked, io } = await ask({
      config: { tools: ['e'] },
      rest: echo,
      wired: [node('e', 'mcp_tool', { description: 'Another.' })],
      answers: [wants(['e', { value: 1 }]), 'x'],
    })
    expect(names(asked.chat[0]!)).toEqual(['e'])
    expect(io.get('ask')!.outputs.tool_calls).toMatchObject([{ ok: true, result: 1 }])
  })

  test('none of which there are send no tool fields, and one turn is all', async () => {
    const { asked, result } = await ask({ answers: [[delta({ content: 'x' }), ...wants(['e', {}])]] })
    expect(asked.chat).toHaveLength(1)
    expect(asked.chat[0]).not.toContainKeys(['tools', 'tool_choice'])
    expect(result!.output).toBe('x')
  })

  test('are called in order, and answered with what they gave', async () => {
    const { asked, io, events, spans } = await ask({
      config: { tools: ['e'] },
      rest: echo,
      answers: [wants(['e', { value: 'text' }], ['e', { value: { n: 1 } }]), wants(['e', {}]), 'done'],
    })
    expect(asked.chat[1]!.messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'call_e_0', type: 'function', function: { name: 'e', arguments: '{"value":"text"}' } },
          { id: 'call_e_1', type: 'function', function: { name: 'e', arguments: '{"value":{"n":1}}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_e_0', content: 'text' },
      { role: 'tool', tool_call_id: 'call_e_1', content: '{"n":1}' },
    ])
    expect(io.get('ask')!.outputs.tool_calls).toEqual([
      { name: 'e', arguments: { value: 'text' }, ok: true, result: 'text', iteration: 0, index: 0 },
      { name: 'e', arguments: { value: { n: 1 } }, ok: true, result: { n: 1 }, iteration: 0, index: 1 },
      { name: 'e', arguments: {}, ok: true, result: null, iteration: 1, index: 0 },
    ])
    expect(events.filter(({ type }) => type === 'tool_call')).toHaveLength(3)
    expect(spans).toEqual([
      'a ok',
      'ask ok',
      'ask/model.generate ok',
      'ask/tool.e#0.0 ok',
      'ask/tool.e#0.1 ok',
      'ask/model.generate#1 ok',
      'ask/tool.e#1.0 ok',
      'ask/model.generate#2 ok',
      'out ok',
    ])
  })

  test.each([
    ['auto', 'auto'],
    ['none', 'none'],
    ['required', 'required'],
    ['by name', { type: 'function', function: { name: 'e' } }],
  ])('may be forced on the first turn only: %s', async (_, toolChoice) => {
    const { asked } = await ask({
      config: { tools: ['e'], toolChoice },
      rest: echo,
      answers: [wants(['e', {}]), wants(['e', {}]), 'x'],
    })
    expect(asked.chat.map(({ tool_choice }) => tool_choice)).toEqual([toolChoice, 'auto', 'auto'])
  })

  test('that are not offered after all are not forced', async () => {
    const { asked } = await ask({
      config: { tools: ['e', 'gone'], toolChoice: { type: 'function', function: { name: 'gone' } } },
      rest: { tools: { ...echo.tools, gone: { kind: 'mcp', tool: 'x', server: 's' } } },
    })
    expect(asked.chat[0]!.tool_choice).toBe('auto')
  })

  test('stop after so many rounds, with one more answer from the model', async () => {
    const { asked, result } = await ask({
      config: { tools: ['e'], maxToolIterations: 3 },
      rest: echo,
      answers: [wants(['e', {}]), wants(['e', {}]), wants(['e', {}]), 'enough'],
    })
    expect(asked.chat).toHaveLength(4)
    expect(result!.output).toBe('enough')
  })

  test.each<[string, Answer, string]>([
    ['that is not there', wants(['nope', {}]), 'There is no tool "nope". Tools: "e".'],
    ['that fails', wants(['fetch', { url: 'http://x' }]), 'it is down'],
  ])('a call of one %s goes back to the model as text', async (_, first, told) => {
    const { asked, result, span, io } = await ask({
      config: { tools: ['e'] },
      rest: echo,
      answers: [first, 'sorry'],
      tools: { fetch: () => Promise.reject(new Error('it is down')) },
      wired: told.includes('down') ? [node('fetch', 'tool', { tool: 'http_fetch' })] : [],
    })
    expect(results(asked.chat[1]!)).toEqual([told])
    expect(result!.output).toBe('sorry')
    const name = told.includes('down') ? 'fetch' : 'nope'
    expect(span(`ask/tool.${name}#0.0`).close).toMatchObject({
      status: 'err',
      attributes: { 'tool.ok': false },
    })
    expect(io.get('ask')!.outputs.tool_calls).toMatchObject([{ ok: false, result: told }])
  })

  test.each(['{"value":', 'null', '[1]', '"text"', ''])(
    'arguments that are no object count as none: %s',
    async (text) => {
      const { asked, io } = await ask({
        config: { tools: ['e'] },
        rest: echo,
        answers: [wants(['e', text]), 'x'],
      })
      expect(io.get('ask')!.outputs.tool_calls).toMatchObject([{ arguments: {}, ok: true }])
      expect(asked.chat[1]!.messages[1]).toMatchObject({ tool_calls: [{ function: { arguments: '{}' } }] })
    },
  )

  test.each([
    ['of the node', { maxToolResultChars: 4 }, 16_000, 'abcd\n[… 6 characters omitted]'],
    ['of the settings', {}, 6, 'abcdef\n[… 4 characters omitted]'],
    ['not reached', { maxToolResultChars: 10 }, 4, 'abcdefghij'],
  ])('long results are cut at the limit %s', async (_, config, toolResultMaxChars, told) => {
    const { asked, io } = await ask({
      config: { tools: ['e'], ...config },
      rest: echo,
      toolResultMaxChars,
      answers: [wants(['e', { value: 'abcdefghij' }]), 'x'],
    })
    expect(results(asked.chat[1]!)).toEqual([told])
    expect(io.get('ask')!.outputs.tool_calls).toMatchObject([{ result: told }])
  })

  test('over HTTP take their slots from the arguments, and a key of their own for each call', async () => {
    const bound = http({
      method: 'post',
      urlTemplate: '/cities/$in.city',
      bodyTemplate: { all: '$in' },
      idempotencyKey: '{runId}-{nodeId}',
    })
    const { asked } = await ask({
      config: { tools: ['city'] },
      rest: { tools: { city: bound } },
      answers: [wants(['city', { city: 'Bern' }]), wants(['city', {}]), 'x'],
      tools: {
        http: async (request: never) => {
          sent.push(request)
          return { status: 200, headers: {}, body: 'ok' }
        },
      },
    })
    expect(asked.chat).toHaveLength(3)
    expect(sent).toMatchObject([
      {
        method: 'POST',
        url: '/cities/Bern',
        body: { all: { city: 'Bern' } },
        idempotencyKey: 'run1-ask-ask-0-call_city_0',
      },
      { method: 'POST', url: '/cities/', body: { all: {} }, idempotencyKey: 'run1-ask-ask-1-call_city_0' },
    ])
  })
  const sent: unknown[] = []

  test('wired to it search and call by their own configs', async () => {
    const calls: unknown[] = []
    await ask({
      answers: [wants(['docs', { query: 'leave' }], ['query', { sql: 'x' }]), 'x'],
      wired: [node('docs', 'rag', { topK: 4, minSimilarity: 0.2 }), node('query', 'mcp_tool')],
      retrieval: {
        find: async (request: unknown) => {
          calls.push(request)
          return { matches: [] }
        },
      },
      tools: {
        mcp: async (request: unknown) => {
          calls.push(request)
          return 'rows'
        },
      },
    })
    expect(calls).toEqual([
      { source: 'rag_1', query: 'leave', topK: 4, minSimilarity: 0.2 },
      { server: 'db', connection: null, tool: 'query', args: { sql: 'x' } },
    ])
  })
})

describe('effects', () => {
  test('are journaled under their places, each once', async () => {
    const keys: string[] = []
    await ask({
      config: { tools: ['e'] },
      rest: echo,
      answers: [wants(['e', {}], ['e', {}]), wants(['e', {}]), 'x'],
      journal: {
        step: (key: string, work: () => Promise<never>) => {
          keys.push(key)
          return work()
        },
      },
    })
    expect(keys).toEqual(['ask/gen@0', 'ask/tool@0', 'ask/tool@1', 'ask/gen@1', 'ask/tool@2', 'ask/gen@2'])
  })

  test('that are on record are not done again, and come to the same', async () => {
    const records = new Map<string, string>()
    const journal = {
      async step<T>(key: string, work: () => Promise<T>): Promise<T> {
        if (!records.has(key)) records.set(key, JSON.stringify(await work()))
        return JSON.parse(records.get(key)!)
      },
    }
    const run = () =>
      ask({
        config: { tools: ['e'] },
        rest: echo,
        journal,
        answers: [[delta({ reasoning: 'hm' }), ...wants(['e', { value: 2 }])], 'two'],
      })
    const first = await run()
    const again = await run()
    expect(again.asked.chat).toEqual([])
    expect(again.result).toEqual(first.result)
    expect(again.io.get('ask')).toEqual({ ...first.io.get('ask')!, inputs: expect.anything() })
  })

  test('that a crash cut short go on with the numbers of their spans', async () => {
    const records = new Map<string, string>()
    const journal = {
      async step<T>(key: string, work: () => Promise<T>): Promise<T> {
        if (!records.has(key)) records.set(key, JSON.stringify(await work()))
        return JSON.parse(records.get(key)!)
      },
    }
    const run = (answers: Answer[]) =>
      ask({
        config: { tools: ['e'], retry: { attempts: 2 } },
        rest: echo,
        journal,
        clock: hastyClock(),
        answers,
      })
    const refused = new AppError('x', 'refused', { status: 400 })
    const cut = await run([new Error('broke'), wants(['e', {}]), refused])
    expect(cut.spans).toContain('ask/model.generate#2 err')
    const { spans, span, asked } = await run(['done'])
    expect(asked.places).toEqual(['ask/gen@1'])
    expect(spans).toEqual(['a ok', 'ask ok', 'ask/tool.e#0.0 ok', 'ask/model.generate#2 ok', 'out ok'])
    expect(span('ask/model.generate#2').order).toBe(cut.span('ask/model.generate#2').order)
  })
})
