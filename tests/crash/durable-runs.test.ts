import { afterAll, describe, expect, test } from 'bun:test'
import { removeFolders } from '../support/process'
import { crash } from './durable-harness'

afterAll(removeFolders)

/** The counts that fit into CI; `tests/bench/durable.ts crash` does thousands. */
const SHARE = {
  sqlite: { graphs: 20, runs: 100, kills: 4 },
  postgres: { graphs: 10, runs: 60, kills: 2, workers: 2 },
}

describe.each((process.env.DB ?? 'sqlite,postgres').split(',') as (keyof typeof SHARE)[])(
  'kill -9 on %s',
  (kind) => {
    test('random graphs end as if nothing had happened, and nothing on record is done again', async () => {
      const report = await crash({ kind, seed: 1 + Math.floor(Math.random() * 1_000_000), ...SHARE[kind] })
      expect(report).toMatchObject({ runs: SHARE[kind].runs, wrong: [], repeated: [], excessive: [] })
      // It was killed in the middle of something.
      expect(report.committedAtKills).toBeGreaterThan(0)
    }, 120_000)
  },
)
