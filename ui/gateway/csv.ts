/** A number stays a number; null is an empty cell. */
export type CsvCell = string | number | null

const BYTE_ORDER_MARK = '\ufeff'
/** What a spreadsheet would take for the beginning of a formula. */
const FORMULA = /^[\s\0]*[=+\-@＝＋－＠]|^[\t\r\n]/
const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/

/**
 * A table as RFC 4180 has it, with a byte order mark, without which a spreadsheet takes UTF-8 for something else. Texts
 * come from client tools (a project is the name of a folder), so none may be run by the spreadsheet that opens it.
 */
export const csvOf = (header: readonly string[], rows: readonly (readonly CsvCell[])[]): string =>
  BYTE_ORDER_MARK + [header, ...rows].map((row) => `${row.map(cellOf).join(',')}\r\n`).join('')

function cellOf(value: CsvCell): string {
  if (value === null) return ''
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : ''
  const text = FORMULA.test(value) ? `'${value}` : value
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
