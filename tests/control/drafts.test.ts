import { expect, test } from 'bun:test'
import { eachDatabase } from '../support/world'

const IR = { name: 'Half an agent', nodes: [{ id: 'a' }, 'no node at all'], anything: { goes: null } }

eachDatabase((world) => {
  const call = (method: string, path: string, body?: unknown) =>
    world().call(method, path, { as: 'editor', body })
  const create = async (body: unknown) => (await call('POST', '/drafts', body)).body
  const codeOf = ({ status, body }: { status: number; body: { error: { code: string } } }) =>
    `${status} ${body.error.code}`
  const ids = async (query = ''): Promise<string[]> =>
    (await call('GET', `/drafts?${query}`)).body.drafts.map(({ id }: { id: string }) => id)

  test('a draft is kept as it is, without being looked at as a graph', async () => {
    const view = { nodes: { a: { position: { x: 1, y: 2 } } } }
    const { status, body } = await call('POST', '/drafts', { ir: IR, view, agent_id: 'agent.x' })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.stringMatching(/^drf_[0-9A-Z]{26}$/),
      agent_id: 'agent.x',
      owner_id: null,
      name: 'Half an agent',
      node_count: 2,
      created_at: expect.any(String),
      updated_at: body.created_at,
      ir: IR,
      view,
    })
    expect((await call('GET', `/drafts/${body.id}`)).body).toEqual(body)
  })

  test.each([
    ['nothing', {}],
    ['null', { ir: null }],
    ['a list', { ir: [] }],
    ['a text', { ir: 'x' }],
    ['something endlessly deep', { ir: { deep: JSON.parse('['.repeat(5_000) + ']'.repeat(5_000)) } }],
    ['an object linked to no id', { ir: {}, agent_id: 5 }],
  ])('%s is no draft', async (_, body) => {
    expect(codeOf(await call('POST', '/drafts', body))).toBe('400 invalid_draft')
    const { id } = await create({ ir: { name: 'Kept' } })
    if (!('agent_id' in body))
      expect(codeOf(await call('PUT', `/drafts/${id}`, body))).toBe('400 invalid_draft')
    expect((await call('GET', `/drafts/${id}`)).body.ir).toEqual({ name: 'Kept' })
  })

  test.each([
    ['no name and no nodes', {}, null, 0],
    ['a name that is no text', { name: 5, nodes: {} }, null, 0],
    ['a blank name', { name: '  ' }, null, 0],
    ['an odd name', { name: 'a\0b' }, 'a\uFFFDb', 0],
    ['an endless name', { name: 'n'.repeat(100_000) }, 'n'.repeat(200), 0],
  ])('of %s the list makes what it can', async (_, ir, name, node_count) => {
    const made = await create({ ir })
    expect(made).toMatchObject({ name, node_count, ir })
  })

  test('keys that trip programs survive', async () => {
    const ir = '{"__proto__":{"a":1},"constructor":"x","name":"n"}'
    const made = await create(`{"ir": ${ir}}`)
    expect(JSON.stringify((await call('GET', `/drafts/${made.id}`)).body.ir)).toBe(ir)
  })

  test('an edit replaces the document, what lists show of it, and no other field', async () => {
    const made = await create({ ir: IR, view: { zoom: 1 }, agent_id: 'agent.x' })
    const edited = await call('PUT', `/drafts/${made.id}`, {
      ir: { name: 'Whole', nodes: [] },
      agent_id: 'agent.other',
    })
    expect(edited.status).toBe(200)
    expect(edited.body).toMatchObject({
      id: made.id,
      agent_id: 'agent.x',
      created_at: made.created_at,
      name: 'Whole',
      node_count: 0,
      ir: { name: 'Whole', nodes: [] },
      view: { zoom: 1 },
    })
    expect((await call('PUT', `/drafts/${made.id}`, { ir: {}, view: { zoom: 2 } })).body.view).toEqual({
      zoom: 2,
    })
  })

  test('a layout that is no object is dropped', async () => {
    const made = await create({ ir: {}, view: ['x'] })
    expect(made.view).toBeNull()
    await call('PUT', `/drafts/${made.id}`, { ir: {}, view: { zoom: 1 } })
    expect((await call('PUT', `/drafts/${made.id}`, { ir: {}, view: 'x' })).body.view).toBeNull()
  })

  test('the list has summaries, the most recently edited first, page by page', async () => {
    const made: string[] = []
    for (let index = 0; index < 4; index++) {
      made.push((await create({ ir: { name: `${index}` }, agent_id: 'agent.paged' })).id)
    }
    const oldest = made[0]!
    // An edit within the same millisecond would leave the order to the ids.
    let edited: { created_at: string; updated_at: string }
    do edited = (await call('PUT', `/drafts/${oldest}`, { ir: { name: 'edited' } })).body
    while (edited.updated_at === (await call('GET', `/drafts/${made[3]}`)).body.updated_at)
    expect(await ids('limit=4')).toEqual([oldest, made[3]!, made[2]!, made[1]!])
    expect(await ids(`limit=2&before=${made[3]}`)).toEqual([made[2]!, made[1]!])
    expect(await ids('agent_id=agent.paged')).toEqual([oldest, made[3]!, made[2]!, made[1]!])
    expect(await ids(`agent_id=agent.paged&limit=1&before=${made[2]}`)).toEqual([made[1]!])
    expect(await ids('agent_id=agent.unheard')).toEqual([])

    const { drafts } = (await call('GET', '/drafts?limit=1')).body
    expect(Object.keys(drafts[0]).sort()).toEqual(
      ['agent_id', 'created_at', 'id', 'name', 'node_count', 'owner_id', 'updated_at'].sort(),
    )
    expect(codeOf(await call('GET', '/drafts?limit=201'))).toBe('422 validation_error')
  })

  test('a draft that is deleted is gone', async () => {
    const { id } = await create({ ir: {} })
    expect((await call('DELETE', `/drafts/${id}`)).status).toBe(204)
    for (const [method, body] of [['GET'], ['PUT', { ir: {} }], ['DELETE']] as const)
      expect(codeOf(await call(method, `/drafts/${id}`, body))).toBe('404 draft_not_found')
    expect(codeOf(await call('GET', '/drafts/%00'))).toBe('404 draft_not_found')
  })

  test('drafts are for editors', async () => {
    const viewer = (method: string, path: string, body?: unknown) =>
      world().call(method, path, { as: 'viewer', body })
    expect(codeOf(await viewer('GET', '/drafts'))).toBe('403 forbidden')
    expect(codeOf(await viewer('POST', '/drafts', { ir: {} }))).toBe('403 forbidden')
  })

  test('a body beyond all bounds is refused', async () => {
    const { status, body } = await call('POST', '/drafts', { ir: { text: 'x'.repeat(17 * 1024 * 1024) } })
    expect(`${status} ${body.error.code}`).toBe('413 payload_too_large')
  })
})
