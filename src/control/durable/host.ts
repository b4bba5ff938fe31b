import type { Db } from '#kernel/db/tables'
import type { Logger } from '#kernel/log'
import { every } from '#kernel/loop'
import type { GraphStore } from '../runs/graph-store'
import { runStore } from '../runs/store'
import { traceStore } from '../traces/store'
import { type ActivationDeps, activate, type LiveActivation, type RunStart } from './activation'
import type { Activation, ActivationEnd, DurableEngine } from './engine'
import { type DurableRow, durableStore } from './store'

/** How nodes behave; a change of that which a half-finished run could notice gets a new number beside the old one. */
export const INTERPRETER_VERSION = 1
const KNOWN_VERSIONS: readonly number[] = [INTERPRETER_VERSION]

/** How long a lost hint costs at most (the sweep), and how far ahead it looks. */
const SWEEP_MS = 5_000
const SWEPT_AT_ONCE = 1_000
/** How late an owner learns what another process did to its run: answered a gate, or ended it. */
const LOOK_MS = 1_000

interface Deps extends ActivationDeps {
  db: Db
  graphs: Pick<GraphStore, 'find'>
  /** This process, as no other was ever called. */
  executor: string
  /** A run has ended here, or waits. */
  onEnd: (runId: string) => void
  log: Logger
}

export type DurableHost = ReturnType<typeof durableHost>

/** The runs that this process is the owner of. */
export function durableHost(deps: Deps) {
  const { db, writes, payloads, graphs, executor, onEnd, log, now } = deps
  const live = new Map<string, LiveActivation>()
  let isDraining = false

  /** Makes this process the owner of the run, where it has something to do. */
  async function claim({ runId, lease, takeover }: Activation): Promise<DurableRow | null> {
    const before = await durableStore(db).find(runId)
    if (!before || !KNOWN_VERSIONS.includes(before.interp_version)) return null
    let isOurs = false
    await writes.add({
      async also(tx) {
        const store = durableStore(tx)
        isOurs = await store.claim(before, { executor, lease, takeover, now: now() })
        if (isOurs) await store.begins(runId, now())
      },
    })
    return isOurs || (await isClaimed(before, lease)) ? before : null
  }

  /** A commit whose answer was lost was tried again, and found the run claimed: by this very activation. */
  async function isClaimed({ run_id, epoch }: DurableRow, lease: string): Promise<boolean> {
    const row = await durableStore(db).find(run_id)
    const isOurs = row?.executor === executor && row.lease === lease && row.epoch === epoch + 1
    return isOurs && row.state === 'running' && !live.has(run_id)
  }

  async function load(row: DurableRow): Promise<LiveActivation | null> {
    const { run_id: runId } = row
    const fence = { runId, epoch: row.epoch + 1 }
    const store = durableStore(db)
    const [run, steps, gates, closedSpans] = await Promise.all([
      runStore(db).find(runId),
      store.stepsOf(runId),
      store.gatesOf(runId),
      row.epoch === 0 ? new Set<string>() : traceStore(db).closedSpans(runId),
    ])
    const document = run?.content_hash ? await graphs.find(run.content_hash) : null
    if (!run || !document) {
      await fail(fence)
      return null
    }
    const start = (await payloads.read({ json: row.start, ref: row.start_ref })) as RunStart
    return activate(deps, { run, row, document, start, fence, steps, gates, closedSpans })
  }

  /** Its graph is gone: nobody can go on with it. */
  async function fail(fence: { runId: string; epoch: number }) {
    await writes.add({
      fence,
      async also(tx) {
        const error = 'the graph of this run is gone'
        await durableStore(tx).end(
          fence.runId,
          { status: 'failed', output: null, error, note_code: null },
          now(),
        )
        await durableStore(tx).remove(fence.runId)
      },
    })
    await payloads.drop(fence.runId)
  }

  async function look() {
    if (live.size === 0) return
    const ids = [...live.keys()]
    const epochs = new Map((await durableStore(db).epochsOf(ids)).map(({ run_id, epoch }) => [run_id, epoch]))
    for (const run of live.values()) {
      if (ids.includes(run.runId) && epochs.get(run.runId) !== run.epoch) run.lose()
    }
    for (const id of await durableStore(db).answered(ids)) await live.get(id)?.deliver()
    for (const run of live.values()) await run.expireDue()
  }

  return {
    async activate(activation: Activation): Promise<ActivationEnd> {
      if (isDraining) return { kind: 'released' }
      const { runId, signal } = activation
      const row = await claim(activation)
      const run = row && (await load(row))
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
        live.delete(runId)
        onEnd(runId)
      }
    },

    /** Repairs lost hints, and looks after the runs that go on here. */
    watch(engine: Pick<DurableEngine, 'wake' | 'wakeAll'>, signal: AbortSignal) {
      const sweep = async () => {
        const due = await durableStore(db).due(now() + SWEEP_MS, SWEPT_AT_ONCE)
        const isDueNow = ({ wake_at }: (typeof due)[number]) => wake_at !== null && wake_at <= now()
        await engine.wakeAll(due.filter(isDueNow).map(({ run_id }) => run_id))
        for (const row of due) if (!isDueNow(row)) await engine.wake(row.run_id, row.wake_at ?? undefined)
      }
      every(SWEEP_MS, 'sweep of durable runs', sweep, log, signal)
      every(LOOK_MS, 'look after durable runs', look, log, signal)
      return sweep()
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
