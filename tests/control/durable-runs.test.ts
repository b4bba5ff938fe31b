import { expect, test } from 'bun:test'
import { openDatabase } from '#kernel/db/open'
import { enqueue, finished, publish, reaches, resume } from '../support/durable'
import { graph, node, shouting, asking as talking } from '../support/graphs'
import { eachDatabase, events } from '../support/world'

const gate = (id: string, config: Record<string, unknown> = {}) => node(id, 'human', { config })
const asking = (id: string, config: Record<string, unknown> = {}) =>
  graph(
    [node('in', 'input'), gate('ask', config), node('out', 'output')],
    ['in.out>ask.in', 'ask.out>out.in'],
    {
      id,
    },
  )

eachDatabase(
  (world) => {
    test('a run without gates is done, and its trace says who did it', async () => {
      await publish(world(), shouting({ id: 'agent.shout' }))
      const run = await finished(world(), 'agent.shout', 'hello')
      expect(run).toMatchObject({ status: 'completed', output: 'HELLO', awaiting_node: null, error: null })
      const { body } = await world().call('GET', `/runs/${run.id}/trace`, { as: 'editor' })
      expect(body.spans.map(({ name, status }: { name: string; status: string }) => [name, status])).toEqual([
        [run.id, 'ok'],
        ['queue.wait', 'ok'],
        ['in', 'ok'],
        ['shout', 'ok'],
        ['out', 'ok'],
      ])
      expect(body.spans[2]).toMatchObject({ executor_id: 'control-plane', worker_host: expect.any(String) })
    })

    test('of many runs at once each has its whole trace, and each waited for its owner', async () => {
      await publish(world(), shouting({ id: 'agent.many' }))
      const texts = Array.from({ length: 40 }, (_, index) => `run ${index}`)
      const runs = await Promise.all(texts.map((text) => finished(world(), 'agent.many', text)))
      expect(runs.map(({ output }) => output)).toEqual(texts.map((text) => text.toUpperCase()))
      const traces = await Promise.all(
        runs.map(({ id }) => world().call('GET', `/runs/${id}/trace`, { as: 'editor' })),
      )
      for (const { body } of traces) {
        const [root, wait, ...nodes] = body.spans
        expect(
          nodes.map(({ name, status }: { name: string; status: string }) => `${name} ${status}`),
        ).toEqual(['in ok', 'shout ok', 'out ok'])
        expect(wait).toMatchObject({ name: 'queue.wait', status: 'ok', parent_span_id: root.span_id })
        expect(root.status).toBe('ok')
      }
    }, 30_000)

    test('a gate waits, tells what it asks, and goes on with the answer', async () => {
      const inputSchema = { type: 'object', required: ['decision'] }
      await publish(world(), asking('agent.gate', { prompt: 'Yes?', inputSchema }))
      const id = await enqueue(world(), 'agent.gate', { amount: 3 })
      expect(await reaches(world(), id, 'waiting')).toMatchObject({ awaiting_node: 'ask' })
      expect((await world().call('GET', `/runs/${id}/awaiting`, { as: 'editor' })).body).toEqual({
        node: 'ask',
        prompt: 'Yes?',
        inputSchema,
        deadline: null,
        input: { in: { amount: 3 } },
      })
      const inbox = await world().call('GET', '/runs?status=waiting', { as: 'editor' })
      expect(inbox.body.runs.map((run: { id: string }) => run.id)).toContain(id)
      expect((await resume(world(), id, { other: 1 })).body.error.code).toBe('resume_schema_mismatch')
      expect(await resume(world(), id, { decision: 'yes' })).toMatchObject({
        status: 202,
        body: { runId: id, status: 'resuming', awaitingNode: 'ask' },
      })
      expect(await reaches(world(), id, 'completed', 'failed')).toMatchObject({
        status: 'completed',
        output: '{"decision":"yes"}',
      })
      expect((await resume(world(), id, { decision: 'no' })).body.error.code).toBe('run_not_waiting')
    })
  },
  { env: { SERVICE_DURABLE: 'true' } },
)

eachDatabase(
  (world) => {
    const call = (
      method: string,
      path: string,
      as: 'viewer' | 'editor' | 'admin' = 'editor',
      body?: unknown,
    ) => world().call(method, path, { as, ...(body === undefined ? {} : { body }) })
    const codeOf = async (answer: Promise<{ status: number; body: { error?: { code: string } } }>) => {
      const { status, body } = await answer
      return [status, body.error?.code]
    }
    const db = <T>(work: (database: ReturnType<typeof openDatabase>['db']) => Promise<T>) =>
      (async () => {
        await using database = openDatabase(world().env.DATABASE_URL!)
        return await work(database.db)
      })()

    test('what is wrong with a request is said before there is a run', async () => {
      await publish(world(), asking('agent.checked'))
      const start = (agent: string, body: unknown) =>
        codeOf(call('POST', `/agents/${agent}/durable-runs`, 'editor', body))
      expect(await start('agent.nobody', { input: 1 })).toEqual([404, 'agent_not_found'])
      expect(await start('agent.checked', { input: 1, version: '9' })).toEqual([
        404,
        'agent_version_not_found',
      ])
      expect(await start('agent.checked', {})).toEqual([422, 'validation_error'])
      expect(await codeOf(call('POST', '/agents/agent.checked/runs', 'editor', { input: 1 }))).toEqual([
        400,
        'durable_required',
      ])
    })

    test('every refusal of an answer, in its order', async () => {
      await publish(world(), asking('agent.refusing', { inputSchema: { required: ['ok', 'why'] } }))
      const id = await enqueue(world(), 'agent.refusing', 1)
      await reaches(world(), id, 'waiting')
      const answer = (as: 'viewer' | 'editor', input: unknown) =>
        codeOf(call('POST', `/runs/${id}/resume`, as, { input }))
      expect(await answer('viewer', {})).toEqual([404, 'run_not_found'])
      for (const lacking of [{ ok: 1 }, 'text', null, ['ok', 'why']]) {
        expect(await answer('editor', lacking)).toEqual([422, 'resume_schema_mismatch'])
      }
      await db((on) => on.updateTable('runs').set({ awaiting_node: null }).where('id', '=', id).execute())
      expect(await answer('editor', {})).toEqual([409, 'awaiting_node_missing'])
      await db((on) => on.updateTable('runs').set({ awaiting_node: 'ask' }).where('id', '=', id).execute())
      await db((on) => on.deleteFrom('durable_runs').where('run_id', '=', id).execute())
      expect(await answer('editor', { ok: 1, why: 2 })).toEqual([410, 'workflow_gone'])
      expect((await call('GET', `/runs/${id}`)).body).toMatchObject({ status: 'failed', awaiting_node: null })
      expect(await answer('editor', { ok: 1, why: 2 })).toEqual([409, 'run_not_waiting'])
      expect(await codeOf(call('GET', `/runs/${id}/awaiting`))).toEqual([409, 'run_not_waiting'])
    })

    test('the live trace of a run stays open while it waits for a person', async () => {
      await publish(world(), asking('agent.followed'))
      const id = await enqueue(world(), 'agent.followed', 1)
      const { response } = await call('GET', `/runs/${id}/trace/stream`)
      const seen: string[] = []
      for await (const { event, data } of events(response)) {
        const { name, status } = JSON.parse(data)
        seen.push(event === 'done' ? 'done' : `${event} ${name} ${status}`)
        if (seen.at(-1) === 'span.open ask running') await resume(world(), id, 'go')
      }
      expect(seen).toContain('span.close ask ok')
      expect(seen.indexOf('span.open ask running')).toBeLessThan(seen.indexOf('span.close ask ok'))
      expect(seen.at(-1)).toBe('done')
    })

    test('of many answers at once one counts', async () => {
      await publish(world(), asking('agent.raced'))
      const id = await enqueue(world(), 'agent.raced', 1)
      await reaches(world(), id, 'waiting')
      const answers = await Promise.all(Array.from({ length: 8 }, (_, index) => resume(world(), id, index)))
      const taken = answers.findIndex(({ status }) => status === 202)
      expect(answers.filter(({ status }) => status === 202)).toHaveLength(1)
      expect(await reaches(world(), id, 'completed')).toMatchObject({ output: String(taken) })
    })

    test('a waiting run outlives a restart and the deletion of its agent', async () => {
      await publish(world(), asking('agent.deleted'))
      const id = await enqueue(world(), 'agent.deleted', 1)
      await reaches(world(), id, 'waiting')
      await call('DELETE', '/agents/agent.deleted')
      await world().restart()
      expect((await call('GET', `/runs/${id}`)).body).toMatchObject({
        status: 'waiting',
        awaiting_node: 'ask',
      })
      await resume(world(), id, 'still')
      expect(await reaches(world(), id, 'completed')).toMatchObject({ output: 'still' })
    })

    test('when a run ends nothing of its checkpoints is left', async () => {
      await publish(world(), asking('agent.tidy'))
      const ids = await Promise.all([0, 1].map(() => enqueue(world(), 'agent.tidy', 'x'.repeat(300_000))))
      for (const id of ids) await reaches(world(), id, 'waiting')
      await resume(world(), ids[0]!, 'y'.repeat(300_000))
      expect((await reaches(world(), ids[0]!, 'completed')).output).toHaveLength(300_000)
      expect(await codeOf(call('POST', `/runs/${ids[1]}/cancel`))).toEqual([202, undefined])
      expect(await codeOf(call('POST', `/runs/${ids[1]}/cancel`))).toEqual([409, 'run_finished'])
      expect((await call('GET', `/runs/${ids[1]}`)).body).toMatchObject({
        status: 'failed',
        error: 'cancelled',
      })
      for (const table of ['durable_runs', 'run_steps', 'run_gates'] as const) {
        expect(
          await db((on) => on.selectFrom(table).select('run_id').where('run_id', 'in', ids).execute()),
        ).toEqual([])
      }
      for (const id of ids) {
        const { spans } = (await call('GET', `/runs/${id}/trace`)).body
        expect(spans.filter(({ status }: { status: string }) => status === 'running')).toEqual([])
      }
    })

    test('cancel ends a run in the middle of a model call', async () => {
      await world().registerModel()
      const standing = Promise.withResolvers<void>()
      world().provider.answers({
        deltas: ['never'],
        before() {
          standing.resolve()
          return new Promise(() => {})
        },
      })
      await publish(world(), talking({ id: 'agent.talking' }))
      const id = await enqueue(world(), 'agent.talking', 'x')
      await standing.promise
      expect((await call('POST', `/runs/${id}/cancel`)).body).toEqual({ runId: id, status: 'failed' })
      expect(await reaches(world(), id, 'failed')).toMatchObject({ error: 'cancelled' })
      world().provider.answers({ deltas: ['hi'] })
    })

    test('a model that fails is tried three times, and one that is refused once', async () => {
      await world().registerModel()
      await publish(world(), talking({ id: 'agent.retried' }))
      let asked = 0
      world().provider.on('/v1/chat/completions', () => {
        asked++
        return Response.json({ error: { message: 'busy' } }, { status: asked < 3 ? 503 : 400 })
      })
      expect(await finished(world(), 'agent.retried', 'x')).toMatchObject({ status: 'failed' })
      expect(asked).toBe(3)
    })

    test('a session gets the turn of a durable run, and the run its history', async () => {
      await publish(world(), asking('agent.session'))
      const id = await enqueue(world(), 'agent.session', 'question', { session_id: 'durable-talk' })
      await reaches(world(), id, 'waiting')
      await resume(world(), id, 'answer')
      await reaches(world(), id, 'completed')
      const { messages } = (await call('GET', '/sessions/durable-talk')).body
      expect(messages.map(({ content }: { content: string }) => content)).toEqual(['question', 'answer'])
    })

    test('a fork takes over what was done before its step', async () => {
      await publish(
        world(),
        graph(
          [node('in', 'input'), gate('first'), gate('second'), node('out', 'output')],
          ['in.out>first.in', 'first.out>second.in', 'second.out>out.in'],
          { id: 'agent.forked' },
        ),
      )
      const id = await enqueue(world(), 'agent.forked', 1)
      await reaches(world(), id, 'waiting')
      await resume(world(), id, 'one', { node: 'first' })
      await reaches(world(), id, 'waiting')
      await resume(world(), id, 'two', { node: 'second' })
      await reaches(world(), id, 'completed')
      const fork = await call('POST', `/runs/${id}/fork`, 'editor', { from_step: 'second' })
      expect(fork.status).toBe(202)
      expect(await reaches(world(), fork.body.run_id, 'waiting')).toMatchObject({
        awaiting_node: 'second',
        parent_run_id: id,
      })
      expect((await call('GET', `/runs/${fork.body.run_id}/awaiting`)).body.input).toEqual({ in: 'one' })
      await resume(world(), fork.body.run_id, 'other')
      expect(await reaches(world(), fork.body.run_id, 'completed')).toMatchObject({ output: 'other' })
      expect(await codeOf(call('POST', `/runs/${id}/fork`, 'editor', { from_step: 'nowhere' }))).toEqual([
        404,
        'step_not_found',
      ])
      await call('PUT', '/agents/agent.forked/io-policy', 'editor', { io_capture: 'off' })
      const quiet = await enqueue(world(), 'agent.forked', 1)
      await reaches(world(), quiet, 'waiting')
      await resume(world(), quiet, 'one', { node: 'first' })
      await reaches(world(), quiet, 'waiting')
      expect(await codeOf(call('POST', `/runs/${quiet}/fork`, 'editor', { from_step: 'second' }))).toEqual([
        409,
        'outputs_not_recorded',
      ])
    })
  },
  { env: { SERVICE_DURABLE: 'true' } },
)

eachDatabase((world) => {
  test('without durable mode, that is said before anything is looked up', async () => {
    const post = async (path: string, body: unknown) => {
      const answer = await world().call('POST', path, { as: 'editor', body })
      return [answer.status, answer.body.error?.code]
    }
    expect(await post('/agents/agent.nobody/durable-runs', { input: 1 })).toEqual([400, 'durable_required'])
    expect(await post('/runs/nothing/resume', { input: 1 })).toEqual([404, 'run_not_found'])
    await publish(world(), shouting({ id: 'agent.inline' }))
    const { body } = await world().call('POST', '/agents/agent.inline/runs', {
      as: 'editor',
      body: { input: 'x', stream: false },
    })
    expect(await post(`/runs/${body.runId}/resume`, { input: 1 })).toEqual([400, 'durable_required'])
    expect(await post(`/runs/${body.runId}/fork`, { from_step: 'out' })).toEqual([400, 'durable_required'])
  })
})
