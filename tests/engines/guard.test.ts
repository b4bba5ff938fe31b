import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fakeEngine, type Misbehaviour, type Recorded, recorded } from '../support/fake-engine'
import { GUARD } from './guard-program'
import { runs, testFolder, until } from './machine'
import { PARENT } from './parent-program'

/** A Tycho with its engines, all of them real processes. */
async function tycho(count: number, misbehaviour: Misbehaviour = {}) {
  const folder = testFolder()
  const weights = join(folder.path, 'model.gguf')
  writeFileSync(weights, '')
  const records = Array.from({ length: count }, (_, index) => join(folder.path, `record-${index}.json`))
  const programs = records.map((record, index) => {
    const place = join(folder.path, `${index}`)
    mkdirSync(place)
    return fakeEngine(place, 'llama-server', { ...misbehaviour, record })
  })
  const parent = Bun.spawn([...PARENT, folder.path, weights, ...programs], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const lines: string[] = []
  const decoder = new TextDecoder()
  void (async () => {
    for await (const chunk of parent.stdout) lines.push(decoder.decode(chunk))
  })()
  const said = (word: string) => lines.join('').includes(word)
  return {
    parent,
    ready: () => until(() => said('ready')),
    guards: () => (/ready (.*)/.exec(lines.join(''))?.[1] ?? '').split(' ').map(Number),
    /** The engines and what they started, once they run. */
    async engines(): Promise<number[]> {
      const known: Recorded[] = []
      for (const record of records) {
        await until(() => recorded(record).then(Boolean, () => false))
        known.push(await recorded(record))
      }
      return known.flatMap(({ pid, childPid }) => (childPid === null ? [pid] : [pid, childPid]))
    },
    [Symbol.asyncDispose]: async () => {
      parent.kill('SIGKILL')
      await parent.exited
      folder[Symbol.dispose]()
    },
  }
}

const allGone = (pids: number[]) =>
  until(async () => (await Promise.all(pids.map(runs))).every((running) => !running))

test('no engine outlives a Tycho that is killed, nor does what an engine started', async () => {
  await using one = await tycho(2, { child: true, ignoreSigterm: true })
  await one.ready()
  const pids = [...(await one.engines()), ...one.guards()]
  expect(pids).toHaveLength(6)
  expect(await Promise.all(pids.map(runs))).toEqual(pids.map(() => true))
  one.parent.kill('SIGKILL')
  await allGone(pids)
}, 20_000)

test('an engine that still loads when Tycho is killed goes too', async () => {
  await using one = await tycho(1, { loadingMs: 60_000 })
  const pids = await one.engines()
  one.parent.kill('SIGKILL')
  await allGone(pids)
}, 20_000)

test.skipIf(!Bun.which('setpriv'))(
  'an engine goes even when its guard is killed together with Tycho',
  async () => {
    await using one = await tycho(1)
    await one.ready()
    const pids = await one.engines()
    for (const pid of [one.parent.pid, ...one.guards()]) process.kill(pid, 'SIGKILL')
    await allGone(pids)
  },
  20_000,
)

test('the guard ends as its engine ends', async () => {
  const guarded = (...command: string[]) =>
    Bun.spawn([...GUARD, ...command], { stdin: 'pipe', stdout: 'pipe', stderr: 'pipe' })
  expect(await guarded('sh', '-c', 'exit 7').exited).toBe(7)
  expect(await guarded('/nowhere/engine').exited).toBe(127)
  const talking = guarded('sh', '-c', 'echo out; echo err >&2')
  expect(await new Response(talking.stdout).text()).toBe('out\n')
  expect(await new Response(talking.stderr).text()).toBe('err\n')
})

test('started by hand and left, the guard ends its engine', async () => {
  using folder = testFolder()
  const record = join(folder.path, 'pid')
  const guard = Bun.spawn([...GUARD, 'sh', '-c', `echo $$ > ${record}; exec sleep 1000`], { stdin: 'pipe' })
  await until(async () => (await Bun.file(record).exists()) && Bun.file(record).size > 0)
  const pid = Number(await Bun.file(record).text())
  await guard.stdin.end()
  expect(await guard.exited).toBe(1)
  await allGone([pid])
})
