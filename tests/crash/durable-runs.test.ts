import { afterAll, describe, expect, test } from 'bun:test'
import { bareEnvironment, emptyFolder, removeFolders, runTycho } from '../support/process'
import { crash } from './durable-harness'

afterAll(removeFolders)

/** The counts that fit into CI; `tests/bench/durable.ts` does thousands. */
const SHARE = {
  sqlite: { graphs: 20, runs: 100, kills: 3 },
  postgres: { graphs: 10, runs: 60, kills: 2, workers: 2 },
}
const seed = () => 1 + Math.floor(Math.random() * 1_000_000)

describe.each((process.env.DB ?? 'sqlite,postgres').split(',') as (keyof typeof SHARE)[])('on %s', (kind) => {
  test('killed processes: runs end as if nothing had happened, and nothing on record is done again', async () => {
    const report = await crash({ kind, seed: seed(), ...SHARE[kind] })
    expect(report).toMatchObject({ runs: SHARE[kind].runs, wrong: [], repeated: [], excessive: [] })
    // They were killed in the middle of something.
    expect(report.committedAtKills).toBeGreaterThan(0)
  }, 120_000)

  test('restarted processes: nothing is lost, and nothing is done twice', async () => {
    const report = await crash({ kind, seed: seed(), ...SHARE[kind], kills: 2, signal: 'SIGTERM' })
    expect(report).toMatchObject({ runs: SHARE[kind].runs, wrong: [], doneTwice: 0 })
  }, 120_000)
})

test('a worker says in one line what it needs where the database is a file', async () => {
  const { stderr, code } = await runTycho(['worker'], bareEnvironment(emptyFolder()))
  expect(code).toBe(1)
  expect(stderr.trim().split('\n')).toEqual([expect.stringContaining('A worker needs the Postgres')])
}, 30_000)
