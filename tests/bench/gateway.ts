import { type Peer, startPeers } from './gateway-peers'
import { cpuUs, residentMiB } from './processes'
import { quantile, round, table } from './statistics'

const REQUESTS = 2_000
/** Until the runtime has compiled what is used. */
const WARM_UP = 20_000
const LOADED = 5_000
const WIDTH = 32
const PACED_STREAMS = 10
const STREAMS = 1_000
const CHUNKS = 200
const ABORTED = 10_000
const CONCURRENT = 1_000
/** The core that carries a relay while its streams are counted. */
const CORE = '0'

/**
 * What the gateway adds to a request and to each chunk of a stream, beside a relay of ten lines on the same runtime, nginx
 * and the gateway of Portkey, in the same run; how many recorded streams one core carries, what its memory does over
 * aborted ones, a thousand at once.
 */
export async function benchGateway(command: string[]) {
  await using peers = await startPeers(command)
  const { direct, relays, recording } = peers
  await jsonRequests([direct, ...relays])
  await loaded(relays)
  await chunks([direct, ...relays])
  await throughput(relays)
  await manyAtOnce(recording)
  await aborts(recording)
}

/** One request after another, the peers in turn, so that a busy moment meets all of them. */
async function jsonRequests(peers: Peer[]) {
  const measured = peers.map((peer) => ({ peer, times: [] as number[], cpu: 0 }))
  for (const peer of peers) await inParallel(WARM_UP, 8, () => whole(peer))
  await delivered(peers)
  for (const one of measured) one.cpu = -cpuUs(one.peer.pid)
  for (let index = 0; index < REQUESTS; index++) {
    for (const { peer, times } of measured) {
      const startedAt = performance.now()
      await whole(peer)
      times.push(performance.now() - startedAt)
    }
  }
  await delivered(peers)
  for (const one of measured) one.cpu += cpuUs(one.peer.pid)
  const [base] = measured
  table(
    `JSON request, ${REQUESTS} each, one after another`,
    measured.map(({ peer, times, cpu }) => ({
      peer: peer.name,
      'p50 ms': round(quantile(times, 0.5), 3),
      'p95 ms': round(quantile(times, 0.95), 3),
      'added p50 ms': round(quantile(times, 0.5) - quantile(base!.times, 0.5), 3),
      ...(peer === base!.peer ? {} : perRequest(cpu / REQUESTS, measured, REQUESTS)),
    })),
  )
}

/** Many at a time: what a request costs when there is no waiting between them. */
async function loaded(peers: Peer[]) {
  const measured: { peer: Peer; cpu: number; seconds: number }[] = []
  for (const peer of peers) {
    await inParallel(LOADED / 5, WIDTH, () => whole(peer))
    await delivered([peer])
    const cpu = cpuUs(peer.pid)
    const startedAt = performance.now()
    await inParallel(LOADED, WIDTH, () => whole(peer))
    const seconds = (performance.now() - startedAt) / 1_000
    await delivered([peer])
    measured.push({ peer, cpu: cpuUs(peer.pid) - cpu, seconds })
  }
  table(
    `JSON request, ${LOADED} each, ${WIDTH} at once`,
    measured.map(({ peer, cpu, seconds }) => ({
      peer: peer.name,
      'requests/s': round(LOADED / seconds, 0),
      ...perRequest(cpu / LOADED, measured, LOADED),
    })),
  )
}

function perRequest(cpu: number, measured: { peer: Peer; cpu: number }[], count: number) {
  const times = (name: string) => {
    const other = measured.find(({ peer }) => peer.name === name)
    return other ? round(cpu / (other.cpu / count)) : ''
  }
  return { 'CPU µs/request': round(cpu, 0), '× bare': times('bare Bun relay'), '× nginx': times('nginx') }
}

/** Until nothing waits to be told to the control plane: the cost of a record is that of writing and of delivering it. */
async function delivered(peers: Peer[]) {
  for (const { url } of peers.filter(({ isRecording }) => isRecording)) {
    const left = async () =>
      ((await (await fetch(`${url}/readyz`)).json()) as { queue_records: number }).queue_records
    while ((await left()) > 0) await Bun.sleep(50)
  }
}

/** Every chunk says when it was sent. */
async function chunks(peers: Peer[]) {
  const rows: { name: string; times: number[] }[] = peers.map(({ name }) => ({ name, times: [] }))
  for (let stream = 0; stream < PACED_STREAMS; stream++) {
    for (const [index, peer] of peers.entries()) {
      const answer = await ask(peer, 'pace-2')
      const decoder = new TextDecoder()
      for await (const part of answer.body!) {
        const at = performance.timeOrigin + performance.now()
        for (const [, sent] of decoder.decode(part, { stream: true }).matchAll(/"text":"([\d.]+)"/g))
          rows[index]!.times.push(at - Number(sent))
      }
    }
  }
  table(
    'Chunk of a stream',
    rows.map(({ name, times }) => ({
      peer: name,
      chunks: times.length,
      'p50 ms': round(quantile(times, 0.5), 3),
      'p95 ms': round(quantile(times, 0.95), 3),
      'added p50 ms': round(quantile(times, 0.5) - quantile(rows[0]!.times, 0.5), 3),
    })),
  )
}

/** Each relay on one core, which the client and the provider share with it where there are only two. */
async function throughput(peers: Peer[]) {
  const rows = []
  for (const peer of peers) {
    if (Bun.which('taskset')) Bun.spawnSync(['taskset', '-acp', CORE, String(peer.pid)], { stdout: 'ignore' })
    const before = cpuUs(peer.pid)
    const startedAt = performance.now()
    await inParallel(STREAMS, WIDTH, () => whole(peer, 'pace-0'))
    const seconds = (performance.now() - startedAt) / 1_000
    const cpu = (cpuUs(peer.pid) - before) / 1e6
    rows.push({
      peer: peer.name,
      'streams/s': round(STREAMS / seconds, 0),
      'streams per CPU second': round(STREAMS / cpu, 0),
      'CPU µs/chunk': round((cpu * 1e6) / STREAMS / CHUNKS, 1),
    })
  }
  table(`${CHUNKS}-chunk streams, ${STREAMS}, the relay on one core`, rows)
}

async function manyAtOnce(peer: Peer) {
  const before = residentMiB(peer.pid)
  const startedAt = performance.now()
  let complete = 0
  await inParallel(CONCURRENT, CONCURRENT, async () => {
    const text = await (await ask(peer, 'pace-10')).text()
    if (text.includes('event: message_delta')) complete++
  })
  const seconds = round((performance.now() - startedAt) / 1_000, 1)
  const memory = [before, residentMiB(peer.pid)].map(Math.round).join(' → ')
  console.log(`\n${CONCURRENT} streams at once: ${complete} whole in ${seconds} s, memory ${memory} MiB`)
}

async function aborts(peer: Peer) {
  const memory: number[] = []
  for (let done = 0; done < ABORTED; done += ABORTED / 10) {
    await inParallel(ABORTED / 10, WIDTH, async () => {
      const gone = new AbortController()
      const answer = await ask(peer, 'pace-5', gone.signal)
      await answer.body!.getReader().read()
      gone.abort()
    })
    memory.push(Math.round(residentMiB(peer.pid)))
  }
  console.log(`\nmemory over ${ABORTED} aborted streams, MiB: ${memory.join(', ')}`)
}

const SAID = [{ role: 'user', content: 'x'.repeat(2_000) }]

function ask({ url, headers }: Peer, model = 'm', signal?: AbortSignal) {
  const stream = model !== 'm'
  return fetch(`${url}/v1/messages`, {
    method: 'POST',
    body: JSON.stringify({ model, max_tokens: 100, ...(stream ? { stream } : {}), messages: SAID }),
    signal,
    // Nobody compresses: it is relaying that is measured.
    headers: { 'content-type': 'application/json', 'accept-encoding': 'identity', ...headers },
  })
}

/** @throws when the answer is not the provider's own */
async function whole(peer: Peer, model?: string) {
  const answer = await ask(peer, model)
  const text = await answer.text()
  if (!answer.ok || !text.includes('"output_tokens":25'))
    throw new Error(`${peer.name} answered ${text.slice(0, 200)}`)
}

async function inParallel(count: number, width: number, work: () => Promise<void>) {
  let left = count
  await Promise.all(
    Array.from({ length: width }, async () => {
      while (left-- > 0) await work()
    }),
  )
}
