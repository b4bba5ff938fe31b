import { beforeAll, describe, expect, test } from 'bun:test'
import { openDatabase } from '#kernel/db/open'
import { newId } from '#kernel/ids'
import { eachDatabase } from '../support/world'

const MINUTE = 60_000
const INSERTED_AT_ONCE = 500
const START = Date.parse('2026-01-01T00:00:00Z')

interface Made {
  status?: 'completed' | 'failed' | 'waiting' | 'streaming'
  output?: string
  error?: string
  model?: string
  agent?: string
  version?: string
  trigger?: string
  userId?: string
}

eachDatabase((world) => {
  /** One a minute, the first at `START`; straight into the table, as years of use would have left them. */
  async function made(runs: Made[], at = START) {
    await using database = openDatabase(world().env.DATABASE_URL!)
    const rows = runs.map((run, index) => ({
      id: newId('bare', at + index * MINUTE),
      status: run.status ?? ('completed' as const),
      model: run.model ?? 'test-model',
      graph_id: run.agent,
      graph_version: run.version,
      trigger_id: run.trigger,
      user_id: run.userId,
      output: run.output,
      error: run.error,
      runtime: 'durable' as const,
      capture_level: 'full' as const,
      created_at: at + index * MINUTE,
      updated_at: at + index * MINUTE,
    }))
    for (let from = 0; from < rows.length; from += INSERTED_AT_ONCE) {
      await database.db
        .insertInto('runs')
        .values(rows.slice(from, from + INSERTED_AT_ONCE))
        .execute()
    }
  }
  const list = async (query: string, as: 'viewer' | 'admin' = 'admin') =>
    (await world().call('GET', `/runs?${query}`, { as })).body
  const outputs = async (query: string, as?: 'viewer' | 'admin') =>
    (await list(query, as)).runs.map(({ output }: { output: string }) => output)

  describe('the list of runs is narrowed', () => {
    beforeAll(async () => {
      const me = (await world().call('GET', '/auth/me', { as: 'editor' })).body.user.id
      await made([
        { output: 'a', agent: 'agent.one', version: '1.0.0' },
        { output: 'b', agent: 'agent.one', version: '2.0.0', status: 'failed', error: 'Out of Quota' },
        { output: 'c', agent: 'agent.two', version: '2.0.0', trigger: 'trigger-1' },
        { output: 'd 100% sure_', status: 'waiting' },
        { output: 'e', model: 'Other-Model', userId: me },
        { output: 'f \\ g', status: 'streaming' },
      ])
    })

    test.each([
      ['status=failed', ['b']],
      ['status=waiting,streaming', ['f \\ g', 'd 100% sure_']],
      ['status=completed,failed', ['e', 'c', 'b', 'a']],
      ['agent_id=agent.one', ['b', 'a']],
      ['agent_id=agent.one&version=2.0.0', ['b']],
      ['version=2.0.0', ['c', 'b']],
      ['trigger_id=trigger-1', ['c']],
      ['since=2026-01-01T00:04:00Z', ['f \\ g', 'e']],
      ['until=2026-01-01T01:02:00%2B01:00', ['b', 'a']],
      ['since=2026-01-01T00:01:00Z&until=2026-01-01T00:03:00Z&status=completed', ['c']],
      ['text=quota', ['b']],
      ['text=other-MODEL', ['e']],
      ['text=agent.t', ['c']],
      ['text=100%25+S', ['d 100% sure_']],
      ['text=_', ['d 100% sure_']],
      ['text=%5C', ['f \\ g']],
      ['text=nowhere', []],
      ['text=%20%20', ['f \\ g', 'e', 'd 100% sure_', 'c', 'b', 'a']],
    ])('by %s', async (query, expected) => {
      expect(await outputs(query)).toEqual(expected)
    })

    test('and shows nobody what is not theirs', async () => {
      expect(await outputs('text=other-model', 'viewer')).toEqual([])
      expect(await outputs('agent_id=agent.one', 'viewer')).toEqual(['b', 'a'])
    })

    test.each(['status=done', 'status=', 'since=yesterday', `text=${'x'.repeat(201)}`, 'limit=0'])(
      '%s is refused',
      async (query) => {
        const { status, body } = await world().call('GET', `/runs?${query}`, { as: 'viewer' })
        expect([status, body.error.code]).toEqual([422, 'validation_error'])
      },
    )
  })

  test('a page says where the next begins, and the last that it is the last', async () => {
    await made(Array.from({ length: 5 }, (_, index) => ({ output: `page ${index}`, agent: 'agent.pages' })))
    const first = await list('agent_id=agent.pages&limit=3')
    expect(first.runs).toHaveLength(3)
    const second = await list(`agent_id=agent.pages&limit=3&before=${first.next_before}`)
    expect(second.runs.map(({ output }: { output: string }) => output)).toEqual(['page 1', 'page 0'])
    expect(second.next_before).toBe(null)
  })

  test('a word among thousands of runs is found piece by piece', async () => {
    const runs: Made[] = Array.from({ length: 11_000 }, () => ({ output: 'hay', agent: 'agent.hay' }))
    runs[2]!.output = 'the Needle'
    await made(runs, START + 10_000 * MINUTE)
    const found: string[] = []
    let pages = 0
    let before = ''
    for (;;) {
      const page = await list(`agent_id=agent.hay&text=needle${before}`)
      found.push(...page.runs.map(({ output }: { output: string }) => output))
      pages++
      if (page.next_before === null) break
      before = `&before=${page.next_before}`
    }
    expect(found).toEqual(['the Needle'])
    expect(pages).toBe(3)
  })
})
