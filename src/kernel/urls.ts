const MAX_URL_LENGTH = 2_000

/** A user name or password in an address would be shown to everyone who may read the address. */
export function isHttpUrl(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > MAX_URL_LENGTH || /\s/.test(value)) return false
  const parsed = URL.parse(value)
  return /^https?:$/.test(parsed?.protocol ?? '') && !parsed?.username && !parsed?.password
}
