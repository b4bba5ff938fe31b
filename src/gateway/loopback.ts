import type { Refusal } from './refusal'

const LOOPBACK_NAME = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i
const LOOPBACK_ADDRESS = /^(127(\.\d{1,3}){3}|::1|::ffff:127(\.\d{1,3}){3})$/i

export const isLoopbackHost = (host: string): boolean => LOOPBACK_NAME.test(host)

/**
 * Why a personal gateway must not answer a request, or null. It holds no key of its own and asks for none, so nobody
 * but programs of this machine may use it: no other machine, no name that was pointed here (DNS rebinding), no page.
 */
export function strangerTo(origins: ReadonlySet<string>) {
  return (headers: Headers, address: string): Refusal | null => {
    if (address !== '' && !LOOPBACK_ADDRESS.test(address))
      return forbidden('A personal gateway answers programs of its own machine only.')
    const host = headers.get('host') ?? ''
    if (!isLoopbackHost(host.replace(/:\d+$/, '')))
      return forbidden(`A personal gateway does not answer to the name ${host.slice(0, 200) || '(none)'}.`)
    return foreignPage(headers, origins)
  }
}

/** Pages may not call a gateway, but for those of the interface. */
export function foreignPage(headers: Headers, origins: ReadonlySet<string>): Refusal | null {
  const origin = headers.get('origin')
  if (origin === null || origins.has(origin)) return null
  return forbidden(`Pages of ${origin.slice(0, 200)} may not call this gateway.`)
}

const forbidden = (message: string): Refusal => ({ code: 'origin_not_allowed', message })
