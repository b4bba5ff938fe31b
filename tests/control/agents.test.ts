import { describe, expect, test } from 'bun:test'
import { openDatabase } from '#kernel/db/open'
import { document, edge, node } from '../graph/support'
import { eachDatabase } from '../support/world'

/** A document of three nodes under an id of its own. */
const agent = (id: string, rest: Record<string, unknown> = {}) =>
  document(
    [node('ask', 'input'), node('say', 'transform', { expr: '"$in"' }), node('end', 'output')],
    [edge('ask.out', 'say.in'), edge('say.out', 'end.in')],
    { id, name: `Name of ${id}`, ...rest },
  )

/** The test vector of the interface, 1.4. */
const VECTOR = {
  schemaVersion: '1.0',
  id: 'agt_01J9X8TRIVIAL',
  name: 'trivial-llm',
  version: '0.1.0',
  models: {
    default: { binding: 'mlx', model: 'triage-fast', params: { temperature: 0.2, maxTokens: 256 } },
  },
  nodes: [
    { id: 'n_in', type: 'input', kind: 'boundary', ports: { out: [{ id: 'out' }] } },
    {
      id: 'n_llm',
      type: 'llm',
      kind: 'activity',
      config: { model: 'default', messages: [{ role: 'user', content: '$in' }] },
      ports: { in: [{ id: 'in' }], out: [{ id: 'ok' }, { id: 'err', type: 'error' }] },
    },
    { id: 'n_out', type: 'output', kind: 'boundary', ports: { in: [{ id: 'in' }] } },
  ],
  edges: [
    { id: 'e1', source: 'n_in', sourceHandle: 'out', target: 'n_llm', targetHandle: 'in' },
    { id: 'e2', source: 'n_llm', sourceHandle: 'ok', target: 'n_out', targetHandle: 'in' },
  ],
}
const VECTOR_HASH = 'sha256:7e8f9d839ed6ab9990024867f703a6e2b49ca1ec4cf4e37111583cebe7030966'

eachDatabase((world) => {
  const call = (method: string, path: string, body?: unknown) =>
    world().call(method, path, { as: 'editor', body })
  const publish = (ir: unknown, name?: string) => call('POST', '/agents', { ir, name })
  const addVersion = (id: string, ir: unknown) => call('POST', `/agents/${id}/versions`, { ir })
  const codeOf = ({ status, body }: { status: number; body: { error: { code: string } } }) =>
    `${status} ${body.error.code}`

  describe('publishing', () => {
    test('answers with the agent, and the version is there under the hash of the server', async () => {
      const view = { nodes: { n_llm: { position: { x: 1, y: 2 } } } }
      const made = await publish({ ...VECTOR, view, contentHash: 'sha256:of-the-client' })
      expect(made.status).toBe(201)
      expect(made.body).toMatchObject({ id: VECTOR.id, name: 'trivial-llm' })
      expect(made.body.versions).toEqual([
        { version: '0.1.0', content_hash: VECTOR_HASH, seq: 1, created_at: made.body.created_at },
      ])
      const { status, body } = await call('GET', `/agents/${VECTOR.id}/versions/0.1.0`)
      expect(status).toBe(200)
      expect(body).toMatchObject({ agent_id: VECTOR.id, version: '0.1.0', content_hash: VECTOR_HASH, view })
      expect(body.ir.contentHash).toBe(VECTOR_HASH)
      expect(body.ir).not.toHaveProperty('view')
      expect(body.ir.nodes[0]).toMatchObject({ label: null, config: {} })
    })

    test('what is stored has the same hash when it is published again', async () => {
      const { body } = await call('GET', `/agents/${VECTOR.id}/versions/0.1.0`)
      const again = await addVersion(VECTOR.id, { ...body.ir, view: null })
      expect(again.status).toBe(200)
    })

    test('a key that trips programs is kept as it is', async () => {
      const metadata = '{"__proto__": {"deep": 1}, "constructor": "x", "nul": "a\\u0000b"}'
      const ir = JSON.stringify(agent('agent.trap')).replace(/}$/, `, "metadata": ${metadata}}`)
      expect((await call('POST', '/agents', `{"ir": ${ir}}`)).status).toBe(201)
      const stored = (await call('GET', '/agents/agent.trap/versions/1.0.0')).body.ir.metadata
      expect(JSON.stringify(stored)).toBe(JSON.stringify(JSON.parse(metadata)))
    })

    test('a name that is given stays; without one the newest document names the agent', async () => {
      await publish(agent('agent.named'), 'Chosen')
      await addVersion('agent.named', agent('agent.named', { version: '2', name: 'Other' }))
      expect((await call('GET', '/agents/agent.named')).body.name).toBe('Chosen')
      await publish(agent('agent.unnamed'))
      const renamed = await addVersion('agent.unnamed', agent('agent.unnamed', { version: '2', name: 'New' }))
      expect(renamed.body.name).toBe('New')
    })

    test('what is wrong with the document is told at once, the first as the message', async () => {
      const nodes = [node('a', 'input'), node('a', 'input'), { ...node('b', 'output'), kind: 'activity' }]
      const { status, body } = await publish(document(nodes, [], { id: 'agent.broken' }))
      expect(status).toBe(400)
      expect(body.error.code).toBe('invalid_ir')
      expect(body.problems.map(({ code }: { code: string }) => code)).toEqual([
        'duplicate_node_id',
        'kind_mismatch',
      ])
      expect(body.error.message).toBe(body.problems[0].message)
      expect(body.problems[0]).toMatchObject({ node_id: 'a', path: '/nodes/1/id' })
      expect(codeOf(await call('GET', '/agents/agent.broken'))).toBe('404 agent_not_found')
    })

    test.each([
      ['nothing', undefined],
      ['a text', 'agent'],
      ['a list', []],
      ['a document without an id', { schemaVersion: '1.0', name: 'x', version: '1' }],
      ['an id with a slash', agent('agent/x')],
      ['a version that no text can hold', agent('agent.nul', { version: '1\0' })],
      ['a version of half a character', agent('agent.half', { version: '\ud800' })],
    ])('%s is no agent', async (_, ir) => {
      expect(codeOf(await publish(ir))).toBe('400 invalid_ir')
    })

    test('nesting beyond all bounds is refused', async () => {
      const deep = JSON.parse('['.repeat(5_000) + ']'.repeat(5_000))
      expect(codeOf(await publish(agent('agent.deep', { metadata: { deep } })))).toBe('400 invalid_ir')
    })

    test('a type that nothing can execute yet is stored', async () => {
      expect((await publish(document([node('m', 'memory')], [], { id: 'agent.future' }))).status).toBe(201)
    })

    test('an id that is taken is a conflict, also with the same content', async () => {
      await publish(agent('agent.taken'))
      expect(codeOf(await publish(agent('agent.taken')))).toBe('409 agent_exists')
    })

    test('of several at once, one makes the agent', async () => {
      const rivals = Array.from({ length: 6 }, (_, index) =>
        publish(agent('agent.race', { version: `${index}` })),
      )
      const answers = (await Promise.all(rivals)).map(({ status }) => status).sort()
      expect(answers).toEqual([201, 409, 409, 409, 409, 409])
      expect((await call('GET', '/agents/agent.race')).body.versions).toHaveLength(1)
    })
  })

  describe('versions', () => {
    test('come newest first, and the latest is the one published last', async () => {
      await publish(agent('agent.many', { version: '2.0.0' }))
      const { status, body } = await addVersion('agent.many', agent('agent.many', { version: '1.5.0' }))
      expect(status).toBe(201)
      expect(body.versions).toMatchObject([
        { version: '1.5.0', seq: 2 },
        { version: '2.0.0', seq: 1 },
      ])
      const { agents } = (await call('GET', '/agents?limit=200')).body
      expect(agents.find(({ id }: { id: string }) => id === 'agent.many')).toEqual({
        id: 'agent.many',
        name: 'Name of agent.many',
        created_at: body.created_at,
        updated_at: body.updated_at,
        latest_version: '1.5.0',
        latest_content_hash: body.versions[0].content_hash,
        version_count: 2,
      })
    })

    test('the same content again changes nothing, whatever the layout', async () => {
      const before = (await publish({ ...agent('agent.same'), view: { zoom: 1 } })).body
      const again = await addVersion('agent.same', { ...agent('agent.same'), view: { zoom: 2 } })
      expect(again.status).toBe(200)
      expect(again.body).toEqual(before)
      const { body } = await call('GET', '/agents/agent.same/versions/1.0.0')
      expect(body.view).toEqual({ zoom: 1 })
    })

    test('other content under a version that is there is a conflict', async () => {
      await publish(agent('agent.fixed'))
      const other = agent('agent.fixed', { name: 'Another' })
      expect(codeOf(await addVersion('agent.fixed', other))).toBe('409 version_conflict')
      expect((await call('GET', '/agents/agent.fixed/versions/1.0.0')).body.ir.name).toBe(
        'Name of agent.fixed',
      )
    })

    test('a document of another agent, an invalid one, and one of an unknown agent are refused', async () => {
      await publish(agent('agent.own'))
      expect(codeOf(await addVersion('agent.own', agent('agent.foreign')))).toBe('400 agent_id_mismatch')
      expect(codeOf(await addVersion('agent.own', {}))).toBe('400 invalid_ir')
      expect(codeOf(await call('POST', '/agents/agent.own/versions', {}))).toBe('400 invalid_ir')
      expect(codeOf(await addVersion('agent.nowhere', agent('agent.nowhere')))).toBe('404 agent_not_found')
    })

    test('of two with other content at once, one wins', async () => {
      await publish(agent('agent.duel'))
      const [one, other] = ['One', 'Other'].map((name) => agent('agent.duel', { version: '2', name }))
      const answers = await Promise.all([one, other, one].map((ir) => addVersion('agent.duel', ir)))
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
      const statuses = answers.map(({ status }) => status).sort()
      expect([
        [200, 201, 409],
        [201, 409, 409],
      ]).toContainEqual(statuses)
    })

    test('many at once are all kept, in one order', async () => {
      await publish(agent('agent.busy', { version: '0' }))
      const made = Array.from({ length: 8 }, (_, index) =>
        addVersion('agent.busy', agent('agent.busy', { version: `${index + 1}` })),
      )
      expect((await Promise.all(made)).map(({ status }) => status)).toEqual(Array(8).fill(201))
      const { versions } = (await call('GET', '/agents/agent.busy')).body
      expect(versions.map(({ seq }: { seq: number }) => seq)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1])
    })

    test('an unknown one and one of an unknown agent are told apart', async () => {
      await publish(agent('agent.short'))
      for (const version of ['9', '%00', '%E0%A4%A'])
        expect(codeOf(await call('GET', `/agents/agent.short/versions/${version}`))).toBe(
          '404 agent_version_not_found',
        )
      expect(codeOf(await call('GET', '/agents/agent.none/versions/1.0.0'))).toBe('404 agent_not_found')
      for (const id of ['%00', '%E0%A4%A'])
        expect(codeOf(await call('GET', `/agents/${id}`))).toBe('404 agent_not_found')
    })
  })

  describe('the difference of two versions', () => {
    const diff = (query: string) => call('GET', `/agents/agent.diff/diff?${query}`)

    test('names nodes, edges, paths of configs, models and tools', async () => {
      await publish(agent('agent.diff'))
      const [ask, , end] = agent('agent.diff').nodes as object[]
      const later = agent('agent.diff', {
        version: '2',
        models: { small: { binding: 'mlx', model: 'small-chat', params: { topP: 1 } } },
        tools: { say: { kind: 'builtin', ref: 'echo' } },
        nodes: [
          ask,
          { ...node('say', 'transform', { expr: '"Oh $in"' }), label: 'Says' },
          end,
          node('more', 'memory'),
        ],
        edges: [edge('ask.out', 'say.in'), edge('say.out', 'end.in', { channel: 'control' })],
      })
      await addVersion('agent.diff', later)
      const { status, body } = await diff('a=1.0.0&b=2')
      expect(status).toBe(200)
      expect(body).toMatchObject({ a: '1.0.0', b: '2', document: [] })
      expect(body.nodes.added).toMatchObject([{ id: 'more', type: 'memory' }])
      expect(body.nodes.removed).toEqual([])
      expect(body.nodes.changed).toEqual([
        {
          id: 'say',
          paths: [
            { path: '/label', a: null, b: 'Says' },
            { path: '/config/expr', a: '"$in"', b: '"Oh $in"' },
          ],
        },
      ])
      expect(body.edges.added).toMatchObject([{ source: 'say', target: 'end', channel: 'control' }])
      expect(body.edges.removed).toMatchObject([{ source: 'say', target: 'end', channel: 'data' }])
      expect(body.models).toEqual([
        { path: '/small/binding', a: 'llamacpp', b: 'mlx' },
        { path: '/small/params/topP', b: 1 },
      ])
      expect(body.tools).toEqual([{ path: '/say', b: { kind: 'builtin', ref: 'echo' } }])
    })

    test('turned round it is the other way round; of one version it is empty', async () => {
      const { body } = await diff('a=2&b=1.0.0')
      expect(body.nodes.removed).toMatchObject([{ id: 'more' }])
      expect(body.models).toContainEqual({ path: '/small/params/topP', a: 1 })
      expect((await diff('a=2&b=2')).body).toEqual({
        a: '2',
        b: '2',
        document: [],
        nodes: { added: [], removed: [], changed: [] },
        edges: { added: [], removed: [] },
        models: [],
        tools: [],
      })
    })

    test('needs two versions that are there', async () => {
      expect(codeOf(await diff('a=2&b=3'))).toBe('404 agent_version_not_found')
      expect(codeOf(await diff('a=2'))).toBe('422 validation_error')
      expect(codeOf(await call('GET', '/agents/agent.none/diff?a=1&b=2'))).toBe('404 agent_not_found')
    })
  })

  describe('the list', () => {
    test('is newest first, page by page, and a new agent does not shift it', async () => {
      for (let index = 0; index < 5; index++) await publish(agent(`agent.page${index}`))
      const ids = async (query: string): Promise<string[]> =>
        (await call('GET', `/agents?${query}`)).body.agents.map(({ id }: { id: string }) => id)
      expect(await ids('limit=2')).toEqual(['agent.page4', 'agent.page3'])
      await publish(agent('agent.page5'))
      await addVersion('agent.page0', agent('agent.page0', { version: '2' }))
      expect(await ids('limit=2&before=agent.page3')).toEqual(['agent.page2', 'agent.page1'])
      expect(codeOf(await call('GET', '/agents?limit=0'))).toBe('422 validation_error')
      expect(codeOf(await call('GET', '/agents?limit=201'))).toBe('422 validation_error')
    })

    test('is for every role, and publishing for editors', async () => {
      expect((await world().call('GET', '/agents', { as: 'viewer' })).status).toBe(200)
      const ir = agent('agent.viewers')
      expect(codeOf(await world().call('POST', '/agents', { as: 'viewer', body: { ir } }))).toBe(
        '403 forbidden',
      )
    })

    test('is what /stats counts', async () => {
      const { agents } = (await call('GET', '/stats')).body
      await publish(agent('agent.counted'))
      expect((await call('GET', '/stats')).body.agents).toBe(agents + 1)
    })
  })

  describe('deleting', () => {
    test('takes versions and policy, and leaves drafts and runs', async () => {
      await publish(agent('agent.gone'))
      await call('PUT', '/agents/agent.gone/io-policy', { io_capture: 'off' })
      const draft = (await call('POST', '/drafts', { ir: {}, agent_id: 'agent.gone' })).body
      await runOf('agent.gone')
      expect((await call('DELETE', '/agents/agent.gone')).status).toBe(204)

      expect(codeOf(await call('GET', '/agents/agent.gone'))).toBe('404 agent_not_found')
      expect(codeOf(await call('GET', '/agents/agent.gone/io-policy'))).toBe('404 agent_not_found')
      expect(codeOf(await call('DELETE', '/agents/agent.gone'))).toBe('404 agent_not_found')
      expect((await call('GET', `/drafts/${draft.id}`)).body.agent_id).toBe('agent.gone')
      const run = await world().call('GET', '/runs/run-of-gone', { as: 'admin' })
      expect(run.body).toMatchObject({ graph_id: 'agent.gone' })
    })

    test('the id is free again, and starts without history and policy', async () => {
      await publish(agent('agent.again'))
      await call('PUT', '/agents/agent.again/io-policy', { io_capture: 'off' })
      await call('DELETE', '/agents/agent.again')
      expect((await publish(agent('agent.again', { name: 'Anew' }))).body.versions).toMatchObject([
        { seq: 1 },
      ])
      expect((await call('GET', '/agents/agent.again/io-policy')).body.has_explicit_policy).toBe(false)
    })
  })

  /** A run of that agent, as one of long ago. */
  async function runOf(agentId: string) {
    await using database = openDatabase(world().env.DATABASE_URL!)
    await database.db
      .insertInto('runs')
      .values({
        id: 'run-of-gone',
        status: 'completed',
        model: '',
        graph_id: agentId,
        graph_version: '1.0.0',
        runtime: 'inproc',
        capture_level: 'full',
        created_at: 1,
        updated_at: 1,
        completed_at: 1,
      })
      .execute()
  }
})
