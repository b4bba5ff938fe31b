import { join } from 'node:path'
import { openDatabase } from '#kernel/db/open'
import { ANTHROPIC_STREAM, fakeUpstream, streamOf } from './fake-upstream'
import { until } from './gateway'
import { freePort } from './postgres'
import { bareEnvironment, emptyFolder, FROM_SOURCE, startTycho, type TychoProcess } from './process'

const PORT_OF = { control: 'SERVICE_CONTROL_PLANE_PORT', gateway: 'SERVICE_GATEWAY_PORT' }

interface Killable {
  url: string
  running: TychoProcess
  start(): Promise<TychoProcess>
}

/** A control plane and a gateway that records everything for it, each a process of its own that may be killed. */
export async function killableGateway(command: string[] = FROM_SOURCE) {
  const upstream = fakeUpstream(() => streamOf([ANTHROPIC_STREAM.slice(0, 600), ANTHROPIC_STREAM.slice(600)]))
  const dir = emptyFolder()
  const plane = async (name: 'control' | 'gateway', env: Record<string, string>): Promise<Killable> => {
    const port = String(await freePort())
    const start = () =>
      startTycho({
        command,
        args: ['serve', '--planes', name, '--log-level', 'error'],
        env: { ...bareEnvironment(dir), [PORT_OF[name]]: port, ...env },
      })
    return { url: `http://127.0.0.1:${port}`, running: await start(), start }
  }
  const control = await plane('control', { SERVICE_SECRET_KEY: 'a key for tests' })
  const call = caller(control.url)
  await call('POST', '/auth/setup', {
    username: 'ada',
    password: 'correct horse battery',
    display_name: 'Ada',
  })
  const made = await call('POST', '/gateways', { name: 'Mortal' })
  await call('PUT', `/gateways/${made.gateway.id}/config`, { observer: true, record_level: 'full' })
  const gateway = await plane('gateway', {
    SERVICE_CONTROL_PLANE_URL: control.url,
    SERVICE_GATEWAY_SERVICE_KEY: made.service_key,
    SERVICE_GATEWAY_UPSTREAM_URL: upstream.url,
  })
  const ready = () =>
    fetch(`${gateway.url}/readyz`).then(
      (answer) => answer.json() as Promise<{ recording: boolean; queue_records: number }>,
      () => null,
    )
  await until(async () => (await ready())?.recording)

  /** Session ids of requests whose answers came whole: of these, each must be recorded exactly once. */
  const answered = new Set<string>()
  let sent = 0

  return {
    control,
    gateway,
    ready,
    answered,

    /** A developer who keeps asking, each time in a session of its own, whatever happens. */
    async develop(
      signal: AbortSignal,
      { pauseMs = 0, onAnswer = (_ms: number) => {}, onFailure = () => {} } = {},
    ) {
      while (!signal.aborted) {
        const session = `s${++sent}`
        const startedAt = performance.now()
        try {
          const answer = await fetch(`${gateway.url}/v1/messages`, asking(session))
          if ((await answer.text()) !== ANTHROPIC_STREAM) throw new Error('it did not come whole')
          answered.add(session)
          onAnswer(performance.now() - startedAt)
          if (pauseMs > 0) await Bun.sleep(pauseMs)
        } catch {
          onFailure()
          // It is being killed: the developer tries again.
          await Bun.sleep(5)
        }
      }
    },

    async kill(what: Killable) {
      await what.running.end('SIGKILL')
      what.running = await what.start()
    },

    delivered: () => until(async () => (await ready())?.queue_records === 0, 60_000),

    /** Sessions that were answered and are not recorded, and such that are recorded twice. */
    async wrong() {
      await using database = openDatabase(`sqlite:${join(dir, 'tycho.db')}`)
      const rows = await database.db.selectFrom('gateway_records').select('session_id').execute()
      const counts = new Map<string, number>()
      for (const { session_id } of rows) counts.set(session_id!, (counts.get(session_id!) ?? 0) + 1)
      return {
        recorded: rows.length,
        lost: [...answered].filter((session) => !counts.has(session)),
        doubled: [...counts].filter(([, count]) => count !== 1),
      }
    },

    async [Symbol.asyncDispose]() {
      await gateway.running.end('SIGKILL')
      await control.running.end('SIGKILL')
      await upstream.stop()
    },
  }
}

const asking = (session: string) => ({
  method: 'POST',
  headers: { 'user-agent': 'claude-cli/2.1.329 (external, cli)', 'x-claude-code-session-id': session },
  body: JSON.stringify({
    model: 'm',
    stream: true,
    messages: [{ role: 'user', content: 'x'.repeat(2_000) }],
  }),
})

/** Calls of the admin, who is signed in by the first answer that has a token. */
function caller(url: string) {
  let token = ''
  return async (method: string, path: string, body: unknown) => {
    const answer = await fetch(url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    // biome-ignore lint/suspicious/noExplicitAny: tests read it field by field
    const value = (await answer.json()) as any
    token ||= value.token
    return value
  }
}
