/** The JSON of an answer that is no larger than `maxBytes`; `null` for anything else. */
export async function boundedJson(response: Response, maxBytes: number): Promise<unknown> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    for await (const chunk of response.body ?? []) {
      length += chunk.length
      // Leaving the loop cancels the rest.
      if (length > maxBytes) return null
      chunks.push(chunk)
    }
    return JSON.parse(Buffer.concat(chunks).toString())
  } catch {
    // Cut off, or no JSON: it tells nothing.
    return null
  }
}

/** The JSON of a file that is no larger than `maxBytes`; `null` for anything else. */
export async function boundedJsonFile(path: string, maxBytes: number): Promise<unknown> {
  const file = Bun.file(path)
  if (!(await file.exists()) || file.size > maxBytes) return null
  return await file.json().catch(() => null)
}
