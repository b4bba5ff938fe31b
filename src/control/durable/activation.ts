import type { ChildAgents, DurablePort } from '#graph/durable'
import type { RunOutput } from '#graph/events'
import type { AgentDocument } from '#graph/ir'
import type { Ports } from '#graph/ports'
import { runGraph } from '#graph/run'
import { isAway } from '#kernel/db/portable'
import type { Db } from '#kernel/db/tables'
import { AppError } from '#kernel/errors'
import { asText } from '#kernel/json'
import type { Logger } from '#kernel/log'
import type { Outcome } from '../runs/live'
import type { RunEnd } from '../runs/store'
import type { SessionService } from '../sessions/service'
import type { CapturePolicy } from '../traces/captured'
import type { RunTrace, TraceSink } from '../traces/record'
import type { ActivationEnd } from './engine'
import { openGates } from './gates'
import { durableJournal } from './journal'
import type { Payloads } from './payloads'
import { untilDone } from './persistence'
import type { RunRecord } from './run-records'
import { SealedAway } from './sealing'
import { durableStore, type Fence, type Standing } from './store'
import { traceBuffer } from './trace-buffer'
import type { DurableWrites, Write } from './writes'

/** Child runs that one run may have in all; each keeps a few rows until the run ends. */
const MAX_CHILDREN = 10_000
/** A step's effect is tried so often where its node does not say (interface, 3.4). */
const RETRY = { attempts: 3, backoffMs: 500 }
/** A step that hangs must end some time, for its owner lives and nobody takes it over. */
const STEP_TIMEOUT_SECONDS = 3_600

/** A wait that is not worth putting a run away for. */
const SHORT_WAIT_MS = 2_000

/** What a run began with; it does not change when settings do. */
export interface RunStart {
  input: unknown
  history: { role: string; content: string }[]
  /** By node, what an earlier run put out (fork). */
  recorded: Record<string, Record<string, unknown>>
  settings: Ports['settings']
  capture: CapturePolicy
}

export interface ActivationDeps {
  db: Db
  writes: DurableWrites
  payloads: Payloads
  sessions: Pick<SessionService, 'appendTo'>
  ports: () => Ports
  agents: ChildAgents
  openTrace: (
    run: { runId: string; agentId: string | null; capture: CapturePolicy },
    sink: TraceSink,
  ) => RunTrace
  /** Sends spans elsewhere besides storing them. */
  traceBeside: (sink: TraceSink) => TraceSink
  log: Logger
  now: () => number
}

interface Claimed extends Omit<RunRecord, 'row'> {
  /** As it stood when it was claimed. */
  before: Standing
  row: NonNullable<RunRecord['row']>
  document: AgentDocument
  start: RunStart
  fence: Fence
}

/** The run is somebody else's now, or over. */
class Lost extends Error {}

export type LiveActivation = ReturnType<typeof activate>

/**
 * Goes on with a run from what is on record until it ends, or until nothing but waits is left of it; then it is put
 * away. It ends without a word when the run is no longer its own.
 */
export function activate(deps: ActivationDeps, claimed: Claimed) {
  const { db, writes, now, log } = deps
  const { before, row, document, start, fence, steps } = claimed
  const { runId } = fence
  const work = new AbortController()
  const ended = Promise.withResolvers<ActivationEnd>()
  let busy = 0
  let isClosing = false
  let isDraining = false
  /** Spans on their way by themselves. */
  let flushed: Promise<unknown> = Promise.resolve()
  const buffer = traceBuffer(
    claimed.closedSpans,
    (rows) => {
      flushed = Promise.all([flushed, writes.add({ fence, ...rows }).catch(give)])
    },
    deps.traceBeside,
  )

  const trying = { signal: work.signal, log, runId }
  const asked = { ...trying, isFinal: (error: unknown) => error instanceof AppError }
  const reading = { ...trying, isFinal: (error: unknown) => !isAway(error) }
  const agents: ChildAgents = {
    resolve: (pin, call) => untilDone(() => deps.agents.resolve(pin, call), asked),
    load: (contentHash) => untilDone(() => deps.agents.load(contentHash), asked),
  }

  /** What cannot be stored now, or not opened here, is no failure of the run. */
  const payloads: Payloads = {
    ...deps.payloads,
    keep: (id, value) => untilDone(() => deps.payloads.keep(id, value), trying),
    read: (kept) =>
      untilDone(() => deps.payloads.read(kept), reading).catch((error) => {
        if (error instanceof SealedAway) give(error)
        throw error
      }),
  }

  /** @throws {Lost} */
  async function write(rest: Pick<Write, 'steps' | 'end' | 'also'>) {
    // A step that is recorded still goes on for a moment; what is open is written when nothing follows so soon.
    const rows = rest.steps ? buffer.takeClosed() : buffer.take()
    // This commit might overtake them, and after it the run may be nobody's any more.
    if (!rest.steps) await flushed
    if (!(await writes.add({ fence, ...rows, ...rest }))) throw lose()
  }

  function lose(): Lost {
    const lost = new Lost('This run has another owner by now, or has ended.')
    close({ kind: 'stale' }, lost)
    return lost
  }

  /** What the interpreter still says after this did not happen. */
  function close(end: ActivationEnd, reason: unknown = new Lost('This run was put away.')) {
    isClosing = true
    buffer.mute()
    gates.close()
    work.abort(reason)
    ended.resolve(end)
  }

  /** Somebody else tries later: nothing is known of how it stands. */
  function give(error: unknown) {
    isClosing = true
    buffer.mute()
    gates.close()
    work.abort(error)
    ended.reject(error)
  }

  const gates = openGates({
    runId,
    rows: claimed.gates,
    payloads,
    now,
    open: (gate) =>
      working(() =>
        write({
          async also(tx) {
            await durableStore(tx).openGate(gate)
            await durableStore(tx).awaits(runId, gate.place, now())
          },
        }),
      ),
    settle: ({ key, place }, outcome) =>
      write({
        async also(tx) {
          const store = durableStore(tx)
          if (await store.settleGate(runId, key, outcome)) await store.goesOn(runId, place, now())
        },
      }),
    reload: () => untilDone(() => durableStore(db).gatesOf([runId]), reading),
    working,
    isClosing: () => isClosing,
    failed: give,
  })

  const activity = {
    enter: () => void busy++,
    leave() {
      busy--
      // Whoever goes on at once does so before the next turn of the event loop.
      if (busy === 0) setImmediate(() => void quiet().catch(give))
    },
  }

  async function working<T>(task: () => Promise<T>): Promise<T> {
    activity.enter()
    try {
      return await task()
    } finally {
      activity.leave()
    }
  }

  /** Nothing is at work: the run waits for people and times alone, or for the next owner. */
  async function quiet() {
    if (busy > 0 || isClosing) return
    if (isDraining) return release()
    const { isWaiting, wakeAt, seen } = gates
    // A gate whose time is as good as over says so here; putting the run away would take longer.
    if (!isWaiting || (wakeAt !== null && wakeAt - now() < SHORT_WAIT_MS)) return
    isClosing = true
    let due: number | null = null
    await write({
      async also(tx) {
        due = await durableStore(tx).suspend(runId, { wakeAt, seen, now: now() })
      },
    })
    close({ kind: 'waiting', wakeAt: due })
  }

  async function release() {
    isClosing = true
    await write({ also: async (tx) => void (await durableStore(tx).release(runId, now())) })
    close({ kind: 'released' })
  }

  const durable: DurablePort = {
    runId,
    gate: (gate) => gates.enter(gate),
    agents,
    activity,
    maxChildren: MAX_CHILDREN,
  }
  const journal = durableJournal({
    runId,
    steps,
    payloads,
    now,
    record: (step) => write({ steps: [step] }),
    async mayBegin() {
      work.signal.throwIfAborted()
      if (!isDraining && !isClosing) return
      activity.leave()
      await new Promise<never>(() => {})
    },
  })

  async function interpret(trace: RunTrace): Promise<Outcome> {
    const ports: Ports = {
      ...deps.ports(),
      settings: start.settings,
      journal,
      durable,
      patience: { retry: RETRY, timeoutSeconds: STEP_TIMEOUT_SECONDS },
    }
    const { input, history } = start
    const recorded = new Map(Object.entries(start.recorded))
    return runGraph(document, { runId, input, history, recorded }, ports, trace.on, work.signal).then(
      completed,
      (error) => {
        // A database that is away is no failure of the run.
        if (!isClosing && isAway(error)) give(error)
        // Where it was put away, what it failed with is only that.
        return { status: 'failed', error: isClosing ? error : asFailure(error, runId, log) } as const
      },
    )
  }

  async function finish(outcome: Outcome, trace: RunTrace) {
    isClosing = true
    trace.end(outcome)
    await write({ end: endOf(outcome), also: turnOf(outcome) })
    close({ kind: 'done' })
    await payloads.drop(runId)
  }

  /** What the session remembers of it. */
  function turnOf(outcome: Outcome): Write['also'] {
    const { session_id: sessionId } = row
    if (outcome.status !== 'completed' || !sessionId) return undefined
    const turn = { user: asText(start.input), assistant: outcome.output, runId }
    return (tx) => deps.sessions.appendTo(tx, sessionId, turn)
  }

  async function go() {
    const trace = deps.openTrace({ runId, agentId: row.graph_id, capture: start.capture }, buffer.sink)
    if (before.enqueued_at !== null) trace.waited(before.enqueued_at, before.epoch)
    const outcome = await interpret(trace)
    if (!isClosing) await finish(outcome, trace)
  }

  return {
    runId,
    epoch: fence.epoch,
    end: ended.promise,
    start() {
      go().catch((error) => {
        if (!(error instanceof Lost)) give(error)
      })
      return ended.promise
    },

    /** A gate may have been answered. */
    deliver: () => (isClosing ? Promise.resolve() : working(gates.deliver).catch(give)),

    /** The time of a gate may be over. */
    expireDue: () => (isClosing ? Promise.resolve() : gates.expireDue().catch(give)),

    /** The run has ended, or is somebody else's. */
    lose: () => void (isClosing || lose()),

    /** Begins nothing new, and hands the run back once what is in flight has ended. */
    drain() {
      isDraining = true
      if (busy === 0) setImmediate(() => void quiet().catch(give))
    },

    /** Hands the run back at once; what is in flight is done again by the next owner. */
    async abandon() {
      if (isClosing) return
      log.warn({ run: runId }, 'a run was handed back within a step, which its next owner does again')
      await release().catch(give)
    },
  }
}

const endOf = (outcome: Outcome): RunEnd =>
  outcome.status === 'completed'
    ? { status: outcome.status, output: outcome.output, error: outcome.note, note_code: outcome.noteCode }
    : { status: outcome.status, output: null, error: outcome.error.message, note_code: null }

const completed = ({ output, note, note_code }: RunOutput): Outcome => ({
  status: 'completed',
  output,
  note: note ?? null,
  noteCode: note_code ?? null,
})

/** What is not meant for a reader is a bug: the log has it, under the run's id. */
function asFailure(error: unknown, runId: string, log: Logger): AppError {
  if (error instanceof AppError) return error
  log.error({ err: error, run: runId }, 'a run ended in an unexpected failure')
  return new AppError('internal_error', `Something went wrong here. The log has it under the run ${runId}.`)
}
