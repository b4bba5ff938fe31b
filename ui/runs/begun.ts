import { useEffect } from 'react'
import { openEventStream } from '../api'
import { texts } from '../texts/runs'
import type { Run } from './data'
import { isUnfinished } from './describe'

/** The run that this tab began last; a reload must not be taken for the person having left. */
const KEY = 'tycho.run.begun'

const listened = new Set<string>()

/**
 * Begins a run and listens to it until it is over, whatever screen is shown meanwhile: a run that nobody listens to is
 * ended after ten seconds (interface, 3.2).
 * @returns the run's id, as soon as the server tells it
 * @throws {ApiError} where the run was refused
 */
export async function begin(path: string, body: unknown): Promise<string> {
  const { events } = await openEventStream(path, { method: 'POST', body })
  const frames = events[Symbol.asyncIterator]()
  const first = await frames.next()
  if (first.done) throw new Error(texts.again.disconnected)
  const { runId } = JSON.parse(first.value.data) as { runId: string }
  sessionStorage.setItem(KEY, runId)
  void listen(runId, frames)
  return runId
}

/** After a reload: listens again to the run that this tab began, so that it goes on. */
export function useBegun(run: Run | undefined) {
  const id = run && isUnfinished(run) && sessionStorage.getItem(KEY) === run.id ? run.id : null
  useEffect(() => {
    if (id === null || listened.has(id)) return
    openEventStream(`/runs/${encodeURIComponent(id)}/stream`).then(
      ({ events }) => listen(id, events[Symbol.asyncIterator]()),
      // It ended, or another process does it; the page asks for its record anyway.
      () => undefined,
    )
  }, [id])
}

async function listen(runId: string, frames: AsyncIterator<unknown>) {
  listened.add(runId)
  try {
    while (!(await frames.next()).done);
  } catch {
    // A broken connection; the page shows how the run goes on by its record and its trace.
  } finally {
    listened.delete(runId)
  }
}
