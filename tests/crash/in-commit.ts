import { type FSWatcher, watch } from 'node:fs'
import { Client } from 'pg'

/** Where nothing is being committed for so long, the kill comes without. */
const PATIENCE_MS = 500
const LOCK = 7_001

/** Waits until a process is in the middle of committing a step; `act` is called while it is. True if one was. */
export interface CommitTrap extends AsyncDisposable {
  within(act: () => Promise<unknown>): Promise<boolean>
}

export const commitTrap = (kind: 'sqlite' | 'postgres', url: string): Promise<CommitTrap> =>
  kind === 'sqlite' ? sqliteTrap(url.replace(/^sqlite:/, '')) : postgresTrap(url)

/** A commit is written to the log and then waits for the disk: whoever sees the write is in time. */
async function sqliteTrap(file: string): Promise<CommitTrap> {
  return {
    async within(act) {
      const written = await nextWrite(`${file}-wal`)
      await act()
      return written
    },
    async [Symbol.asyncDispose]() {},
  }
}

async function nextWrite(file: string): Promise<boolean> {
  const seen = Promise.withResolvers<boolean>()
  let watcher: FSWatcher | undefined
  try {
    watcher = watch(file, () => seen.resolve(true))
  } catch {
    // There is no log yet.
  }
  const timer = setTimeout(() => seen.resolve(false), PATIENCE_MS)
  const isSeen = await seen.promise
  clearTimeout(timer)
  watcher?.close()
  return isSeen
}

/**
 * A deferred trigger runs within the commit, and waits for a lock of ours. The server goes on with the commit of a
 * client that is dead: so it succeeds when its owner has died already, and somebody else may have the run.
 */
async function postgresTrap(url: string): Promise<CommitTrap> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(`
    create function wait_in_commit() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock_shared(${LOCK}); return null; end $$;
    create constraint trigger wait_in_commit after insert on run_steps
      deferrable initially deferred for each row execute function wait_in_commit()`)
  async function isCaught(): Promise<boolean> {
    const { rows } = await client.query(
      `select 1 from pg_locks where locktype = 'advisory' and objid = ${LOCK} and not granted
         and database = (select oid from pg_database where datname = current_database()) limit 1`,
    )
    return rows.length > 0
  }
  return {
    async within(act) {
      await client.query(`select pg_advisory_lock(${LOCK})`)
      try {
        const deadline = performance.now() + PATIENCE_MS
        let caught = false
        while (!caught && performance.now() < deadline) caught = await isCaught()
        await act()
        return caught
      } finally {
        await client.query(`select pg_advisory_unlock(${LOCK})`)
      }
    },
    [Symbol.asyncDispose]: () => client.end(),
  }
}
