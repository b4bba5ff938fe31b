import { join } from 'node:path'
import { bareEnvironment, emptyFolder, startTycho } from '../support/process'
import { quantile, round, table } from './statistics'

/** How far apart the provider sends tokens while latency is measured: a fast local model. */
const PACE_MS = 10
const PASSWORD = 'correct horse battery'

interface Path {
  name: string
  url: string
  headers: Record<string, string>
  body(paceMs: number): unknown
}

/**
 * What a token costs on its way: straight from the provider, through the inference plane, and through a run (both
 * planes, the database and the trace). Provider, Tycho and client are three processes.
 */
export async function benchStreams(command: string[]) {
  const provider = Bun.spawn([process.execPath, join(import.meta.dirname, 'provider.ts')], { stdout: 'pipe' })
  const providerUrl = `${(await firstLine(provider.stdout)).trim()}v1`
  await using tycho = await startTycho({
    command,
    args: ['serve', '--log-level', 'warn'],
    env: bareEnvironment(emptyFolder()),
  })
  const { control, inference } = tycho.urls as { control: string; inference: string }
  const token = await prepare(control, inference, providerUrl)

  const messages = [{ role: 'user', content: 'go' }]
  const paths: Path[] = [
    {
      name: 'bare provider',
      url: `${providerUrl}/chat/completions`,
      headers: {},
      body: (pace) => ({ model: 'bench', messages, stream: true, user: String(pace) }),
    },
    {
      name: '/v1/chat/completions',
      url: `${inference}/v1/chat/completions`,
      headers: {},
      body: (pace) => ({ model: 'bench', messages, stream: true, user: String(pace) }),
    },
    {
      name: 'POST /runs',
      url: `${control}/runs`,
      headers: { authorization: `Bearer ${token}` },
      body: (pace) => ({ model: 'bench', input: 'go', params: { user: String(pace) } }),
    },
  ]
  for (const path of paths) await Promise.all(Array.from({ length: 8 }, () => stream(path, 0)))

  for (const concurrency of [1, 64]) await latency(paths, concurrency)
  for (const concurrency of [1, 64]) await throughput(paths, concurrency)
  provider.kill()
}

async function latency(paths: Path[], concurrency: number) {
  const rounds = concurrency === 1 ? 5 : 3
  const rows = []
  let bare: { p50: number; p99: number } | undefined
  for (const path of paths) {
    const samples: number[] = []
    for (let i = 0; i < rounds; i++) samples.push(...(await atOnce(concurrency, path, PACE_MS)))
    const p50 = quantile(samples, 0.5) / 1000
    const p99 = quantile(samples, 0.99) / 1000
    bare ??= { p50, p99 }
    rows.push({
      path: path.name,
      'p50 ms': round(p50),
      'p99 ms': round(p99),
      'added p50 ms': round(p50 - bare.p50),
      'p50 ×': round(p50 / bare.p50),
      'p99 ×': round(p99 / bare.p99),
    })
  }
  table(`Token latency, ${concurrency} at once, a token every ${PACE_MS} ms, 200 tokens`, rows)
}

async function throughput(paths: Path[], concurrency: number) {
  const streams = concurrency === 1 ? 40 : 192
  const rows = []
  let bare: number | undefined
  for (const path of paths) {
    const startedAt = performance.now()
    for (let done = 0; done < streams; done += concurrency) await atOnce(concurrency, path, 0)
    const perSecond = streams / ((performance.now() - startedAt) / 1000)
    bare ??= perSecond
    rows.push({
      path: path.name,
      'streams/s': round(perSecond, 1),
      'tokens/s': Math.round(perSecond * 200),
      '× bare': round(perSecond / bare),
    })
  }
  table(`Throughput at full speed, ${concurrency} at once`, rows)
}

const atOnce = async (concurrency: number, path: Path, paceMs: number): Promise<number[]> =>
  (await Promise.all(Array.from({ length: concurrency }, () => stream(path, paceMs)))).flat()

/** Microseconds each token of one stream travelled. */
async function stream({ url, headers, body }: Path, paceMs: number): Promise<number[]> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body(paceMs)),
  })
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
  const decoder = new TextDecoder()
  const travelled: number[] = []
  for await (const bytes of response.body!) {
    const arrived = (performance.timeOrigin + performance.now()) * 1000
    for (const [sent] of decoder.decode(bytes, { stream: true }).matchAll(/\b\d{16}\b/g))
      travelled.push(arrived - Number(sent))
  }
  if (travelled.length !== 200) throw new Error(`${url} gave ${travelled.length} of 200 tokens`)
  return travelled
}

async function prepare(control: string, inference: string, providerUrl: string): Promise<string> {
  const model = { binding: 'standard-compatible', model: 'bench', baseUrl: providerUrl }
  await send('PUT', `${inference}/admin/models/bench`, model)
  const { token } = (await send('POST', `${control}/auth/setup`, {
    username: 'bench',
    password: PASSWORD,
  })) as { token: string }
  return token
}

async function send(method: string, url: string, body: unknown): Promise<unknown> {
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
  return response.json()
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of stream) {
    text += decoder.decode(chunk)
    if (text.includes('\n')) return text.slice(0, text.indexOf('\n'))
  }
  return text
}
