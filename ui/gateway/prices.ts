import type { Prices } from './data'

export const RATES = [
  { name: 'input', label: 'Input' },
  { name: 'cache_read', label: 'Cache read' },
  { name: 'cache_write_5m', label: 'Cache write 5 m' },
  { name: 'cache_write_1h', label: 'Cache write 1 h' },
  { name: 'output', label: 'Output' },
] as const
type Rate = (typeof RATES)[number]['name']

/** A row as it is being typed. */
export type PriceDraft = Record<'model' | Rate, string>

export const BLANK: PriceDraft = {
  model: '',
  input: '',
  cache_read: '',
  cache_write_5m: '',
  cache_write_1h: '',
  output: '',
}

const HIGHEST = 100_000
const LONGEST_MODEL = 200

export const writtenPrices = (prices: Prices): PriceDraft[] =>
  prices.map(({ model, ...rates }) => ({
    model,
    ...(Object.fromEntries(RATES.map(({ name }) => [name, String(rates[name])])) as Record<Rate, string>),
  }))

/** The table as it was typed, or what is wrong with it. Empty rows do not count; an empty price is not free. */
export function readPrices(rows: readonly PriceDraft[]): { prices: Prices } | { problem: string } {
  const filled = rows.filter((row) => Object.values(row).some((text) => text.trim() !== ''))
  if (filled.length === 0) return { problem: 'Enter at least one price.' }
  const prices: Prices = []
  for (const row of filled) {
    const model = row.model.trim()
    if (model === '' || model.length > LONGEST_MODEL) return { problem: 'Each row needs a model.' }
    if (prices.some((price) => price.model === model)) return { problem: `${model} is there twice.` }
    const rates = RATES.map(({ name }) => [name, rateOf(row[name])] as const)
    const bad = rates.find(([, rate]) => rate === null)
    if (bad) {
      const { label } = RATES.find(({ name }) => name === bad[0])!
      return { problem: `${model}: ${label} must be a number from 0 to ${HIGHEST}.` }
    }
    prices.push({ model, ...(Object.fromEntries(rates) as Record<Rate, number>) })
  }
  return { prices }
}

function rateOf(text: string): number | null {
  const rate = text.trim() === '' ? Number.NaN : Number(text.trim())
  return rate >= 0 && rate <= HIGHEST ? rate : null
}
