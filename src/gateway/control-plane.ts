/** How long the control plane may take to answer; a batch of records is the most that is sent. */
const ANSWER_MS = 20_000
const MAX_ANSWER_BYTES = 16 * 1024 * 1024

interface Heartbeat {
  gateway_id: string
  version: string
  mode: 'personal' | 'team'
  config_version: number
  keys_version: string | null
  started_at: string
  org_key_source: 'none' | 'environment' | 'stored'
  queue: { records: number; bytes: number; oldest_at: string | null; dropped: number; bad: number }
  refusals: Record<string, number>
  requests: number
}

/** The control plane answered with something else than what was asked for. */
export class ControlPlaneError extends Error {
  constructor(
    readonly status: number,
    path: string,
  ) {
    super(`it answered ${status} to ${path}`)
  }
}

export type ControlPlane = ReturnType<typeof controlPlaneClient>

/** The control plane as a gateway sees it (design C6). */
export function controlPlaneClient({ url, serviceKey }: { url: string; serviceKey: string }) {
  async function call(
    method: string,
    path: string,
    init: { body?: Uint8Array<ArrayBuffer> | string; headers?: Record<string, string> } = {},
  ): Promise<Response> {
    return fetch(`${url}/gateway/${path}`, {
      method,
      redirect: 'manual',
      body: init.body,
      headers: { authorization: `Bearer ${serviceKey}`, ...init.headers },
      signal: AbortSignal.timeout(ANSWER_MS),
    })
  }

  const json = (value: unknown) => ({
    body: JSON.stringify(value),
    headers: { 'content-type': 'application/json' },
  })

  /** @throws {ControlPlaneError} for any other status than `expected` */
  async function answerOf<T>(response: Response, path: string): Promise<T> {
    if (response.status !== 200) {
      void response.body?.cancel()
      throw new ControlPlaneError(response.status, path)
    }
    const text = await response.text()
    if (text.length > MAX_ANSWER_BYTES) throw new ControlPlaneError(413, path)
    return JSON.parse(text) as T
  }

  return {
    url,

    async heartbeat(state: Heartbeat) {
      const response = await call('POST', 'heartbeat', json(state))
      return answerOf<{ config_version: number; keys_version: string }>(response, 'heartbeat')
    },

    /** What is at `path`, `same` for the version that is known, `none` while nothing was saved. */
    async fetchChanged<T>(
      path: 'config' | 'keys',
      known: number | string | null,
    ): Promise<T | 'same' | 'none'> {
      const headers: Record<string, string> = known === null ? {} : { 'if-none-match': `"${known}"` }
      const response = await call('GET', path, { headers })
      if (response.status === 304) return 'same'
      if (response.status === 204) return 'none'
      return answerOf<T>(response, path)
    },

    async deliver(body: Uint8Array<ArrayBuffer>, batchId: string) {
      const headers = { 'content-type': 'application/x-ndjson', 'x-service-batch-id': batchId }
      const response = await call('POST', 'records', { body, headers })
      return answerOf<{ accepted: number; duplicates: number; rejected: { seq: number | null }[] }>(
        response,
        'records',
      )
    },

    /** Who holds a one-time ticket; null for one that is unknown, used or over its time. */
    async verifyTicket(ticket: string): Promise<{ user_id: string; role: string } | null> {
      const response = await call('POST', 'tickets:verify', json({ ticket }))
      if (response.status === 401) return null
      return answerOf(response, 'tickets:verify')
    },
  }
}
