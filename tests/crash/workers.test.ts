import { afterAll, describe, expect, test } from 'bun:test'
import { openDatabase } from '#kernel/db/open'
import { graph, node } from '../support/graphs'
import { removeFolders } from '../support/process'
import { durableInstall } from './durable-install'

/** A dead worker's runs are taken over within that. */
const TAKEN_OVER_MS = 15_000
/** As many as the control plane takes at once; what comes then is for its workers. */
const FIRST_RUNS = 64
const MORE_RUNS = 6
/** Of each worker; the control plane can take over those of both at once. */
const ORPHANS = FIRST_RUNS / 2

afterAll(removeFolders)

const isPostgres = (process.env.DB ?? 'postgres').includes('postgres')

/** Answers nobody until it is told to, each with what it is told. */
function patientServer() {
  const asked = new Map<string, { at: number; answer: (body: string) => void }[]>()
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    idleTimeout: 0,
    async fetch(request) {
      const [run = ''] = request.headers.get('idempotency-key')!.split(':')
      const { promise, resolve } = Promise.withResolvers<string>()
      asked.set(run, [...(asked.get(run) ?? []), { at: performance.now(), answer: resolve }])
      return new Response(await promise)
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    /** By run, when it was asked for its effect. */
    asked,
    answer(runs: string[], time: number, text: string) {
      for (const run of runs) asked.get(run)![time]!.answer(text)
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}

/** It waits for its effect far longer than the test takes. */
const patient = (url: string) =>
  graph(
    [
      node('in', 'input'),
      node('do', 'tool', { config: { tool: 'http_fetch', args: { url, timeout_s: 120 } } }),
      node('ask', 'human'),
      node('say', 'transform', { config: { expr: '$in.did.body & $in.said' }, in: ['did', 'said'] }),
      node('out', 'output'),
    ],
    ['in.out>do.in', 'do.out>ask.in', 'do.out>say.did', 'ask.out>say.said', 'say.out>out.in'],
    { id: 'agent.patient' },
  )

async function until(holds: () => boolean | Promise<boolean>) {
  for (const deadline = performance.now() + 60_000; !(await holds()); await Bun.sleep(20)) {
    if (performance.now() > deadline) throw new Error('it did not come to that')
  }
}

describe.if(isPostgres)('on postgres', () => {
  test('runs of a dead worker and of a frozen one are taken over in time, and late writes are refused', async () => {
    await using server = patientServer()
    await using install = await durableInstall({ kind: 'postgres', workers: 2 })
    const { processes, call } = install
    const [, dead, frozen] = processes
    await install.publish(patient(server.url))
    await using database = openDatabase(install.databaseUrl)
    const { db } = database
    const ids: string[] = []
    let rows: { run_id: string; executor: string | null }[] = []
    const of = (pid: number) => rows.filter(({ executor }) => executor?.split(':')[1] === String(pid))
    const begin = async (count: number) => {
      ids.push(...(await Promise.all(Array.from({ length: count }, () => install.start('agent.patient')))))
      await until(() => server.asked.size === ids.length)
      rows = await db.selectFrom('durable_runs').select(['run_id', 'executor']).execute()
    }
    await begin(FIRST_RUNS)
    while (ids.length < 2 * FIRST_RUNS && (of(dead!.pid).length === 0 || of(frozen!.pid).length === 0))
      await begin(MORE_RUNS)
    const orphans = [dead!, frozen!]
      .flatMap(({ pid }) => of(pid).slice(0, ORPHANS))
      .map(({ run_id }) => run_id)
    const said = (id: string) => (orphans.includes(id) ? 'second' : 'first')
    expect(of(dead!.pid).length).toBeGreaterThan(0)
    expect(of(frozen!.pid).length).toBeGreaterThan(0)
    // The rest make room for what is taken over.
    server.answer(
      ids.filter((id) => !orphans.includes(id)),
      0,
      'first',
    )
    const waiting = async () => (await call('GET', '/runs?status=waiting&limit=200')).runs.length
    await until(async () => (await waiting()) === ids.length - orphans.length)

    const at = performance.now()
    process.kill(frozen!.pid, 'SIGSTOP')
    await dead!.end('SIGKILL')
    // It may have been frozen in the middle of a transaction: as whoever opened the database like it, and says no more.
    const { promise: thawed, resolve: thaw } = Promise.withResolvers<void>()
    using _ = { [Symbol.dispose]: thaw }
    const frozenWrite = db.transaction().execute(async (tx) => {
      await tx.updateTable('durable_runs').set({ epoch: 1 }).where('run_id', '=', orphans[0]!).execute()
      await thawed
    })
    await until(() => orphans.every((id) => server.asked.get(id)!.length === 2))
    thaw()
    expect(await frozenWrite.catch((error) => error)).toBeInstanceOf(Error)
    const laterMs = orphans.map((id) => server.asked.get(id)![1]!.at - at)
    expect(Math.max(...laterMs)).toBeLessThan(TAKEN_OVER_MS)

    server.answer(orphans, 1, 'second')
    await until(async () => (await waiting()) === ids.length)
    // What it waited for has come meanwhile; it stops once it has tried to write that.
    process.kill(frozen!.pid, 'SIGCONT')
    server.answer(orphans, 0, 'too late')
    expect(await frozen!.end('SIGTERM')).toBe(0)

    for (const id of ids) await call('POST', `/runs/${id}/resume`, { input: ' and said' })
    const ends = await install.settled()
    expect(ends.filter(({ id, output }) => output !== `${said(id)} and said`)).toEqual([])
    expect(ids.filter((id) => server.asked.get(id)!.length !== (said(id) === 'second' ? 2 : 1))).toEqual([])
  }, 180_000)
})
