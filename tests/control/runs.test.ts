import { beforeAll, describe, expect, test } from 'bun:test'
import { fakeProvider } from '../support/fake-provider'
import { secondPlane } from '../support/second-plane'
import { eachDatabase, events } from '../support/world'

const ULID = /^[0-9A-HJKMNP-TV-Z]{26}$/

eachDatabase((world) => {
  beforeAll(() => world().registerModel())

  const chat = (body: Record<string, unknown> = {}) => ({ input: 'hi', model: 'test-model', ...body })
  const run = (body: Record<string, unknown> = {}, as: 'viewer' | 'editor' | 'admin' = 'viewer') =>
    world().call('POST', '/runs', { as, body: chat({ stream: false, ...body }) })
  const record = async (id: string) => (await world().call('GET', `/runs/${id}`, { as: 'admin' })).body
  const sent = () => world().provider.seen.at(-1)!
  const sentBody = () => sent().body as Record<string, unknown>

  describe('a run that does not stream', () => {
    test('answers with its output and leaves a record', async () => {
      world().provider.answers({ deltas: ['Hel', 'lo'] })
      const { status, body } = await run({ params: { temperature: 0.2 } })
      expect(status).toBe(200)
      expect(body).toEqual({ runId: expect.stringMatching(ULID), status: 'completed', output: 'Hello' })
      const me = (await world().call('GET', '/auth/me', { as: 'viewer' })).body.user
      const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      expect(await record(body.runId)).toEqual({
        id: body.runId,
        session_id: null,
        status: 'completed',
        model: 'test-model',
        graph_id: null,
        graph_version: null,
        content_hash: null,
        trigger_id: null,
        user_id: me.id,
        output: 'Hello',
        awaiting_node: null,
        created_at: time,
        updated_at: time,
        completed_at: time,
        error: null,
        note_code: null,
        parent_run_id: null,
      })
    })

    test('takes inline thinking out of the output', async () => {
      world().provider.answers({ deltas: ['<thi', 'nk>Well.</th', 'ink>Hello'] })
      expect((await run()).body.output).toBe('Hello')
    })

    test('says why the output is empty when the tokens ran out', async () => {
      world().provider.answers({ reasoning: ['Let me think'], finishReason: 'length' })
      const { status, body } = await run()
      expect([status, body.status, body.output]).toEqual([200, 'completed', ''])
      expect(await record(body.runId)).toMatchObject({
        status: 'completed',
        output: '',
        error: expect.stringMatching(/Node llm hit its token limit \(finish_reason length\).*maxTokens/),
      })
    })

    test('survives an answer with a NUL character', async () => {
      world().provider.answers({ deltas: ['a\0b'] })
      const { body } = await run({ session_id: 'with-nul' })
      expect(body).toMatchObject({ status: 'completed', output: 'a\0b' })
      expect((await record(body.runId)).output).toBe('a\uFFFDb')
    })

    test('takes the one answer of a provider that does not stream', async () => {
      await using blunt = fakeProvider()
      blunt.on('/v1/chat/completions', () =>
        Response.json({
          choices: [{ index: 0, message: { role: 'assistant', content: 'whole' }, finish_reason: 'stop' }],
          usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
        }),
      )
      await world().registerModel('blunt', { baseUrl: blunt.url })
      expect((await run({ model: 'blunt' })).body).toMatchObject({ status: 'completed', output: 'whole' })
    })
  })

  describe('what the model is sent', () => {
    beforeAll(() => world().provider.answers({ deltas: ['ok'] }))

    test.each([
      ['a text', 'hello', 'hello'],
      ['an object', { a: [1, null] }, '{"a":[1,null]}'],
      ['a number', 7, '7'],
      ['null', null, 'null'],
      [
        'an image without a text',
        { image: 'data:image/png;base64,AA' },
        '{"image":"data:image/png;base64,AA"}',
      ],
      [
        'a text and an image',
        { text: 'What is this?', image: 'data:image/png;base64,AA' },
        [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
        ],
      ],
    ])('%s as input', async (_, input, content) => {
      expect((await run({ input })).status).toBe(200)
      expect(sentBody().messages).toEqual([{ role: 'user', content }])
    })

    test('parameters in snake case, a streamed answer with its usage', async () => {
      const inner = { enableThinking: false }
      await run({
        params: { maxTokens: 5, top_p: 0.5, chatTemplateKwargs: inner, stream: false, model: 'x' },
      })
      expect(sentBody()).toMatchObject({
        model: 'fake-model',
        max_tokens: 5,
        top_p: 0.5,
        chat_template_kwargs: inner,
        stream: true,
        stream_options: { include_usage: true },
      })
    })
  })

  describe('a run that cannot start', () => {
    test.each([
      ['no input', { input: undefined }, 422, 'validation_error'],
      ['no model', { model: undefined }, 422, 'validation_error'],
      ['an empty model', { model: '' }, 422, 'validation_error'],
      ['parameters that are no object', { params: [1] }, 422, 'validation_error'],
      ['a session id with a slash', { session_id: 'a/b' }, 422, 'validation_error'],
    ])('%s', async (_, wrong, status, code) => {
      const answer = await run(wrong)
      expect([answer.status, answer.body.error.code]).toEqual([status, code])
    })

    test('text that is no JSON', async () => {
      const headers = { 'content-type': 'application/json' }
      const { status, body } = await world().call('POST', '/runs', {
        as: 'viewer',
        body: '{"input":',
        headers,
      })
      expect([status, body.error.code]).toEqual([400, 'invalid_json'])
    })

    test.each([['mlx'], ['llamacpp'], ['nobody-registered-this']])(
      'the model %s is not registered, and the failed run is told by its id',
      async (model) => {
        for (const stream of [true, false]) {
          const { status, body } = await run({ model, stream })
          expect([status, body.error.code]).toEqual([404, 'model_not_found'])
          expect(await record(body.runId)).toMatchObject({
            status: 'failed',
            model,
            output: null,
            error: body.error.message,
            completed_at: expect.any(String),
          })
        }
      },
    )

    test('an engine name is told to be one', async () => {
      expect((await run({ model: 'mlx' })).body.error.message).toMatch(/engine.*logical id/)
    })

    test("a provider's refusal keeps its own status and message", async () => {
      const failure = { status: 429, body: { error: { message: 'Slow down, please.' } } }
      world().provider.answers({ failure })
      for (const stream of [true, false]) {
        const { status, body } = await run({ stream })
        expect([status, body.error.message]).toEqual([429, 'Slow down, please.'])
        expect(await record(body.runId)).toMatchObject({ status: 'failed', error: 'Slow down, please.' })
      }
    })

    test('an inference plane that is down is 503', async () => {
      await using plane = await secondPlane(world(), { inferenceUrl: 'http://127.0.0.1:1/v1' })
      const answer = await plane.fetch('/runs', { method: 'POST', body: JSON.stringify(chat()) })
      const body = (await answer.json()) as { error: { code: string }; runId: string }
      expect([answer.status, body.error.code]).toEqual([503, 'inference_unreachable'])
      expect((await record(body.runId)).status).toBe('failed')
    })

    test.each([
      [400, { error: { message: 'No.', code: 'content_filter' } }, 'content_filter', 'No.'],
      [418, 'plain words', 'inference_error', 'plain words'],
      [500, '', 'inference_error', 'The inference plane answered 500.'],
      [503, { error: { message: 'Full.', code: 'no_capacity' } }, 'no_capacity', 'Full.'],
      [401, { error: 'Who are you?' }, 'inference_error', 'Who are you?'],
    ])('whatever stands where the inference plane should: %d %p', async (status, said, code, message) => {
      using other = Bun.serve({
        port: 0,
        fetch: () => new Response(typeof said === 'string' ? said : JSON.stringify(said), { status }),
      })
      await using plane = await secondPlane(world(), { inferenceUrl: `http://127.0.0.1:${other.port}/v1` })
      const answer = await plane.fetch('/runs', { method: 'POST', body: JSON.stringify(chat()) })
      const body = (await answer.json()) as Record<string, unknown>
      expect(answer.status).toBe(status)
      expect(body).toEqual({ error: { code, message }, runId: expect.stringMatching(ULID) })
    })
  })

  describe('who sees a run', () => {
    test('its owner and admins; to others it does not exist', async () => {
      world().provider.answers({ deltas: ['ok'] })
      const { runId } = (await run({}, 'editor')).body
      const as = async (role: 'viewer' | 'editor' | 'admin', path = '') =>
        (await world().call('GET', `/runs/${runId}${path}`, { as: role })).status
      expect([await as('viewer'), await as('editor'), await as('admin')]).toEqual([404, 200, 200])
      for (const path of ['/trace', '/trace/stream', '/stream', '/nodes/llm/io']) {
        expect([path, await as('viewer', path)]).toEqual([path, 404])
      }
      const cancel = await world().call('POST', `/runs/${runId}/cancel`, { as: 'viewer' })
      expect([cancel.status, cancel.body.error.code]).toEqual([404, 'run_not_found'])
      const listed = async (role: 'viewer' | 'editor') =>
        (await world().call('GET', '/runs?limit=200', { as: role })).body.runs.map(
          ({ id }: { id: string }) => id,
        )
      expect(await listed('editor')).toContain(runId)
      expect(await listed('viewer')).not.toContain(runId)
    })

    test('an unknown run is 404', async () => {
      const { status, body } = await world().call('GET', '/runs/nothing', { as: 'admin' })
      expect([status, body.error.code]).toEqual([404, 'run_not_found'])
    })

    test('a run of a deleted account stays, with its owner as a breadcrumb', async () => {
      const made = await world().call('POST', '/users', {
        as: 'admin',
        body: { username: 'leaver', password: 'correct horse', role: 'viewer' },
      })
      const { token } = (
        await world().call('POST', '/auth/login', { body: { username: 'leaver', password: 'correct horse' } })
      ).body
      const { runId } = (
        await world().call('POST', '/runs', { as: { token }, body: chat({ stream: false }) })
      ).body
      await world().call('DELETE', `/users/${made.body.id}`, { as: 'admin' })
      expect(await record(runId)).toMatchObject({ status: 'completed', user_id: made.body.id })
    })
  })

  describe('the list', () => {
    test('pages through runs of one and the same millisecond without a gap or a double', async () => {
      world().provider.answers({ deltas: ['ok'] })
      const at = Date.now()
      await using plane = await secondPlane(world(), { now: () => at })
      const made: string[] = []
      for (let count = 0; count < 7; count++) {
        const answer = await plane.fetch('/runs', {
          method: 'POST',
          body: JSON.stringify(chat({ stream: false })),
        })
        made.push(((await answer.json()) as { runId: string }).runId)
      }
      const seen: string[] = []
      for (let before = ''; ; ) {
        const query = `limit=3${before && `&before=${before}`}`
        const { runs } = (await world().call('GET', `/runs?${query}`, { as: 'viewer' })).body
        if (runs.length === 0) break
        seen.push(...runs.map(({ id }: { id: string }) => id))
        before = seen.at(-1)!
      }
      expect(new Set(seen).size).toBe(seen.length)
      expect(seen.filter((id) => made.includes(id))).toEqual(made.toReversed())
    })

    test.each([['0'], ['201'], ['x']])('a limit of %s is refused', async (limit) => {
      const { status, body } = await world().call('GET', `/runs?limit=${limit}`, { as: 'viewer' })
      expect([status, body.error.code]).toEqual([422, 'validation_error'])
    })
  })

  test('a streamed run is `streaming` in its record from its first token on', async () => {
    const go = Promise.withResolvers<void>()
    world().provider.answers({
      deltas: ['a', 'b'],
      before: (index) => (index === 2 ? go.promise : undefined),
    })
    const { response } = await run({ stream: true })
    for await (const { event, data } of events(response)) {
      if (event !== 'delta') continue
      const { runId, delta } = JSON.parse(data)
      if (delta === 'a')
        expect(await record(runId)).toMatchObject({ status: 'streaming', completed_at: null })
      go.resolve()
    }
  })
})
