import type { Env } from '#kernel/env'
import type { SecretBox } from '#kernel/secrets'

/** What no JSON begins with. */
const MARK = 'sealed:'

export type Sealing = ReturnType<typeof sealing>

interface Deps {
  secrets: Pick<SecretBox, 'seal' | 'open' | 'ephemeral'>
  topology: Env['SERVICE_TOPOLOGY']
}

/**
 * Checkpoints hold what runs take and make, whatever the capture level: in a hosted install they are sealed with the
 * key of the stored secrets. Not with one that dies with the process, for then no run could go on after a restart. What
 * lies there in plain form, or under an older key that is still listed, is read all the same.
 */
export function sealing({ secrets, topology }: Deps) {
  const isSealing = topology === 'hosted' && !secrets.ephemeral
  return {
    isSealing,

    seal: (json: string): string =>
      isSealing ? MARK + Buffer.from(secrets.seal(json)).toString('base64') : json,

    /** @throws {SealedAway} */
    open(text: string): string {
      if (!text.startsWith(MARK)) return text
      const json = secrets.open(Buffer.from(text.slice(MARK.length), 'base64'))
      if (json === null) throw new SealedAway()
      return json
    },
  }
}

/** No fault of the run: it stands until a process has the key. */
export class SealedAway extends Error {
  constructor() {
    super(
      'A checkpoint was sealed with a key that SERVICE_SECRET_KEY does not list. Add it behind the others.',
    )
  }
}
