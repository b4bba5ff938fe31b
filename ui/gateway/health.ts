import type { Gateway } from '../../src/control/gateways/schema'
import { bytes } from '../trace/format'
import { count, duration } from './format'

export interface Concern {
  tone: 'bad' | 'warn'
  text: string
}

/** A queue that is delivered is empty within a heartbeat or two. */
const LAG_MS = 2 * 60_000

/** What is amiss with a gateway, for a person, the worst first. */
export function concernsOf(gateway: Gateway, nowMs: number): Concern[] {
  const { heartbeat } = gateway
  if (!gateway.enabled) return [warn('It is disabled: its records and heartbeats are refused.')]
  if (!heartbeat) return [warn('Nobody has heard of it yet. Start it with the service key it was made with.')]
  const lagMs = heartbeat.queue.oldest_at ? nowMs - Date.parse(heartbeat.queue.oldest_at) : 0
  const refused = Object.values(gateway.refusals).reduce((sum, number) => sum + number, 0)
  return [
    !gateway.online && bad('It is silent. It may serve its developers all the same, and queue its records.'),
    heartbeat.queue.dropped > 0 &&
      bad(`${count(heartbeat.queue.dropped)} records were dropped: its queue or its disk is full.`),
    heartbeat.queue.bad > 0 &&
      warn(`${count(heartbeat.queue.bad)} lines of its queue cannot be read; they are in queue/bad/.`),
    lagMs > LAG_MS &&
      warn(
        `${count(heartbeat.queue.records)} records (${bytes(heartbeat.queue.bytes)}) wait, the oldest for ${duration(lagMs)}.`,
      ),
    gateway.online &&
      gateway.config_version > 0 &&
      !gateway.config_current &&
      warn('It has not fetched its latest configuration yet.'),
    gateway.online && !gateway.keys_current && warn('It has not fetched the latest keys yet.'),
    gateway.version_differs &&
      warn(`It runs version ${heartbeat.version}, which is not that of this control plane.`),
    refused > 0 && warn(`${count(refused)} requests were refused within a day: ${codes(gateway.refusals)}.`),
  ].filter((concern) => concern !== false)
}

const bad = (text: string): Concern => ({ tone: 'bad', text })
const warn = (text: string): Concern => ({ tone: 'warn', text })

const codes = (refusals: Record<string, number>): string =>
  Object.entries(refusals)
    .toSorted(([, a], [, b]) => b - a)
    .map(([code, number]) => `${code} ${count(number)}`)
    .join(', ')

export const isRecording = ({ observer, record_level }: Gateway): boolean =>
  observer && record_level !== 'off'
