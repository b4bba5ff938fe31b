import type { Db } from '#kernel/db/tables'
import { AppError } from '#kernel/errors'
import type { Logger } from '#kernel/log'
import { every } from '#kernel/loop'
import { type ActivationDeps, activate, type LiveActivation, type RunStart } from './activation'
import type { Claim } from './claim'
import type { Activation, ActivationEnd, DurableEngine } from './engine'
import { runRecords } from './run-records'
import { durableStore, type Standing } from './store'

/** How nodes behave; a change of that which a half-finished run could notice gets a new number beside the old one. */
export const INTERPRETER_VERSION = 1
const KNOWN_VERSIONS: readonly number[] = [INTERPRETER_VERSION]

/** How long a lost hint costs at most (the sweep), and how far ahead it looks. */
const SWEEP_MS = 5_000
const SWEPT_AT_ONCE = 1_000
/** How late an owner learns what another process did to its run: answered a gate, or ended it. */
const LOOK_MS = 1_000

const GRAPH_GONE = {
  status: 'failed',
  output: null,
  error: 'the graph of this run is gone',
  note_code: null,
} as const

interface Deps extends ActivationDeps {
  db: Db
  /** This process, as no other was ever called. */
  executor: string
  /** A run has ended here, or waits. */
  onEnd: (runId: string) => void
  log: Logger
}

export type DurableHost = ReturnType<typeof durableHost>

/** The runs that this process is the owner of. */
export function durableHost(deps: Deps) {
  const { db, writes, payloads, agents, executor, onEnd, log, now } = deps
  const recordOf = runRecords({ db })
  const live = new Map<string, LiveActivation>()
  let isDraining = false

  /** Makes this process the owner of the run, where it has something to do; tells how it stood before. */
  async function claim({ runId, lease, takeover }: Activation): Promise<Standing | null> {
    const claim: Claim = { runId, executor, lease, takeover, versions: KNOWN_VERSIONS }
    const isOurs = await writes.add({ claim })
    const before = isOurs ? (claim.before ?? null) : null
    if (before?.state === 'running')
      log.warn(
        { run: runId, executor: before.executor },
        'a run was taken over from an owner that fell silent',
      )
    return before
  }

  async function load(before: Standing): Promise<LiveActivation | null> {
    const fence = { runId: before.run_id, epoch: before.epoch + 1 }
    const { row, ...record } = await recordOf(before)
    const document = row?.content_hash ? await documentOf(row.content_hash) : null
    if (!row || !document) {
      await writes.add({ fence, end: GRAPH_GONE })
      await payloads.drop(fence.runId)
      return null
    }
    const start = (await payloads.read({ json: row.start, ref: row.start_ref })) as RunStart
    return activate(deps, { ...record, before, row, document, start, fence })
  }

  /** Null: nobody can go on with it. */
  const documentOf = (contentHash: string) =>
    agents.load(contentHash).catch((error) => {
      if (error instanceof AppError) return null
      throw error
    })

  async function look() {
    if (live.size === 0) return
    // Meanwhile some end, and may come back under another epoch, of which the answer knows nothing.
    const asked = [...live.values()]
    const ids = asked.map(({ runId }) => runId)
    const epochs = new Map((await durableStore(db).epochsOf(ids)).map(({ run_id, epoch }) => [run_id, epoch]))
    for (const run of asked) if (epochs.get(run.runId) !== run.epoch) run.lose()
    for (const id of await durableStore(db).answered(ids)) await live.get(id)?.deliver()
    for (const run of live.values()) await run.expireDue()
  }

  /** Gives the last of a full page, behind which there may be more. */
  async function wakeDue(
    engine: Pick<DurableEngine, 'wake' | 'wakeAll'>,
    after?: { run_id: string; wake_at: number | null },
  ) {
    const due = await durableStore(db).due(now() + SWEEP_MS, SWEPT_AT_ONCE, after)
    const isDueNow = ({ wake_at }: (typeof due)[number]) => wake_at !== null && wake_at <= now()
    await engine.wakeAll(due.filter(isDueNow).map(({ run_id }) => run_id))
    for (const row of due) if (!isDueNow(row)) await engine.wake(row.run_id, row.wake_at ?? undefined)
    return due.length === SWEPT_AT_ONCE ? due.at(-1) : undefined
  }

  return {
    async activate(activation: Activation): Promise<ActivationEnd> {
      if (isDraining) return { kind: 'released' }
      const { runId, signal } = activation
      const before = await claim(activation)
      const run = before && (await load(before))
      if (!run) return { kind: 'stale' }
      live.set(runId, run)
      if (isDraining) run.drain()
      const letGo = () => void run.abandon()
      signal.addEventListener('abort', letGo, { once: true })
      if (signal.aborted) letGo()
      try {
        return await run.start()
      } finally {
        signal.removeEventListener('abort', letGo)
        // Its next owner may be this process too.
        if (live.get(runId) === run) live.delete(runId)
        onEnd(runId)
      }
    },

    /** Repairs lost hints, and looks after the runs that go on here. */
    watch(engine: Pick<DurableEngine, 'wake' | 'wakeAll'>, signal: AbortSignal) {
      const sweep = async (pages: number) => {
        let last: Awaited<ReturnType<typeof wakeDue>>
        do last = await wakeDue(engine, last)
        while (last && --pages > 0)
      }
      every(SWEEP_MS, 'sweep of durable runs', () => sweep(1), log, signal)
      every(LOOK_MS, 'look after durable runs', look, log, signal)
      // A predecessor may have left any number.
      return sweep(Number.POSITIVE_INFINITY)
    },

    /** A gate of the run was answered, or the run has ended; where it is done elsewhere, nothing happens. */
    deliver: (runId: string) => live.get(runId)?.deliver(),
    lose: (runId: string) => live.get(runId)?.lose(),

    /** Begins nothing new. */
    drain() {
      isDraining = true
      for (const run of live.values()) run.drain()
    },
  }
}
