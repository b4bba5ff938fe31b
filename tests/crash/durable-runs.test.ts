import { afterAll, describe, expect, test } from 'bun:test'
import { bareEnvironment, emptyFolder, removeFolders, runTycho } from '../support/process'
import { crash } from './durable-harness'

afterAll(removeFolders)

/** The counts that fit into CI; `tests/bench/durable-crash.ts` does thousands. */
const KILLED = {
  sqlite: { graphs: 200, runs: 240, kills: 6 },
  postgres: { graphs: 200, runs: 240, kills: 8, workers: 2, betweenMs: [500, 2_000] as [number, number] },
}
const RESTARTED = {
  sqlite: { graphs: 20, runs: 100, kills: 2 },
  postgres: { graphs: 10, runs: 60, kills: 2, workers: 2 },
}
const seed = () => 1 + Math.floor(Math.random() * 1_000_000)

describe.each((process.env.DB ?? 'sqlite,postgres').split(',') as (keyof typeof KILLED)[])(
  'on %s',
  (kind) => {
    test('killed processes: runs end as if nothing had happened, and nothing on record is done again', async () => {
      const report = await crash({ kind, seed: seed(), ...KILLED[kind] })
      expect(report).toMatchObject({ graphs: 200, wrong: [], repeated: [], excessive: [] })
      expect(report.runs).toBeGreaterThanOrEqual(KILLED[kind].runs)
      // They were killed in the middle of something.
      expect(report.committedAtKills).toBeGreaterThan(0)
      expect(report.inCommit).toBeGreaterThan(0)
    }, 300_000)

    test('restarted processes: nothing is lost, and nothing is done twice', async () => {
      const report = await crash({ kind, seed: seed(), ...RESTARTED[kind], signal: 'SIGTERM' })
      expect(report.wrong).toEqual([])
      expect(report.doneTwice, `${report.interrupted} runs changed hands within a step`).toBe(0)
    }, 120_000)
  },
)

test('a worker says in one line what it needs where the database is a file', async () => {
  const { stderr, code } = await runTycho(['worker'], bareEnvironment(emptyFolder()))
  expect(code).toBe(1)
  expect(stderr.trim().split('\n')).toEqual([expect.stringContaining('A worker needs the Postgres')])
}, 30_000)
