import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { baseUrl } from '../addresses'

const KEY = 'tycho.gateway'
const DEFAULT = 'http://127.0.0.1:8082'

/**
 * Where client tools find the gateway: what this browser was told last, else what the interface's server says. Programs
 * take `localhost` for the IPv6 address first, where a personal gateway does not listen.
 */
export function useGatewayAddress(): [string, (url: string) => void] {
  const [own, setOwn] = useState(() => localStorage.getItem(KEY))
  const { data } = useQuery({
    queryKey: ['gateway', 'address'],
    queryFn: () => baseUrl('gateway'),
    staleTime: Number.POSITIVE_INFINITY,
  })
  const known = data?.replace('//localhost', '//127.0.0.1') ?? DEFAULT
  return [
    own ?? known,
    (url) => {
      if (url && url !== known) localStorage.setItem(KEY, url)
      else localStorage.removeItem(KEY)
      setOwn(url === known ? null : url)
    },
  ]
}
