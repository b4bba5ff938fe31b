import { sql } from 'kysely'
import { openDatabase } from '#kernel/db/open'
import { silentLogger } from '#kernel/log'
import { migrations } from '../../migrations'
import { archiveService } from '../../src/control/gateways/archive/service'
import type { RequestLine } from '../../src/control/gateways/ingest/line'
import type { World } from './world'

export type Line = RequestLine

type More = Partial<Omit<Line, 'request' | 'response' | 'tokens' | 'time'>> & {
  request?: Partial<Line['request']>
  response?: Partial<Line['response']>
  tokens?: Partial<Line['tokens']>
  time?: Partial<Line['time']>
}

/** A record as a gateway writes it: one tool call, and the result of another that failed. */
export function requestLine({ request, response, tokens, time, ...more }: More): Line {
  const seq = more.seq ?? 1
  return {
    v: 1,
    type: 'request',
    id: `gwr_${more.epoch ?? 'e'}_${String(seq).padStart(6, '0')}`,
    epoch: 'e',
    seq,
    developer_id: null,
    key_id: null,
    billing: 'own',
    client: 'claude-code',
    client_version: '2.1.329',
    session_id: 'ses',
    agent_id: null,
    parent_agent_id: null,
    turn_key: `turn-${seq}`,
    attempt: 1,
    project: { name: 'shop', source: 'cwd' },
    request: {
      protocol: 'anthropic',
      kind: 'generate',
      model_requested: 'claude-test-1',
      stream: true,
      tool_results: [{ id: `r${seq}`, name: 'Bash', bytes: 120, is_error: true }],
      ...request,
    },
    response: {
      status: 200,
      model: 'claude-test-1',
      stop_reason: 'tool_use',
      tools_used: [{ id: `u${seq}`, name: 'Bash', bytes: 12 }],
      ended: 'complete',
      error_type: null,
      ...response,
    },
    tokens: {
      input: 10,
      cache_read: 400,
      cache_write_5m: 20,
      cache_write_1h: 10,
      output: 25,
      reasoning: 0,
      estimated: false,
      ...tokens,
    },
    time: { at: Date.now(), ttfb_ms: 100, ttft_ms: 200, total_ms: 700, ...time },
    ...more,
  }
}

/** Makes the smaller totals anew, as the migration does where records were there before. */
export async function refilled(world: World): Promise<void> {
  await using database = openDatabase(world.env.DATABASE_URL!)
  for (const table of ['gateway_day_sums', 'gateway_session_spans'] as const)
    await database.db.deleteFrom(table).execute()
  const script = migrations['0010_gateway_sums']!.replace(/--.*$/gm, '').split(';')
  for (const statement of script.filter((text) => text.trim().startsWith('insert')))
    await sql.raw(statement).execute(database.db)
}

/** One round of the archiver over a world's database, at another time. @returns how many requests are left in detail */
export async function archived(world: World, now: number, day: string): Promise<number> {
  await using database = openDatabase(world.env.DATABASE_URL!)
  const settings = { get: () => 1 } as unknown as Parameters<typeof archiveService>[0]['settings']
  await archiveService({ db: database.db, settings, log: silentLogger(), now: () => now }).sweep(
    new AbortController().signal,
  )
  const left = await database.db.selectFrom('gateway_records').where('day', '=', day).select('id').execute()
  return left.length
}
