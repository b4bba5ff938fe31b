import { BlockList, isIP } from 'node:net'
import { StartError } from '../errors'

/**
 * Never called, whoever asks: what machines tell about themselves. Link-local holds the metadata service of most
 * clouds; the others have theirs at addresses of their own.
 */
const NEVER = networks([
  '169.254.0.0/16',
  'fe80::/10',
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
  '100.100.100.200/32',
  '168.63.129.16/32',
  '192.0.0.192/32',
  '224.0.0.0/4',
  '240.0.0.0/4',
  'ff00::/8',
])
/** This machine and the networks it stands in: a person's own when Tycho runs there, the operator's when it is hosted. */
const PRIVATE = networks([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '::/127',
  'fc00::/7',
  'fec0::/10',
])
/** IPv6 that carries an IPv4 address in it: `::ffff:a.b.c.d`, NAT64, 6to4 and the old `::a.b.c.d`. */
const CARRIERS = [
  { prefix: /^0000:0000:0000:0000:0000:(?:ffff|0000):/, at: 6 },
  { prefix: /^0064:ff9b:0000:0000:0000:0000:/, at: 6 },
  { prefix: /^2002:/, at: 1 },
]

/** Whether an address, looked up for `name` or given as it is, may be called. */
export type Reach = (address: string, name: string) => boolean

/**
 * Who may be called: in local topology all but the addresses of `NEVER`, in hosted the public ones and `allowed`.
 * @throws {StartError} `allowed` holds a network that is none
 */
export function reachOf({
  topology,
  allowed,
}: {
  topology: 'local' | 'hosted'
  /** Names, addresses and networks such as `10.1.0.0/16`. */
  allowed: readonly string[]
}): Reach {
  const names = new Set(allowed.map((entry) => entry.toLowerCase()))
  const open = networks(allowed.filter((entry) => isIP(entry.split('/')[0]!) !== 0))
  return (address, name) => {
    const forms = [address, carried(address)].filter((form) => form !== null)
    if (isIP(address) === 0 || forms.some((form) => has(NEVER, form))) return false
    if (topology === 'local' || names.has(name.toLowerCase())) return true
    return forms.every((form) => !has(PRIVATE, form) || has(open, form))
  }
}

function networks(list: readonly string[]): BlockList {
  const block = new BlockList()
  for (const entry of list) {
    const [address = '', bits] = entry.split('/')
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4'
    const most = family === 'ipv6' ? 128 : 32
    const size = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN
    if (!(size <= most))
      throw new StartError(`SERVICE_OUTBOUND_ALLOW: ${entry} is no network such as 10.1.0.0/16.`)
    block.addSubnet(address, size, family)
  }
  return block
}

const has = (block: BlockList, address: string): boolean =>
  block.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')

/** The IPv4 address inside an IPv6 one, or null. */
function carried(address: string): string | null {
  if (isIP(address) !== 6) return null
  const full = groupsOf(address)
  const carrier = CARRIERS.find(({ prefix }) => prefix.test(full.join(':')))
  if (!carrier) return null
  const bytes = full.slice(carrier.at, carrier.at + 2).flatMap((group) => [group.slice(0, 2), group.slice(2)])
  return bytes.map((byte) => Number.parseInt(byte, 16)).join('.')
}

/** The eight groups, with all their digits. */
function groupsOf(address: string): string[] {
  // The URL parser settles every spelling, `::1.2.3.4` too; a zone such as `%eth0` is no part of the address.
  const settled = new URL(`http://[${address.split('%')[0]}]/`).hostname.slice(1, -1)
  const [head = '', tail] = settled.split('::')
  const left = head.split(':').filter(Boolean)
  const right = (tail ?? '').split(':').filter(Boolean)
  const zeros = tail === undefined ? 0 : 8 - left.length - right.length
  return [...left, ...Array(zeros).fill('0'), ...right].map((group) => group.padStart(4, '0'))
}
