import { AppError } from '#kernel/errors'
import { tryParse } from '#kernel/json'
import { busily, idler } from '../activity'
import { configOf } from '../node-types'
import { quote } from '../problem'
import { turns } from '../turns'
import { type ChildEnd, durableOf, runChild } from './child'
import { type Outcome, onSuccess, type StepContext, soleValue } from './step'

/** Children of one map at the same time where its author sets no bound. */
const AT_ONCE = 100

/** Runs an agent for each item of a list; the results come in the order of the items, whoever was faster. */
export async function mapOver(step: StepContext): Promise<Outcome> {
  const { run, node, index } = step
  const config = configOf('map', node)
  const items = itemsOf(step)
  const order = turns(items.keys(), () => run.turns.of(index))
  const ends: ChildEnd[] = []
  let next = 0

  const { activity } = durableOf(step)
  // The children are at work, each for itself; the map only waits for them.
  const part = { ...step, idly: idler(activity) }

  async function worker() {
    while (next < items.length) {
      const branch = next++
      const child = { config, id: `map-${node.id}-${branch}`, branch, input: items[branch] }
      ends[branch] = await busily(activity, () => runChild(part, { ...child, turn: () => order.of(branch) }))
      order.ended(branch)
    }
  }

  const workers = Math.min(config.concurrency ?? AT_ONCE, items.length)
  await step.idly(() => Promise.all(Array.from({ length: workers }, worker)))
  return onSuccess(step, config.onError === 'collect' ? ends.map(collected) : allOf(ends, node.id))
}

function itemsOf(step: StepContext): unknown[] {
  const value = soleValue(step)
  const list = typeof value === 'string' ? tryParse(value) : value
  const { id } = step.node
  if (!Array.isArray(list)) {
    throw new AppError('template_error', `Node ${quote(id)}: a map takes a list, or JSON text of one.`)
  }
  const most = durableOf(step).maxChildren
  if (list.length > most) {
    throw new AppError(
      'template_error',
      `Node ${quote(id)}: a map takes at most ${most} items; this has ${list.length}.`,
    )
  }
  return list
}

const collected = (end: ChildEnd, index: number) =>
  end.ok
    ? { index, status: 'completed', output: end.output }
    : { index, status: 'failed', error: end.message }

/** @throws {AppError} the failure of the first item that failed */
function allOf(ends: ChildEnd[], node: string): string[] {
  return ends.map((end, index) => {
    if (end.ok) return end.output
    throw new AppError(end.code, `Node ${quote(node)}, item ${index}: ${end.message}`)
  })
}
