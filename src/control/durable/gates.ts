import type { Gate, GateEnd } from '#graph/durable'
import { storedKey } from './journal'
import type { Kept, Payloads } from './payloads'
import type { GateRow } from './store'

/** `setTimeout` takes no more; who waits longer is woken by the sweep. */
const LONGEST_TIMER_MS = 2 ** 31 - 1
/** What a person is asked about is shown in place; a larger value is looked up in the trace. */
const MAX_INPUT_CHARS = 64 * 1024

interface Deps {
  runId: string
  rows: readonly GateRow[]
  payloads: Pick<Payloads, 'keep' | 'read' | 'seal'>
  now: () => number
  /** Writes the gate and that the run waits at it, before anybody can learn of it. */
  open: (row: GateRow) => Promise<void>
  /** Writes what came of a gate, unless something came of it before. */
  settle: (row: GateRow, outcome: Kept) => Promise<void>
  /** The gates of the run as they are now. */
  reload: () => Promise<GateRow[]>
  /** What is done within counts as work. */
  working: <T>(task: () => Promise<T>) => Promise<T>
  /** The run is being put away: what comes of a gate from then on is for its next owner, or a step would begin twice. */
  isClosing: () => boolean
  /** Something could not be written or read. */
  failed: (error: unknown) => void
}

/** The gates of one activation of a run: those that are answered, and those where it waits. */
export function openGates(deps: Deps) {
  const { runId, rows, payloads, now, open, settle, reload, working, isClosing, failed } = deps
  const known = new Map(rows.map((row) => [row.key, row]))
  const waiting = new Map<
    string,
    { row: GateRow; end: PromiseWithResolvers<GateEnd>; timer?: ReturnType<typeof setTimeout> }
  >()
  let seen = rows.filter(isSettled).length

  const endOf = ({ outcome, outcome_ref }: GateRow) =>
    payloads.read({ json: outcome, ref: outcome_ref }) as Promise<GateEnd>

  async function wait(row: GateRow): Promise<GateEnd> {
    const end = Promise.withResolvers<GateEnd>()
    const leftMs = row.deadline === null ? null : row.deadline - now()
    const timer =
      leftMs !== null && leftMs > 0 && leftMs <= LONGEST_TIMER_MS
        ? setTimeout(() => void expire(row).catch(failed), leftMs)
        : undefined
    waiting.set(row.key, { row, end, timer })
    if (leftMs !== null && leftMs <= 0) await expire(row)
    return end.promise
  }

  const expire = (row: GateRow) =>
    working(async () => {
      await settle(row, await payloads.keep(runId, { kind: 'timeout' } satisfies GateEnd))
      await deliver()
    })

  /** Tells the branches that wait what came of their gates meanwhile. */
  async function deliver() {
    const settled = (await reload()).filter(isSettled)
    for (const row of settled) {
      const one = waiting.get(row.key)
      if (!one) continue
      const end = await endOf(row)
      if (isClosing()) return
      if (!waiting.delete(row.key)) continue
      clearTimeout(one.timer)
      seen++
      one.end.resolve(end)
    }
  }

  return {
    /** How many gates this activation knows to be settled. */
    get seen() {
      return seen
    },

    get isWaiting() {
      return waiting.size > 0
    },

    /** The first deadline of those where it waits. */
    get wakeAt(): number | null {
      const deadlines = [...waiting.values()].flatMap(({ row }) => row.deadline ?? [])
      return deadlines.length > 0 ? Math.min(...deadlines) : null
    },

    async enter(gate: Gate): Promise<GateEnd> {
      const key = storedKey(gate.key)
      const found = known.get(key)
      if (found && isSettled(found)) return endOf(found)
      const row = found ?? rowOf({ runId, key, gate, now: now(), seal: payloads.seal })
      if (!found) await open(row)
      known.set(key, row)
      return wait(row)
    },

    deliver,

    /** Timers do not notice a clock that is put forward. */
    async expireDue() {
      for (const { row } of [...waiting.values()]) {
        if (row.deadline !== null && row.deadline <= now()) await expire(row)
      }
    },

    close() {
      for (const { timer } of waiting.values()) clearTimeout(timer)
      waiting.clear()
    },
  }
}

const isSettled = ({ outcome, outcome_ref }: GateRow): boolean => outcome !== null || outcome_ref !== null

interface Opening {
  runId: string
  key: string
  gate: Gate
  now: number
  seal: Payloads['seal']
}

function rowOf({ runId, key, gate, now, seal }: Opening): GateRow {
  const { prompt, inputSchema, timeoutSeconds, input } = gate
  const shown = JSON.stringify(input ?? null)
  return {
    run_id: runId,
    key,
    place: gate.key,
    prompt,
    input_schema: inputSchema && JSON.stringify(inputSchema),
    input: shown.length <= MAX_INPUT_CHARS ? seal(shown) : null,
    deadline: timeoutSeconds === null ? null : now + Math.round(timeoutSeconds * 1000),
    opened_at: now,
    outcome: null,
    outcome_ref: null,
  }
}
