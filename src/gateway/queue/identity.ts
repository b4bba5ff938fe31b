import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { newId } from '#kernel/ids'
import { tryParse } from '#kernel/json'
import { type StateFiles, writeWhole } from '../state-files'
import { listSegments } from './segments'

const EPOCH_BYTES = 16
const IDENTITY = 'gateway.json'
const ACK = 'ack.json'

interface Identity {
  gateway_id: string
  /** New each time that the queue is made, so that numbers never come twice. */
  epoch: string
}

/** A queue that is gone took its numbers with it: a new epoch starts. */
export function identityOf(state: StateFiles, dir: string): Identity {
  const known = state.read<Identity>(IDENTITY)
  if (known?.gateway_id && known.epoch) {
    if (existsSync(join(dir, ACK)) || listSegments(dir, known.epoch).length > 0) return known
  }
  const identity = {
    gateway_id: known?.gateway_id ?? newId('gateway'),
    epoch: randomBytes(EPOCH_BYTES).toString('hex'),
  }
  state.write(IDENTITY, identity)
  return identity
}

/** The last number that was acknowledged; 0 for another epoch. */
export function ackOf(dir: string, epoch: string): number {
  const path = join(dir, ACK)
  if (!existsSync(path)) return 0
  const ack = tryParse(readFileSync(path, 'utf8')) as { epoch: string; seq: number } | undefined
  return ack?.epoch === epoch && Number.isSafeInteger(ack.seq) ? ack.seq : 0
}

export const saveAck = (dir: string, epoch: string, seq: number) =>
  writeWhole(join(dir, ACK), JSON.stringify({ epoch, seq }))
