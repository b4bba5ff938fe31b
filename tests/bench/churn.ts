import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fakeEngine } from '../support/fake-engine'
import { makeParrot } from '../support/make-tiny-gguf'
import {
  bareEnvironment,
  emptyFolder,
  FROM_SOURCE,
  removeFolders,
  startTycho,
  type TychoProcess,
} from '../support/process'
import { quantile, round, table } from './statistics'

/**
 * `bun tests/bench/churn.ts [minutes] [bundled]`: 20 models over 2 places in memory, callers that come and leave as they
 * like, and engines that are killed; then whatever was left behind. Ten minutes when nothing else is said. The engine is
 * the tests' own program, or with `bundled` the one that is part of Tycho, with a tiny model.
 *
 * It ends with 1 when something leaked: a process, a descriptor, a lease, or more memory than a full run may keep.
 */
const MODELS = 20
const PLACES = 2
const CALLERS = 8
const KILL_EVERY_MS = 700
const SAMPLE_MS = 1_000
const LEAVE_WITHIN_MS = 120
const PACE_MS = 2
const PAUSE_MS = 100
/** Connections that are kept for their next use, on either side. */
const DESCRIPTORS_SPARE = 16
/** What a heap may keep after work without leaking: seen over short and long runs alike. */
const MEMORY_SPARE_MIB = 64

const [minutes = '10', engine = 'program'] = Bun.argv.slice(2)
const command = existsSync('dist/tycho') ? [resolve('dist/tycho')] : FROM_SOURCE
const bundled = engine === 'bundled'

const folder = emptyFolder()
const weights = join(folder, 'weights.gguf')
if (bundled) makeParrot(weights)
else writeFileSync(weights, '')
const tycho = await start()
const api = tycho.urls.inference!
for (let index = 0; index < MODELS; index++) await register(index)

const counts: Record<string, number> = {}
const count = (what: string) => {
  counts[what] = (counts[what] ?? 0) + 1
}
let most = 0

// Everything is used once before it counts: code is compiled, connections are made.
for (let index = 0; index < MODELS; index++) await chat(index, new AbortController().signal)
await freeAll()
const before = await measure(tycho)
const memory: number[] = []

const over = AbortSignal.timeout(Number(minutes) * 60_000)
await Promise.all([...Array.from({ length: CALLERS }, caller), killer(), sampler()])
await freeAll()
const after = await settled(tycho)
const leases = await leasesHeld()
const code = await tycho.end('SIGTERM')
const left = processes().length
removeFolders()
report()

async function start(): Promise<TychoProcess> {
  const data = join(folder, 'data')
  const place = join(data, 'engines', 'llamacpp')
  mkdirSync(place, { recursive: true })
  if (!bundled) fakeEngine(place, 'llama-server', { paceMs: PACE_MS })
  return await startTycho({
    command,
    args: ['serve', '--planes', 'inference', '--log-level', 'silent'],
    env: { ...bareEnvironment(data), SERVICE_MAX_RESIDENT: String(PLACES) },
  })
}

async function register(index: number) {
  const body = { binding: 'llamacpp', source: 'local-path', model: weights }
  const response = await fetch(`${api}/admin/models/m${index}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`no registration: ${await response.text()}`)
}

/** Somebody who asks, leaves in the middle, loads and frees, without a pause. */
async function caller() {
  while (!over.aborted) {
    const index = Math.floor(Math.random() * MODELS)
    const chance = Math.random()
    try {
      if (chance < 0.6) await chat(index, new AbortController().signal)
      else if (chance < 0.9) await chat(index, AbortSignal.timeout(Math.random() * LEAVE_WITHIN_MS))
      else await act(index, chance < 0.95 ? 'warm' : 'evict')
    } catch (error) {
      count((error as Error).name === 'TimeoutError' ? 'left in the middle' : `failed: ${String(error)}`)
    }
  }
}

async function chat(index: number, signal: AbortSignal) {
  const response = await fetch(`${api}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model: `m${index}`,
      messages: [{ role: 'user', content: 'Hi' }],
      max_tokens: 16,
      stream: true,
    }),
    signal,
  })
  const text = await response.text()
  if (!response.ok) {
    count(`refused: ${codeIn(text)}`)
    // As a client that tries again; without, this would measure refusals alone.
    return Bun.sleep(Math.random() * PAUSE_MS)
  }
  count(
    text.includes('[DONE]') ? 'answered' : `broke off: ${codeIn(text.slice(text.lastIndexOf('{"error"')))}`,
  )
}

async function act(index: number, verb: 'warm' | 'evict') {
  const response = await fetch(`${api}/admin/models/m${index}:${verb}`, { method: 'POST' })
  const text = await response.text()
  count(response.ok ? verb : `refused: ${codeIn(text)}`)
}

function codeIn(text: string): string {
  return /"code":"(\w+)"/.exec(text)?.[1] ?? 'nothing said'
}

async function killer() {
  while (!over.aborted) {
    await Bun.sleep(Math.random() * 2 * KILL_EVERY_MS)
    const alive = processes().filter(({ guard }) => !guard)
    const victim = alive[Math.floor(Math.random() * alive.length)]
    if (!victim) continue
    try {
      process.kill(victim.pid, 'SIGKILL')
      count('killed')
    } catch {
      // It ended by itself just now.
    }
  }
}

async function sampler() {
  while (!over.aborted) {
    await Bun.sleep(SAMPLE_MS)
    most = Math.max(most, processes().filter(({ guard }) => !guard).length)
    memory.push(residentMiB(tycho.pid))
  }
}

async function freeAll() {
  for (let index = 0; index < MODELS; index++) {
    await fetch(`${api}/admin/models/m${index}:evict`, { method: 'POST' }).then((it) => it.text())
  }
}

async function leasesHeld(): Promise<number> {
  const { resident } = (await (await fetch(`${api}/admin/engines`)).json()) as {
    resident: { inflight: number }[]
  }
  return resident.reduce((sum, { inflight }) => sum + 1 + inflight, 0)
}

/** Engines and their guards: nobody else names our folder. */
function processes(): { pid: number; guard: boolean }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== tycho.pid && Number(name) !== process.pid)
    .flatMap((pid) => {
      const args = commandLine(pid)
      return args.includes(weights) ? [{ pid: Number(pid), guard: args.includes('engine-guard') }] : []
    })
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    // It ended while we looked.
    return ''
  }
}

async function measure({ pid }: TychoProcess) {
  return {
    processes: processes().length,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    memoryMiB: residentMiB(pid),
  }
}

/** What is left once things had time to go: connections are closed by either side when they are idle. */
async function settled(one: TychoProcess) {
  let found = await measure(one)
  for (let waited = 0; waited < 20 && !isClean(found); waited++) {
    await Bun.sleep(500)
    found = await measure(one)
  }
  return found
}

function isClean(found: Awaited<ReturnType<typeof measure>>) {
  return found.processes === 0 && found.descriptors <= before.descriptors + DESCRIPTORS_SPARE
}

function residentMiB(pid: number): number {
  return round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024, 1)
}

function report() {
  table(
    `${minutes} min, ${MODELS} models over ${PLACES} places, ${CALLERS} callers, ${bundled ? 'the bundled engine' : 'an engine as a program'}`,
    Object.entries(counts)
      .sort(([, a], [, b]) => b - a)
      .map(([what, times]) => ({ what, times })),
  )
  const half = Math.floor(memory.length / 2)
  const findings = [
    finding('engines alive at once, at most', most, most <= PLACES),
    finding('processes left when all was freed', after.processes, after.processes === 0),
    finding('processes left after the stop', left, left === 0),
    finding('leases and slots left', leases, leases === 0),
    finding(
      'descriptors more than before',
      after.descriptors - before.descriptors,
      after.descriptors <= before.descriptors + DESCRIPTORS_SPARE,
    ),
    finding(
      'memory more than before, MiB',
      round(after.memoryMiB - before.memoryMiB, 1),
      after.memoryMiB <= before.memoryMiB + MEMORY_SPARE_MIB,
    ),
    finding('median memory of the first half, MiB', quantile(memory.slice(0, half), 0.5), true),
    finding('median memory of the second half, MiB', quantile(memory.slice(half), 0.5), true),
    finding('exit code', code, code === 0),
    finding('failures that nobody expects', unexpected(), unexpected() === 0),
  ]
  table('What was left', findings)
  process.exit(findings.every(({ fine }) => fine === 'yes') ? 0 : 1)
}

function finding(what: string, value: number, fine: boolean) {
  return { what, value, fine: fine ? 'yes' : 'NO' }
}

/** Refused for want of room, or an engine that was killed: that is what this is about. Anything else is not. */
function unexpected(): number {
  const known =
    /^(answered|left in the middle|warm|evict|killed|(refused|broke off): (no_capacity|engine_unavailable|upstream_error))$/
  return Object.entries(counts)
    .filter(([what]) => !known.test(what))
    .reduce((sum, [, times]) => sum + times, 0)
}
