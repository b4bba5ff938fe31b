import { readFileSync } from 'node:fs'
import { openDatabase } from '#kernel/db/open'
import { freePort, freshPostgresDatabase } from '../support/postgres'
import { bareEnvironment, emptyFolder, startTycho } from '../support/process'

export const KINDS = ['sqlite', 'postgres'] as const
export type Kind = (typeof KINDS)[number]

const PASSWORD = 'correct horse battery'

export type Install = Awaited<ReturnType<typeof install>>

/** A fresh database that a power cut takes nothing from. */
export const freshDatabase = async (kind: Kind): Promise<string> =>
  kind === 'postgres' ? await freshPostgresDatabase({ fsync: 'on' }) : `sqlite:${emptyFolder()}/tycho.db`

/** A control plane of its own in durable mode, and its first account. */
export async function install(command: string[], kind: Kind) {
  const databaseUrl = await freshDatabase(kind)
  const env = {
    ...bareEnvironment(emptyFolder()),
    SERVICE_SECRET_KEY: 'a key for benches',
    SERVICE_DURABLE: 'true',
    SERVICE_CONTROL_PLANE_PORT: String(await freePort()),
    DATABASE_URL: databaseUrl,
  }
  const serve = () =>
    startTycho({ command, args: ['serve', '--planes', 'control', '--log-level', 'warn'], env })
  let tycho = await serve()
  let token = ''
  // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes
  const call = async (method: string, path: string, body?: unknown): Promise<any> => {
    const answer = await fetch(tycho.urls.control + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`)
    return answer.json()
  }
  ;({ token } = await call('POST', '/auth/setup', { username: 'bench', password: PASSWORD }))
  const database = openDatabase(databaseUrl)

  return {
    call,
    db: database.db,

    /** Whether a run is still to be done; one that waits is not. */
    async isAtWork(): Promise<boolean> {
      const row = await database.db
        .selectFrom('durable_runs')
        .select('run_id')
        .where('state', '<>', 'waiting')
        .limit(1)
        .executeTakeFirst()
      return row !== undefined
    },

    residentMiB: () =>
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${tycho.pid}/status`, 'utf8'))![1]) / 1024,

    /** Processor time so far; the system counts in hundredths of a second. */
    cpuMs() {
      const fields = readFileSync(`/proc/${tycho.pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
      return (Number(fields[11]) + Number(fields[12])) * 10
    },

    /** Milliseconds from the start of the process until it serves. */
    async restart(): Promise<number> {
      await tycho.end()
      const startedAt = performance.now()
      tycho = await serve()
      return performance.now() - startedAt
    },

    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]()
      await tycho.end('SIGKILL')
    },
  }
}
