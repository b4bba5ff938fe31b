import type { Gateway } from '../../src/control/gateways/schema'
import { texts as gatewayTexts } from '../texts/gateway'
import { count } from '../texts/words'
import { bytes } from '../trace/format'
import { duration } from './format'

const texts = gatewayTexts.health.concerns

export interface Concern {
  tone: 'bad' | 'warn'
  text: string
}

/** A queue that is delivered is empty within a heartbeat or two. */
const LAG_MS = 2 * 60_000

/** What is amiss with a gateway, for a person, the worst first. */
export function concernsOf(gateway: Gateway, nowMs: number): Concern[] {
  const { heartbeat } = gateway
  if (!gateway.enabled) return [warn(texts.disabled)]
  if (!heartbeat) return [warn(texts.neverHeardOf)]
  const lagMs = heartbeat.queue.oldest_at ? nowMs - Date.parse(heartbeat.queue.oldest_at) : 0
  const refused = Object.values(gateway.refusals).reduce((sum, number) => sum + number, 0)
  return [
    !gateway.online && bad(texts.silent),
    heartbeat.queue.dropped > 0 && bad(texts.dropped(heartbeat.queue.dropped)),
    heartbeat.queue.bad > 0 && warn(texts.unreadable(heartbeat.queue.bad)),
    lagMs > LAG_MS &&
      warn(
        texts.waiting({
          records: heartbeat.queue.records,
          size: bytes(heartbeat.queue.bytes),
          age: duration(lagMs),
        }),
      ),
    gateway.online && gateway.config_version > 0 && !gateway.config_current && warn(texts.oldConfig),
    gateway.online && !gateway.keys_current && warn(texts.oldKeys),
    gateway.version_differs && warn(texts.otherVersion(heartbeat.version)),
    refused > 0 && warn(texts.refused(refused, codes(gateway.refusals))),
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
