import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { openMigrated } from '#kernel/db/migrate'
import type { Db } from '#kernel/db/tables'
import { migrations } from '../../migrations'
import { bucketColumns } from '../../src/control/gateways/buckets'
import { reportService } from '../../src/control/gateways/reports/service'
import { quantile, round, table } from './statistics'

const DAYS = 90
const DEVELOPERS = 50
/** Sessions of a developer and day; with 110 requests each, ten million in all. */
const SESSIONS = 20
const ROUNDS = 10

/** Reports over the totals that ten million records leave: 90 days of 50 developers who each work on two projects with two models, and meet two kinds of answers. */
export async function benchGatewayReports() {
  const dir = mkdtempSync(join(tmpdir(), 'tycho-reports-'))
  const { database } = await openMigrated(`sqlite:${join(dir, 'bench.db')}`)
  const { db } = database
  const day = sql`date('2026-01-01', '+' || d.n || ' days')`
  const numbers = (count: number) =>
    sql`(with recursive n(n) as (select 0 union all select n + 1 from n where n < ${sql.lit(count - 1)}) select n from n)`
  const zeros = sql.raw(
    bucketColumns.map((_, index) => (index % 24 > 5 && index % 24 < 14 ? '11' : '0')).join(', '),
  )
  await sql`insert into gateway_daily (day, gateway_id, developer_id, project, model, client, billing, status, requests, turns, errors,
    stream_errors, retries, aborts, billable, unpriced, input, cache_read, cache_write_5m, cache_write_1h, output, reasoning, cost,
    ${sql.raw(bucketColumns.join(', '))})
    select ${day}, 'g1', 'u' || u.n, 'p' || p.n, 'm' || m.n, 'claude-code', 'own', case s.n when 0 then 200 else 529 end,
    ${sql.lit(Math.round(10_000_000 / DAYS / DEVELOPERS / 8))}, 50, 1, 0, 2, 1, 60, 0, 1000, 90000, 2000, 0, 30000, 0, 1.5, ${zeros}
    from ${numbers(DAYS)} d, ${numbers(DEVELOPERS)} u, ${numbers(2)} p, ${numbers(2)} m, ${numbers(2)} s`.execute(
    db,
  )
  await sql`insert into gateway_session_days
    select ${day}, 's' || d.n || '-' || u.n || '-' || i.n, 'g1', 'u' || u.n, 'p' || (i.n % 2), 'm' || m.n, 'claude-code', 'own', 200,
    110, 0, 1000, 90000, 2000, 0, 30000, 1.5
    from ${numbers(DAYS)} d, ${numbers(DEVELOPERS)} u, ${numbers(SESSIONS)} i, ${numbers(2)} m`.execute(db)
  await sql`insert into gateway_sessions select session_id, developer_id, 'g1', project, 'claude-code', 'm1',
    unixepoch(day) * 1000, unixepoch(day) * 1000 + 3600000, 110, 100, 1, 1, 1, 40, 0, 1000, 90000, 2000, 30000, 0, 1.5
    from gateway_session_days group by session_id, developer_id`.execute(db)
  await fillSums(db)
  const reports = reportService({ db, now: () => Date.UTC(2026, 2, 31) })
  const admin = { userId: 'a', role: 'admin', credential: 'session', credentialId: 'c' } as const
  const rows = []
  for (const [name, query] of Object.entries({
    '90 days by day': { from: '2026-01-01', to: '2026-04-01', group_by: 'day' },
    '90 days by developer': { from: '2026-01-01', to: '2026-04-01', group_by: 'developer' },
    '90 days by project and model': { from: '2026-01-01', to: '2026-04-01', group_by: 'project,model' },
    '90 days by model': { from: '2026-01-01', to: '2026-04-01', group_by: 'model' },
    '90 days by developer and model': { from: '2026-01-01', to: '2026-04-01', group_by: 'developer,model' },
    '90 days by status': { from: '2026-01-01', to: '2026-04-01', group_by: 'status' },
    '30 days by developer': { from: '2026-03-01', to: '2026-03-31', group_by: 'developer' },
    '7 days by day': { from: '2026-03-24', to: '2026-03-31', group_by: 'day' },
  })) {
    const samples: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const startedAt = performance.now()
      await reports.report(admin, query)
      samples.push(performance.now() - startedAt)
    }
    rows.push({
      report: name,
      'p50 ms': round(quantile(samples, 0.5), 0),
      'p95 ms': round(quantile(samples, 0.95), 0),
    })
  }
  table('Reports over the totals of 10 million records (SQLite)', rows)
  await database[Symbol.asyncDispose]()
  rmSync(dir, { recursive: true, force: true })
}

/** As the migration does it for totals that were there before. */
async function fillSums(db: Db) {
  const script = migrations['0010_gateway_sums']!.replace(/--.*$/gm, '').split(';')
  for (const statement of script.filter((text) => text.trim().startsWith('insert')))
    await sql.raw(statement).execute(db)
}
