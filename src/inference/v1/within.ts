/** The result where it comes in time; `null` where it does not, and then it is still to be waited for. */
export async function within<T>(result: Promise<T>, ms: number): Promise<T | null> {
  const late = Promise.withResolvers<null>()
  const timer = setTimeout(() => late.resolve(null), ms)
  return await Promise.race([result, late.promise]).finally(() => clearTimeout(timer))
}
