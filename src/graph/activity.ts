import type { Activity } from './durable'
import type { Slot } from './schedule'

/** For what is at work: waits for something that is no work of its own, and takes no room meanwhile. */
export const idler =
  (activity?: Activity, slot?: Slot) =>
  async <T>(wait: () => Promise<T>): Promise<T> => {
    slot?.leave()
    activity?.leave()
    try {
      return await wait()
    } finally {
      activity?.enter()
      slot?.enter()
    }
  }

/** Counts as work until it has ended. */
export async function busily<T>(activity: Activity | undefined, work: () => Promise<T>): Promise<T> {
  activity?.enter()
  try {
    return await work()
  } finally {
    activity?.leave()
  }
}
