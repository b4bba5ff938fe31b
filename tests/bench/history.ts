import { join } from 'node:path'
import { openMigrated } from '#kernel/db/migrate'
import { newId } from '#kernel/ids'
import { bareEnvironment, emptyFolder, startTycho } from '../support/process'
import { quantile, round, table } from './statistics'

const PASSWORD = 'correct horse battery'
const RUNS = 1_000_000
const AT_ONCE = 1_000
const TIMES = 20

/** The list of runs when there are a million: the first page, a deep one, and narrowed in each way. */
export async function benchHistory(command: string[]) {
  const env = bareEnvironment(emptyFolder())
  const file = join(emptyFolder(), 'history.db')
  const middle = await fill(`sqlite:${file}`)
  await using tycho = await startTycho({
    command,
    args: ['serve', '--log-level', 'warn'],
    env: { ...env, DATABASE_URL: `sqlite:${file}` },
  })
  const { control } = tycho.urls as { control: string }
  const setup = await fetch(`${control}/auth/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'bench', password: PASSWORD }),
  })
  const { token } = (await setup.json()) as { token: string }
  const rows = []
  for (const [list, query] of Object.entries({
    'first page': '',
    'page in the middle': `before=${middle}`,
    'failed, one in 1,000': 'status=failed',
    'of one agent in 50': 'agent_id=agent.7',
    'of one agent, failed': 'agent_id=agent.7&status=failed',
    'text, first 5,000 looked through, no find': 'text=nowhere',
  })) {
    const samples = []
    for (let time = 0; time < TIMES; time++) {
      const startedAt = performance.now()
      const response = await fetch(`${control}/runs?${query}`, {
        headers: { authorization: `Bearer ${token}` },
      })
      await response.arrayBuffer()
      if (!response.ok) throw new Error(`${query}: ${response.status}`)
      samples.push(performance.now() - startedAt)
    }
    rows.push({ list, 'p50 ms': round(quantile(samples, 0.5)), 'p95 ms': round(quantile(samples, 0.95)) })
  }
  table('A page of 50 of a million runs, SQLite', rows)
}

/** @returns the id of the run in the middle */
async function fill(url: string): Promise<string> {
  const opened = await openMigrated(url)
  await using database = opened.database
  const start = Date.now() - RUNS * 1_000
  let middle = ''
  for (let from = 0; from < RUNS; from += AT_ONCE) {
    const rows = Array.from({ length: AT_ONCE }, (_, index) => runOf(from + index, start))
    if (from === RUNS / 2) middle = rows[0]!.id
    await database.db.insertInto('runs').values(rows).execute()
  }
  return middle
}

const runOf = (index: number, start: number) => ({
  id: newId('bare', start + index * 1_000),
  status: index % 1_000 === 0 ? ('failed' as const) : ('completed' as const),
  model: 'test-model',
  graph_id: `agent.${index % 50}`,
  graph_version: '1.0.0',
  output: `The answer to question ${index}. ${'It goes on like this. '.repeat(20)}`,
  runtime: 'inproc' as const,
  capture_level: 'full' as const,
  created_at: start + index * 1_000,
  updated_at: start + index * 1_000,
  completed_at: start + index * 1_000 + 500,
})
