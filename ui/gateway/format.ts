import { texts as reports } from '../texts/gateway-reports'

const texts = reports.values
const dollars = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' })
const fractions = new Intl.NumberFormat('en', {
  style: 'currency',
  currency: 'USD',
  maximumSignificantDigits: 2,
})
const percents = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })
const CENT = 0.01

/** Less than a cent keeps two figures that matter. */
export const money = (value: number): string =>
  value > 0 && value < CENT ? fractions.format(value) : dollars.format(value)
export const share = (value: number | null): string => (value === null ? '–' : percents.format(value))
export const milliseconds = (value: number | null): string => (value === null ? '–' : duration(value))

/** In the two largest units that there are. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`
  const all = Math.round(ms / 1_000)
  if (all < 60) return `${all} s`
  const [hours, minutes] = [Math.floor(all / 3_600), Math.floor(all / 60) % 60]
  return hours > 0 ? `${hours} h ${minutes} min` : `${minutes} min ${all % 60} s`
}

interface Priced {
  cost: number
  /** Requests that used tokens of a model without a price. */
  unpriced: number
}

/** What has no price is said to have none: it is never nothing. */
export function costText({ cost, unpriced }: Priced): string {
  if (unpriced === 0) return money(cost)
  return cost === 0 ? texts.unpriced : texts.withUnpricedRequests(money(cost), unpriced)
}

interface Tokens {
  input: number
  cache_read: number
  output: number
  cache_write?: number
  cache_write_5m?: number
  cache_write_1h?: number
}

/** All of them, whatever they cost. */
export const tokensOf = (of: Tokens): number =>
  of.input +
  of.cache_read +
  (of.cache_write ?? 0) +
  (of.cache_write_5m ?? 0) +
  (of.cache_write_1h ?? 0) +
  of.output

const CLIENTS: Record<string, string> = texts.clients
export const clientName = (client: string): string => CLIENTS[client] ?? (client || texts.unknownClient)
/** Nobody is known in personal mode. */
export const developerName = (name: string | null | undefined, id: string): string =>
  name ?? (id === '' ? texts.unknownDeveloper : id)
