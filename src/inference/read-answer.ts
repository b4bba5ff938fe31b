/** The whole body of a provider's answer; `null` when it is longer than `maxBytes`, and then no more of it is read. */
export async function readAnswer(
  response: Response,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if (!response.body) return new Uint8Array()
  const stated = response.headers.get('content-length')
  // Of a body that is compressed the length says nothing.
  const isBounded = stated !== null && Number(stated) <= maxBytes && !response.headers.has('content-encoding')
  if (isBounded) return await response.bytes()
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body) {
    bytes += chunk.byteLength
    // Leaving the loop cancels the body, and with it the request.
    if (bytes > maxBytes) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
