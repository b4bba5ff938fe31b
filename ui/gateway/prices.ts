import { texts as gateway } from '../texts/gateway'
import type { Prices } from './data'

const texts = gateway.priceForm

const RATE_NAMES = ['input', 'cache_read', 'cache_write_5m', 'cache_write_1h', 'output'] as const
export type Rate = (typeof RATE_NAMES)[number]
export const RATES = RATE_NAMES.map((name) => ({ name, label: gateway.prices.rates[name] }))

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
  if (filled.length === 0) return { problem: texts.noPrice }
  const prices: Prices = []
  for (const row of filled) {
    const model = row.model.trim()
    if (model === '' || model.length > LONGEST_MODEL) return { problem: texts.noModel }
    if (prices.some((price) => price.model === model)) return { problem: texts.twice(model) }
    const rates = RATES.map(({ name }) => [name, rateOf(row[name])] as const)
    const bad = rates.find(([, rate]) => rate === null)
    if (bad) {
      return { problem: texts.wrongRate({ model, rate: gateway.prices.rates[bad[0]], most: HIGHEST }) }
    }
    prices.push({ model, ...(Object.fromEntries(rates) as Record<Rate, number>) })
  }
  return { prices }
}

function rateOf(text: string): number | null {
  const rate = text.trim() === '' ? Number.NaN : Number(text.trim())
  return rate >= 0 && rate <= HIGHEST ? rate : null
}

/** The first that is in the first line: a comma may also be within a number. */
const DELIMITERS = ['\t', '|', ';', ',']
/** `$3.00` and `3` are the same to a person. */
const amount = (text: string) =>
  text
    .trim()
    .replace(/^"|"$/g, '')
    .replace(/^\$\s*/, '')
    .trim()
const columnName = (text: string) =>
  amount(text)
    .toLowerCase()
    .replace(/[\s-]+/g, '_')

/**
 * Rows of a table that somebody copied: from a spreadsheet, as CSV, or as the JSON of the API. The columns are the API's
 * names in any order where a line names them, else in its order. What a row does not say stays empty, to be filled in.
 */
export function pastedPrices(text: string): { rows: PriceDraft[] } | { problem: string } {
  const table = /^\s*[[{]/.test(text) ? jsonTable(text) : textTable(text)
  if (!table) return { problem: texts.noJson }
  const rows = table.filter(({ model }) => model !== '')
  return rows.length > 0 ? { rows } : { problem: texts.noRows }
}

const COLUMNS = ['model', ...RATES.map(({ name }) => name)] as const

function textTable(text: string): PriceDraft[] {
  const lines = text.split(/\r?\n/).filter((line) => /\w/.test(line))
  const delimiter = DELIMITERS.find((one) => lines[0]?.includes(one)) ?? ','
  const cells = lines.map((line) => line.replace(/^\s*\|/, '').split(delimiter))
  const named = cells[0]?.map(columnName) ?? []
  const columns: readonly string[] = named.includes('model') ? named : COLUMNS
  return cells
    .slice(named.includes('model') ? 1 : 0)
    .filter((row) => row.length > 1)
    .map((row) => rowOf((name) => row[columns.indexOf(name)]))
}

function jsonTable(text: string): PriceDraft[] | null {
  try {
    const value: unknown = JSON.parse(text)
    const list = Array.isArray(value) ? value : (value as { prices?: unknown }).prices
    if (!Array.isArray(list)) return []
    return list.map((row) => rowOf((name) => Object(row)[name]))
  } catch {
    return null
  }
}

const rowOf = (cell: (name: string) => unknown): PriceDraft =>
  Object.fromEntries(COLUMNS.map((name) => [name, amount(String(cell(name) ?? ''))])) as PriceDraft

/** Of these models those that no row is for, as the control plane reads rows. */
export const withoutPrice = (models: readonly string[], prices: Prices): string[] =>
  models.filter(
    (used) =>
      !prices.some(({ model }) =>
        model.endsWith('*') ? used.startsWith(model.slice(0, -1)) : used === model,
      ),
  )

/** One table of two: a row that comes takes the place of the one for the same model, an empty one is not kept. */
export function withRows(rows: readonly PriceDraft[], more: readonly PriceDraft[]): PriceDraft[] {
  const coming = new Set(more.map(({ model }) => model))
  const kept = rows.filter(
    (row) => !coming.has(row.model.trim()) && Object.values(row).some((text) => text !== ''),
  )
  return [...kept, ...more]
}
