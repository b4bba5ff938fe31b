import { expect, test } from 'bun:test'
import { rateMeter } from '../../src/inference/catalog/rate'

test('a rate is that of the last five seconds, and none while nothing comes', () => {
  let now = 0
  const meter = rateMeter(() => now)
  expect(meter.perSecond()).toBeNull()
  for (; now <= 10_000; now += 250) meter.reached(now < 5_000 ? now : 5_000 + (now - 5_000) * 4)
  now -= 250
  expect(meter.perSecond()).toBe(4_000)
  // What begins anew begins its rate anew.
  meter.reached(0)
  now += 500
  meter.reached(1_000)
  expect(meter.perSecond()).toBe(2_000)
  now += 6_000
  expect(meter.perSecond()).toBeNull()
})
