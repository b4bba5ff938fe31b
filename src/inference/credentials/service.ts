import { AppError } from '#kernel/errors'
import { credentialName } from '../models/registration'
import type { Credential } from './schema'
import type { CredentialStore } from './store'

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,127}$/
/** What a header can carry: printable ASCII, nothing that could begin another header. */
const HEADER_VALUE = /^[\x21-\x7e]+$/

/** What a provider without a credential is sent, because clients of the protocol must send something. */
const NO_AUTH = 'sk-noauth'

export type CredentialService = ReturnType<typeof credentialService>

interface Deps {
  store: CredentialStore
  environmentSecret: (name: string) => string | undefined
}

/** Keys of providers: written, used, never shown. `HF_TOKEN` is the one of the model hub. */
export function credentialService({ store, environmentSecret }: Deps) {
  return {
    list: (): { credentials: Credential[] } => ({ credentials: store.names().map(present) }),
    names: store.names,

    async put(name: string, value: string): Promise<Credential> {
      if (!NAME.test(name)) {
        throw new AppError(
          'invalid_credential',
          'The name must be shaped like an environment variable: letters, digits and _, no digit first.',
        )
      }
      if (!HEADER_VALUE.test(value)) {
        throw new AppError(
          'invalid_credential',
          'value: must be one line of printable ASCII without spaces, as keys of providers are.',
        )
      }
      await store.put(name, value)
      return present(name)
    },

    async remove(name: string): Promise<void> {
      if (await store.remove(name)) return
      throw new AppError('credential_not_found', 'No local credential has this name.')
    },

    /**
     * The key that a `credentialRef` names: the local store first, then the environment.
     * @throws {AppError} `credential_error`, naming the name, never the value
     */
    resolve(ref: string | null): string {
      if (ref === null) return NO_AUTH
      const name = credentialName(ref) ?? ref
      const value = store.find(name) ?? environmentSecret(name)
      if (value === undefined) {
        throw new AppError(
          'credential_error',
          `There is no credential ${name}. Set it with PUT /admin/credentials/${name}, or as an environment variable.`,
        )
      }
      if (!HEADER_VALUE.test(value)) {
        throw new AppError(
          'credential_error',
          `The credential ${name} holds spaces, line ends or other characters that no header can carry. Set it again.`,
        )
      }
      return value
    },
  }
}

const present = (name: string): Credential => ({ name, hasValue: true })
