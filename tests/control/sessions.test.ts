import { beforeAll, describe, expect, test } from 'bun:test'
import { openDatabase } from '#kernel/db/open'
import { eachDatabase } from '../support/world'

type Role = 'viewer' | 'editor' | 'admin'

eachDatabase((world) => {
  beforeAll(() => world().registerModel())

  const call = (method: string, path: string, body?: unknown, as: Role = 'viewer') =>
    world().call(method, path, { as, body })
  const get = async (id: string, as: Role = 'viewer') =>
    (await call('GET', `/sessions/${id}`, undefined, as)).body
  const say = (session_id: string, input: unknown, as: Role = 'viewer') =>
    call('POST', '/runs', { input, model: 'test-model', stream: false, session_id }, as)
  const list = async (as: Role = 'viewer', query = 'limit=200') =>
    (await call('GET', `/sessions?${query}`, undefined, as)).body.sessions as { id: string }[]
  const answers = (...deltas: string[]) => world().provider.answers({ deltas })
  const sentMessages = () => (world().provider.seen.at(-1)!.body as { messages: unknown }).messages
  const time = expect.stringMatching(/^\d{4}-.*Z$/)

  /** A session without an owner, as those from before there were accounts. */
  async function ownerless(id: string) {
    await using database = openDatabase(world().env.DATABASE_URL!)
    await database.db
      .insertInto('sessions')
      .values({ id, user_id: null, metadata: null, created_at: 1, updated_at: 1 })
      .execute()
  }

  describe('making one', () => {
    test('answers with its summary; the server mints an id where none is given', async () => {
      const me = (await call('GET', '/auth/me')).body.user
      for (const body of [undefined, {}, { id: null, metadata: null }]) {
        const made = await call('POST', '/sessions', body)
        expect(made.status).toBe(201)
        expect(made.body).toEqual({
          id: expect.stringMatching(/^[0-9A-Z]{26}$/),
          created_at: time,
          last_activity: time,
          message_count: 0,
          preview: null,
          metadata: null,
          user_id: me.id,
        })
      }
    })

    test('again is the same session; metadata is replaced whole where it is given', async () => {
      await call('POST', '/sessions', { id: 'again', metadata: { title: 'A', model: 'm' } })
      answers('hello')
      await say('again', 'hi')
      const kept = await call('POST', '/sessions', { id: 'again' })
      expect(kept.body).toMatchObject({
        message_count: 2,
        preview: 'hi',
        metadata: { title: 'A', model: 'm' },
      })
      const replaced = await call('POST', '/sessions', { id: 'again', metadata: { title: 'B' } })
      expect(replaced.body).toMatchObject({ message_count: 2, metadata: { title: 'B' } })
      const cleared = await call('POST', '/sessions', { id: 'again', metadata: null })
      expect(cleared.body.metadata).toBeNull()
    })

    test.each([
      ['an id with a slash', { id: 'a/b' }],
      ['an empty id', { id: '' }],
      ['a text as metadata', { metadata: 'x' }],
      ['a list as metadata', { metadata: [1] }],
    ])('with %s is refused', async (_, body) => {
      const { status, body: answer } = await call('POST', '/sessions', body)
      expect([status, answer.error.code]).toEqual([422, 'validation_error'])
    })
  })

  describe('a run in a session', () => {
    test('makes the session, replays what was said, and adds its turn', async () => {
      const me = (await call('GET', '/auth/me')).body.user
      answers('Nice to ', 'meet you.')
      const first = await say('talk', 'I am Ada.')
      expect(sentMessages()).toEqual([{ role: 'user', content: 'I am Ada.' }])
      answers('Ada.')
      const second = await say('talk', { name: '?' })
      expect(sentMessages()).toEqual([
        { role: 'user', content: 'I am Ada.' },
        { role: 'assistant', content: 'Nice to meet you.' },
        { role: 'user', content: '{"name":"?"}' },
      ])
      const message = (position: number, role: string, content: string, run_id: string) => ({
        id: expect.any(String),
        run_id,
        role,
        content,
        position,
        created_at: time,
      })
      expect(await get('talk')).toEqual({
        id: 'talk',
        created_at: time,
        updated_at: time,
        metadata: null,
        user_id: me.id,
        messages: [
          message(0, 'user', 'I am Ada.', first.body.runId),
          message(1, 'assistant', 'Nice to meet you.', first.body.runId),
          message(2, 'user', '{"name":"?"}', second.body.runId),
          message(3, 'assistant', 'Ada.', second.body.runId),
        ],
      })
      expect((await call('GET', `/runs/${first.body.runId}`)).body.session_id).toBe('talk')
    })

    test('keeps thinking out of what is replayed', async () => {
      world().provider.answers({ reasoning: ['secret'], deltas: ['<think>too</think>open'] })
      await say('thoughts', 'hi')
      expect((await get('thoughts')).messages[1].content).toBe('open')
    })

    test('adds nothing when it fails, or when there is no answer', async () => {
      answers('one')
      await say('gaps', 'first')
      world().provider.answers({ failure: { status: 429, body: {} } })
      expect((await say('gaps', 'second')).status).toBe(429)
      world().provider.answers({
        deltas: ['half'],
        before: (i) => (i === 2 ? Bun.sleep(20) : undefined),
        breakAfter: 2,
      })
      expect((await say('gaps', 'third')).status).toBe(502)
      answers(' \n')
      expect((await say('gaps', 'fourth')).status).toBe(200)
      world().provider.answers({ deltas: [], finishReason: 'length' })
      expect((await say('gaps', 'fifth')).body.status).toBe('completed')
      expect((await get('gaps')).messages.map(({ content }: { content: string }) => content)).toEqual([
        'first',
        'one',
      ])
    })

    test('is completed in the moment in which its turn is there, never before', async () => {
      const go = Promise.withResolvers<void>()
      world().provider.answers({ deltas: ['a'], before: (index) => (index === 2 ? go.promise : undefined) })
      const running = say('at-once', 'hi')
      let seen = { status: '', messages: 0 }
      const look = async () => {
        const run = (await call('GET', '/runs?limit=1')).body.runs[0]
        // The messages are read after the status: a turn that came later than the completion would show.
        const messages = (await get('at-once'))?.messages?.length ?? 0
        seen = { status: run.session_id === 'at-once' ? run.status : '', messages }
      }
      await look()
      expect(seen.messages).toBe(0)
      go.resolve()
      while (seen.status !== 'completed') {
        await look()
        if (seen.status === 'completed') expect(seen.messages).toBe(2)
      }
      await running
    })

    test('side by side with others leaves every turn whole and the positions dense', async () => {
      world().provider.answers((body) => {
        const { content } = (body.messages as { content: string }[]).at(-1)!
        return { deltas: ['re: ', content], before: () => Bun.sleep(1) }
      })
      await Promise.all(Array.from({ length: 8 }, (_, count) => say('crowd', `q${count}`)))
      const { messages } = await get('crowd')
      expect(messages.map(({ position }: { position: number }) => position)).toEqual([...Array(16).keys()])
      for (let at = 0; at < 16; at += 2) {
        expect(messages[at + 1].content).toBe(`re: ${messages[at].content}`)
        expect(messages[at + 1].run_id).toBe(messages[at].run_id)
      }
    })

    test('goes on when the session is deleted meanwhile, and is detached', async () => {
      const go = Promise.withResolvers<void>()
      world().provider.answers({ deltas: ['a'], before: (index) => (index === 1 ? go.promise : undefined) })
      const running = say('going', 'hi')
      while ((await call('GET', '/sessions/going')).status !== 200) await Bun.sleep(2)
      expect((await call('DELETE', '/sessions/going')).status).toBe(204)
      go.resolve()
      const { body } = await running
      expect(body).toMatchObject({ status: 'completed', output: 'a' })
      expect((await call('GET', `/runs/${body.runId}`)).body.session_id).toBeNull()
      expect((await call('GET', '/sessions/going')).status).toBe(404)
    })
  })

  describe('adding a turn by hand', () => {
    test('answers with both messages', async () => {
      await call('POST', '/sessions', { id: 'by-hand' })
      const turn = await call('POST', '/sessions/by-hand/turns', {
        user_content: 'a',
        assistant_content: 'b',
      })
      expect(turn.status).toBe(201)
      expect(turn.body.messages).toMatchObject([
        { role: 'user', content: 'a', position: 0, run_id: null },
        { role: 'assistant', content: 'b', position: 1, run_id: null },
      ])
      expect((await get('by-hand')).messages).toEqual(turn.body.messages)
    })

    test.each([
      ['a blank question', { user_content: ' \n', assistant_content: 'b' }],
      ['a blank answer', { user_content: 'a', assistant_content: '' }],
      ['no answer', { user_content: 'a' }],
      ['a number', { user_content: 1, assistant_content: 'b' }],
    ])('with %s is refused', async (_, body) => {
      await call('POST', '/sessions', { id: 'strict' })
      const { status, body: answer } = await call('POST', '/sessions/strict/turns', body)
      expect([status, answer.error.code]).toEqual([422, 'validation_error'])
      expect((await get('strict')).messages).toEqual([])
    })

    test('to no session is 404', async () => {
      const turn = await call('POST', '/sessions/nowhere/turns', {
        user_content: 'a',
        assistant_content: 'b',
      })
      expect([turn.status, turn.body.error.code]).toEqual([404, 'session_not_found'])
    })
  })

  describe("another account's session", () => {
    beforeAll(async () => {
      answers('ok')
      await say('editors-own', 'private', 'editor')
    })

    test.each([
      ['GET', '/sessions/editors-own', undefined],
      ['DELETE', '/sessions/editors-own', undefined],
      ['POST', '/sessions', { id: 'editors-own' }],
      ['POST', '/sessions', { id: 'editors-own', metadata: { mine: true } }],
      ['POST', '/sessions/editors-own/turns', { user_content: 'a', assistant_content: 'b' }],
      ['POST', '/runs', { input: 'x', model: 'test-model', session_id: 'editors-own' }],
    ])('%s %s is 404, exactly as for a missing one', async (method, path, body) => {
      const requests = world().provider.seen.length
      const foreign = await call(method, path, body)
      expect([foreign.status, foreign.body.error.code]).toEqual([404, 'session_not_found'])
      expect(world().provider.seen.length).toBe(requests)
      expect(await get('editors-own', 'editor')).toMatchObject({ metadata: null, messages: { length: 2 } })
    })

    test('is not in the list, but in that of an admin', async () => {
      const listed = async (as: Role) => (await list(as)).some(({ id }) => id === 'editors-own')
      expect([await listed('viewer'), await listed('editor'), await listed('admin')]).toEqual([
        false,
        true,
        true,
      ])
      expect((await call('GET', '/sessions/editors-own', undefined, 'admin')).status).toBe(200)
    })

    test('a session without an owner is for everybody', async () => {
      await ownerless('old')
      expect((await list('viewer')).some(({ id }) => id === 'old')).toBe(true)
      answers('ok')
      expect((await say('old', 'hi')).status).toBe(200)
      expect(await get('old', 'editor')).toMatchObject({ user_id: null, messages: { length: 2 } })
    })
  })

  describe('the list', () => {
    test('shows the newest activity first', async () => {
      answers('ok')
      await say('first', 'a')
      await say('second', 'b')
      await Bun.sleep(2)
      await say('first', 'c')
      const ids = (await list()).map(({ id }) => id)
      expect(ids.indexOf('first')).toBeLessThan(ids.indexOf('second'))
      expect((await list())[0]).toMatchObject({ id: 'first', message_count: 4, preview: 'a' })
    })

    test('pages without a gap or a double', async () => {
      const whole = (await list()).map(({ id }) => id)
      const paged: string[] = []
      for (;;) {
        const before = paged.length > 0 ? `&before=${paged.at(-1)}` : ''
        const page = await list('viewer', `limit=4${before}`)
        if (page.length === 0) break
        paged.push(...page.map(({ id }) => id))
      }
      expect(paged).toEqual(whole)
      expect(whole.length).toBeGreaterThan(8)
    })
  })

  test('goes back to a turn, which is then asked anew; the runs stay', async () => {
    answers('ok')
    await say('taken-back', 'one')
    const { runId } = (await say('taken-back', 'two')).body
    await say('taken-back', 'three')
    expect((await call('DELETE', '/sessions/taken-back/turns?from=2')).status).toBe(204)
    await say('taken-back', 'other')
    expect(
      (await get('taken-back')).messages.map(
        ({ content, position }: { content: string; position: number }) => [position, content],
      ),
    ).toEqual([
      [0, 'one'],
      [1, 'ok'],
      [2, 'other'],
      [3, 'ok'],
    ])
    expect((await call('GET', `/runs/${runId}`)).body).toMatchObject({
      session_id: 'taken-back',
      output: 'ok',
    })
  })

  test.each([
    ['without a position', '', 422, 'validation_error'],
    ['to before the beginning', '?from=-1', 422, 'validation_error'],
  ])('does not go back %s', async (_what, query, status, code) => {
    await call('POST', '/sessions', { id: 'firm' })
    const answer = await call('DELETE', `/sessions/firm/turns${query}`)
    expect([answer.status, answer.body.error.code]).toEqual([status, code])
  })

  test('nobody else takes a session back', async () => {
    await call('POST', '/sessions', { id: 'mine' })
    const foreign = await world().call('DELETE', '/sessions/mine/turns?from=0', { as: 'editor' })
    expect([foreign.status, foreign.body.error.code]).toEqual([404, 'session_not_found'])
  })

  test('deleting one takes its messages and detaches its runs', async () => {
    answers('ok')
    const { runId } = (await say('doomed', 'hi')).body
    expect((await call('DELETE', '/sessions/doomed')).status).toBe(204)
    expect((await call('GET', '/sessions/doomed')).status).toBe(404)
    expect((await call('GET', `/runs/${runId}`)).body).toMatchObject({ session_id: null, output: 'ok' })
    await call('POST', '/sessions', { id: 'doomed' })
    expect((await get('doomed')).messages).toEqual([])
  })
})
