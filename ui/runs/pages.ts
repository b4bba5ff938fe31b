/** The pages loaded so far, newest first, with what is fresher: the first page as polled, and single unfinished runs. */
export function mergeRuns<R extends { id: string }>(
  pages: readonly (readonly R[])[],
  fresh: readonly R[],
  single: readonly R[] = [],
): R[] {
  const loaded = pages.flat()
  const newer = new Map([...single, ...fresh].map((run) => [run.id, run]))
  const known = new Set(loaded.map(({ id }) => id))
  return [...fresh.filter(({ id }) => !known.has(id)), ...loaded.map((run) => newer.get(run.id) ?? run)]
}

/** More began since than one page holds: the list has a hole, and has to be loaded anew. */
export const hasHole = <R extends { id: string }>(
  loaded: readonly R[],
  fresh: readonly R[],
  pageSize: number,
) =>
  fresh.length >= pageSize &&
  loaded.length > 0 &&
  !fresh.some(({ id }) => loaded.some((run) => run.id === id))
