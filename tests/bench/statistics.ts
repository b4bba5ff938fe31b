/** The value below which `share` of the samples lie. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = [...samples].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN
}

export const round = (value: number, digits = 2) => Number(value.toFixed(digits))

export function table(title: string, rows: Record<string, string | number>[]) {
  console.log(`\n${title}`)
  console.table(rows)
}

/** Prints rows as `docs/benchmarks.md` has them. */
export function markdown(rows: Record<string, string>[]) {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`
  const heads = Object.keys(rows[0] ?? {})
  console.log(`\n${line(heads.map((head) => head.trim()))}\n|${heads.map(() => '---|').join('')}`)
  for (const row of rows) console.log(line(heads.map((head) => row[head] ?? '')))
}
