const whole = new Intl.NumberFormat('en')

/** `12,345`. */
export const count = (value: number): string => whole.format(value)

/** `1 request`, `12 requests`; a plural that is more than an s is said. */
export const counted = (value: number, one: string, more = `${one}s`): string =>
  `${count(value)} ${value === 1 ? one : more}`
