import { outOfBounds } from '#graph/bounds'
import type { Db } from '#kernel/db/tables'
import { AppError } from '#kernel/errors'
import type { Logger } from '#kernel/log'
import type { SecretBox } from '#kernel/secrets'
import { type Fire, whyNoRun } from './fire'
import type { Fired } from './schema'
import { triggerNotFound } from './service'
import { isSignedBy } from './signature'
import { type TriggerRow, triggerStore } from './store'

interface Deps {
  db: Db
  secrets: Pick<SecretBox, 'open'>
  fire: Fire
  log: Logger
  now: () => number
}

interface Delivery {
  /** The header `X-Service-Signature`. */
  signature: string | null
  /** Reads the raw bytes; only asked for once it is clear that somebody wants them. */
  body: () => Promise<Uint8Array>
}

export type HookService = ReturnType<typeof hookService>

/** Deliveries of other programs. Who may deliver is told by the signature alone. */
export function hookService({ db, secrets, fire, log, now }: Deps) {
  const store = triggerStore(db)

  function secretOf({ id, secret }: TriggerRow): string | null {
    if (secret === null) return null
    const opened = secrets.open(secret)
    if (opened === null) log.error({ trigger: id }, 'the secret of a webhook cannot be read: set it again')
    return opened
  }

  return {
    /**
     * Each check is made in this order (interface, part 8), so that what is told to whom never changes.
     * @throws {AppError} `trigger_not_found`, `trigger_disabled`, `payload_too_large`, `invalid_signature`,
     *   `invalid_payload`, and what keeps the agent from being run
     */
    async deliver(id: string, { signature, body }: Delivery): Promise<Fired> {
      const trigger = await store.find(id)
      if (trigger?.kind !== 'webhook') throw triggerNotFound(id)
      if (!trigger.enabled) {
        throw new AppError(
          'trigger_disabled',
          'The webhook is switched off. PATCH it with {"enabled": true}.',
        )
      }
      const bytes = await body()
      const secret = secretOf(trigger)
      if (secret === null || !isSignedBy(secret, bytes, signature)) throw wrongSignature
      const input = parse(bytes)
      await store.update(id, { last_fired_at: now(), last_error: null })
      return fire(trigger, input).catch(async (error) => {
        await store.update(id, { last_error: whyNoRun(error) })
        throw error
      })
    },
  }
}

/** No body at all is the input `null`. */
function parse(bytes: Uint8Array): unknown {
  if (bytes.byteLength === 0) return null
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (error) {
    throw new AppError('invalid_payload', `The body is not JSON: ${(error as Error).message}.`)
  }
  const refused = outOfBounds(value)
  if (refused) throw new AppError('invalid_payload', `${refused.message} ${refused.hint}`)
  return value
}

const wrongSignature = new AppError(
  'invalid_signature',
  'Send X-Service-Signature: sha256=<hex>, the HMAC-SHA256 of the raw body under the secret of this webhook.',
)
