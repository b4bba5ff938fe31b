/** `name`, or the first of `name_2`, `name_3`, … that nobody has. Underscores only: `$in` takes no hyphen. */
export function freshId(name: string, taken: Iterable<string>): string {
  const known = new Set(taken)
  if (!known.has(name)) return name
  for (let count = 2; ; count++) if (!known.has(`${name}_${count}`)) return `${name}_${count}`
}
