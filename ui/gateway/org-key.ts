import { ApiError } from '../api'
import { texts as gateway } from '../texts/gateway'
import { ticketFor } from './data'

const texts = gateway.orgKey

export type Provider = 'anthropic' | 'openai'

interface Facts {
  configured: boolean
  source: 'none' | 'environment' | 'stored'
  locked: boolean
}
export interface OrgKeyStatus {
  providers: Record<Provider, Facts>
}

/** Where a gateway is, and which one the control plane knows it as. */
export interface Place {
  url: string
  gatewayId: string
}

/**
 * The organization's key goes from this page to the gateway itself, never through the control plane, and the token of the
 * signed-in admin never to the gateway: each request brings a ticket that opens once, within a minute.
 * @throws {ApiError} status 0 where the gateway cannot be asked
 */
async function ask({ url, gatewayId }: Place, method: string, query = '', body?: object): Promise<Response> {
  const ticket = await ticketFor(gatewayId)
  const address = url.replace(/\/+$/, '')
  let response: Response
  try {
    response = await fetch(`${address}/admin/org-key${query}`, {
      method,
      headers: {
        authorization: `Bearer ${ticket}`,
        ...(body ? { 'content-type': 'application/json' } : {}),
      },
      body: body && JSON.stringify(body),
    })
  } catch {
    // The browser does not say which: nobody answers, or the answer is not for this page.
    throw new ApiError(0, 'gateway_unreachable', texts.noAnswer(address))
  }
  if (!response.ok) throw await refusal(response)
  return response
}

async function refusal(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => null)) as {
    error?: { code?: string; message?: string }
  } | null
  const { code = `http_${response.status}`, message = texts.refused(response.status) } = body?.error ?? {}
  return new ApiError(response.status, code, message)
}

export const readOrgKey = async (place: Place): Promise<OrgKeyStatus> =>
  (await ask(place, 'GET')).json() as Promise<OrgKeyStatus>

export const setOrgKey = async (place: Place, provider: Provider, value: string): Promise<OrgKeyStatus> =>
  (await ask(place, 'PUT', '', { provider, value })).json() as Promise<OrgKeyStatus>

export const removeOrgKey = async (place: Place, provider: Provider): Promise<void> => {
  await ask(place, 'DELETE', `?provider=${provider}`)
}

/** What to do about a refusal, where the gateway's own words do not say so. */
export function helpWith(error: unknown, origin: string): string | null {
  if (!(error instanceof ApiError)) return null
  if (error.status === 0) return texts.help.noAnswer(origin)
  if (error.status === 404) return texts.help.personal
  if (error.code === 'org_key_pinned') return texts.help.locked
  if (error.code === 'invalid_ticket') return texts.help.otherGateway
  return null
}
