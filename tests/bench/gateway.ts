import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CONFIG } from '../support/gateway'
import { bareEnvironment, startTycho } from '../support/process'
import { quantile, round, table } from './statistics'

const BODY = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x'.repeat(2_000) }] })
const REQUESTS = 2_000
/** Until the runtime has compiled what is used. */
const WARM_UP = 5_000
const STREAMS = 1_000
const CHUNKS = 200
const ABORTED = 10_000
const CONCURRENT = 1_000

interface Peer {
  name: string
  url: string
  pid: number
}

/**
 * What the gateway adds to a request and to each chunk of a stream, beside a relay of ten lines on the same runtime, in
 * the same run; how many recorded streams it carries, what its memory does over aborted ones, a thousand at once.
 */
export async function benchGateway(command: string[]) {
  const upstream = await program('gateway-upstream.ts')
  const bare = await program('bare-relay.ts', upstream.url)
  const dir = mkdtempSync(join(tmpdir(), 'tycho-bench-'))
  const env = {
    ...bareEnvironment(dir),
    SERVICE_GATEWAY_UPSTREAM_URL: upstream.url,
    BUN_CONFIG_MAX_HTTP_REQUESTS: '16384',
  }
  const args = ['serve', '--planes', 'gateway', '--log-level', 'warn']
  const plain = await startTycho({ command, args, env })
  const plane = await program('taking-plane.ts')
  const atLevel = (record_level: 'metadata' | 'full') => {
    const state = join(dir, record_level)
    mkdirSync(state, { recursive: true })
    writeFileSync(join(state, 'config.json'), JSON.stringify({ ...CONFIG, record_level }))
    const attached = {
      ...env,
      SERVICE_GATEWAY_STATE_DIR: state,
      SERVICE_GATEWAY_SERVICE_KEY: 'tygs_x',
      SERVICE_CONTROL_PLANE_URL: plane.url,
    }
    return startTycho({ command, args, env: attached })
  }
  const recording = await atLevel('metadata')
  const full = await atLevel('full')

  const direct = { name: 'direct', url: upstream.url, pid: upstream.pid }
  const recorder = { name: 'gateway, recording', url: recording.urls.gateway!, pid: recording.pid }
  const peers: Peer[] = [
    direct,
    { name: 'bare Bun relay', ...bare },
    { name: 'gateway, off', url: plain.urls.gateway!, pid: plain.pid },
    recorder,
    { name: 'gateway, recording all', url: full.urls.gateway!, pid: full.pid },
  ]
  await jsonRequests(peers)
  await chunks(peers)
  await throughput(peers.slice(1))
  await manyAtOnce(recorder)
  await aborts(recorder)

  for (const one of [plain, recording, full]) await one.end('SIGKILL')
  for (const one of [upstream, bare, plane]) one.kill()
  rmSync(dir, { recursive: true, force: true })
}

/** One request after another, the peers in turn, so that a busy moment meets all of them. */
async function jsonRequests(peers: Peer[]) {
  const samples = new Map(peers.map(({ name }) => [name, [] as number[]]))
  // The first ones pay for compiling.
  for (const { url } of peers)
    await inParallel(WARM_UP, 8, async () => void (await (await ask(url, '/v1/messages')).bytes()))
  await delivered(peers)
  const before = peers.map(({ pid }) => cpuMs(pid))
  for (let index = 0; index < REQUESTS; index++) {
    for (const { name, url } of peers) {
      const startedAt = performance.now()
      await (await ask(url, '/v1/messages')).bytes()
      samples.get(name)!.push(performance.now() - startedAt)
    }
  }
  await delivered(peers)
  const [base] = peers
  table(
    `JSON request, ${REQUESTS} each`,
    peers.map(({ name, pid }, index) => ({
      peer: name,
      'p50 ms': round(quantile(samples.get(name)!, 0.5), 3),
      'p95 ms': round(quantile(samples.get(name)!, 0.95), 3),
      'added p50 ms': round(quantile(samples.get(name)!, 0.5) - quantile(samples.get(base!.name)!, 0.5), 3),
      'CPU µs/request': index === 0 ? '' : round(((cpuMs(pid) - before[index]!) * 1_000) / REQUESTS, 0),
    })),
  )
}

/** Until nothing waits to be told to the control plane: the cost of a record is that of writing and of delivering it. */
async function delivered(peers: Peer[]) {
  for (const { name, url } of peers) {
    if (!name.startsWith('gateway')) continue
    const left = async () =>
      ((await (await fetch(`${url}/readyz`)).json()) as { queue_records: number }).queue_records
    while ((await left()) > 0) await Bun.sleep(50)
  }
}

/** Every chunk says when it was sent. */
async function chunks(peers: Peer[]) {
  const rows: { name: string; p50: number; p95: number }[] = []
  for (const { name, url } of peers) {
    const samples: number[] = []
    for (let stream = 0; stream < 10; stream++) {
      const answer = await ask(url, '/v1/messages?pace=2')
      const decoder = new TextDecoder()
      for await (const part of answer.body!) {
        const at = performance.timeOrigin + performance.now()
        for (const [, sent] of decoder.decode(part, { stream: true }).matchAll(/"text":"([\d.]+)"/g))
          samples.push(at - Number(sent))
      }
    }
    rows.push({ name, p50: quantile(samples, 0.5), p95: quantile(samples, 0.95) })
  }
  table(
    'Chunk of a stream',
    rows.map(({ name, p50, p95 }) => ({
      peer: name,
      'p50 ms': round(p50, 3),
      'p95 ms': round(p95, 3),
      'added p50 ms': round(p50 - rows[0]!.p50, 3),
    })),
  )
}

async function throughput(peers: Peer[]) {
  const rows = []
  for (const { name, url, pid } of peers) {
    const before = cpuMs(pid)
    const startedAt = performance.now()
    await inParallel(STREAMS, 32, async () => void (await (await ask(url, '/v1/messages?pace=0')).bytes()))
    const seconds = (performance.now() - startedAt) / 1_000
    const cpu = (cpuMs(pid) - before) / 1_000
    rows.push({
      peer: name,
      'streams/s': round(STREAMS / seconds, 0),
      'streams/s of one core': round(STREAMS / cpu, 0),
      'CPU µs/chunk': round((cpu * 1e6) / STREAMS / CHUNKS, 1),
    })
  }
  table(`${CHUNKS}-chunk streams, ${STREAMS}`, rows)
}

async function manyAtOnce({ url, pid }: Peer) {
  const before = rssMiB(pid)
  const startedAt = performance.now()
  let whole = 0
  await inParallel(CONCURRENT, CONCURRENT, async () => {
    const bytes = await (await ask(url, '/v1/messages?pace=10')).bytes()
    if (bytes.byteLength > 0) whole++
  })
  console.log(
    `\n${CONCURRENT} streams at once: ${whole} whole in ${round((performance.now() - startedAt) / 1_000, 1)} s, memory ${before} → ${rssMiB(pid)} MiB`,
  )
}

async function aborts({ url, pid }: Peer) {
  const memory: number[] = []
  for (let done = 0; done < ABORTED; done += ABORTED / 10) {
    await inParallel(ABORTED / 10, 32, async () => {
      const gone = new AbortController()
      const answer = await ask(url, '/v1/messages?pace=5', gone.signal)
      await answer.body!.getReader().read()
      gone.abort()
    })
    memory.push(rssMiB(pid))
  }
  console.log(`\nmemory over ${ABORTED} aborted streams, MiB: ${memory.join(', ')}`)
}

const ask = (url: string, path: string, signal?: AbortSignal) =>
  fetch(url + path, { method: 'POST', body: BODY, signal, headers: { 'content-type': 'application/json' } })

async function inParallel(count: number, width: number, work: () => Promise<void>) {
  let left = count
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (left-- > 0) await work()
    }),
  )
}

/** A program of this folder; it prints its address first. */
async function program(file: string, ...args: string[]) {
  const child = Bun.spawn([process.execPath, join(import.meta.dirname, 'peers', file), ...args], {
    stdout: 'pipe',
    env: { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: '16384' },
  })
  const { value } = await child.stdout.getReader().read()
  return { url: new TextDecoder().decode(value).trim(), pid: child.pid, kill: () => child.kill() }
}

const TICKS_PER_SECOND = 100
/** Processor time of a process so far; Linux. */
function cpuMs(pid: number): number {
  const fields = fileOf(pid, 'stat').split(') ')[1]!.split(' ')
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND
}
const rssMiB = (pid: number): number =>
  Math.round(Number(/VmRSS:\s+(\d+)/.exec(fileOf(pid, 'status'))?.[1]) / 1024)
const fileOf = (pid: number, name: string): string =>
  Bun.spawnSync(['cat', `/proc/${pid}/${name}`]).stdout.toString()
