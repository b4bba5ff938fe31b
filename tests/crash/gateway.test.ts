import { afterAll, beforeAll, expect, test } from 'bun:test'
import { until } from '../support/gateway'
import { killableGateway } from '../support/killable-gateway'
import { removeFolders } from '../support/process'

/** How often each is killed; `tests/bench/gateway-loss.ts` does it for longer. */
const KILLS = 2
const WORKERS = 8

let mortal: Awaited<ReturnType<typeof killableGateway>>
beforeAll(async () => {
  mortal = await killableGateway()
}, 60_000)
afterAll(async () => {
  await mortal[Symbol.asyncDispose]()
  removeFolders()
}, 30_000)

async function more(count: number) {
  const enough = mortal.answered.size + count
  await until(() => mortal.answered.size >= enough, 20_000)
}

test('kill -9 of the gateway, of the control plane and of both, under load: nothing is lost, nothing comes twice', async () => {
  const { gateway, control, answered, develop, kill } = mortal
  const over = new AbortController()
  const developers = Array.from({ length: WORKERS }, () => develop(over.signal))
  for (let round = 0; round < KILLS; round++) {
    await more(60)
    await kill(gateway)
    await more(60)
    await kill(control)
    await more(60)
    await Promise.all([kill(gateway), kill(control)])
  }
  await more(60)
  over.abort()
  await Promise.all(developers)
  await mortal.delivered()

  const { lost, doubled } = await mortal.wrong()
  expect({ lost, doubled }).toEqual({ lost: [], doubled: [] })
  expect(answered.size).toBeGreaterThan(60 * KILLS)
}, 120_000)

test('a gateway that starts while the control plane is away serves and records; it delivers later', async () => {
  const { gateway, control } = mortal
  await control.running.end('SIGKILL')
  await mortal.kill(gateway)
  const over = new AbortController()
  const developer = mortal.develop(over.signal)
  await more(20)
  over.abort()
  await developer
  expect((await mortal.ready())?.queue_records).toBeGreaterThanOrEqual(20)
  control.running = await control.start()
  await mortal.delivered()
  const { lost, doubled } = await mortal.wrong()
  expect({ lost, doubled }).toEqual({ lost: [], doubled: [] })
}, 90_000)
