import type { DeveloperKeys } from './developer-keys'
import type { OrgKeys } from './org-key'
import type { Refusal } from './refusal'
import type { Target } from './target'

/** Who pays for a request, and who made it; both null in personal mode. */
export interface Caller {
  developerId: string | null
  keyId: string | null
  billing: 'own' | 'organization'
}

export const SOMEBODY_HERE: Caller = { developerId: null, keyId: null, billing: 'own' }

const KEY_HEADER = 'x-service-gateway-key'
/** Where client tools put credentials, theirs or ours. */
const CREDENTIALS = ['authorization', 'x-api-key']
const KEY = /^(?:Bearer\s+)?(tygk_[\w-]+)$/i

/**
 * Team mode: finds the developer by the gateway key, takes that key out of `headers`, and leaves in them the credential
 * that the provider is to see. A gateway key never goes on, wherever it was found.
 */
export function admission({ keys, orgKeys }: { keys: DeveloperKeys; orgKeys: OrgKeys }) {
  return (request: Request, target: Target, headers: Headers): Caller | Refusal => {
    const token = takeGatewayKey(request.headers, headers)
    if (token === null) {
      return {
        code: 'gateway_key_missing',
        message: `This gateway needs your gateway key: send it as the header ${KEY_HEADER}, or as the client tool's token. An admin hands keys out.`,
      }
    }
    if (!keys.loaded) {
      return {
        code: 'gateway_keys_unavailable',
        message: 'The gateway has not loaded the keys of its developers yet. Try again in a moment.',
      }
    }
    const key = keys.find(token)
    if (!key) {
      return {
        code: 'gateway_key_invalid',
        message: 'This gateway key is unknown or was revoked. Ask an admin for a new one.',
      }
    }
    const caller: Caller = { developerId: key.developer_id, keyId: key.id, billing: key.billing }
    return key.billing === 'organization'
      ? (onOrganization(target, headers, orgKeys) ?? caller)
      : (onOwn(headers) ?? caller)
  }
}

function takeGatewayKey(given: Headers, headers: Headers): string | null {
  let token = given.get(KEY_HEADER)?.trim() ?? null
  for (const name of CREDENTIALS) {
    const found = KEY.exec(headers.get(name)?.trim() ?? '')?.[1]
    if (found === undefined) continue
    headers.delete(name)
    token ??= found
  }
  return token || null
}

function onOwn(headers: Headers): Refusal | null {
  if (CREDENTIALS.some((name) => headers.has(name))) return null
  return {
    code: 'upstream_credential_missing',
    message: `Your gateway key bills you: send your own credential too, and the gateway key as the header ${KEY_HEADER}.`,
  }
}

function onOrganization({ provider, modelEndpoint }: Target, headers: Headers, orgKeys: OrgKeys) {
  if (!modelEndpoint) {
    return {
      code: 'endpoint_not_allowed',
      message: "The organization's key serves the client tool's model endpoints only.",
    } satisfies Refusal
  }
  const key = orgKeys.of(provider)
  if (key === null) {
    return {
      code: 'org_key_not_configured',
      message: `You are billed to the organization, which has no ${provider} key here yet. An admin sets it.`,
    } satisfies Refusal
  }
  // Whatever the developer sent besides is theirs, and must not reach a provider that bills somebody else.
  for (const name of [...CREDENTIALS, 'cookie']) headers.delete(name)
  if (provider === 'anthropic') headers.set('x-api-key', key)
  else headers.set('authorization', `Bearer ${key}`)
  return null
}
