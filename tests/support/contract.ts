import type { Answer } from './world'

interface Operation {
  responses: Record<string, { content?: Record<string, { 'x-codes'?: string[] }> }>
}
interface Document {
  paths: Record<string, Record<string, Operation>>
}

const documents = new Map<string, Promise<Document>>()

/** The OpenAPI document of a plane. */
export function documentOf(url: string): Promise<Document> {
  let document = documents.get(url)
  if (!document) {
    document = fetch(`${url}/openapi.json`).then((response) => response.json() as Promise<Document>)
    documents.set(url, document)
  }
  return document
}

/** Fails when an answer has a status, or an error a code, that the document does not name for the route. */
export async function checkAgainstDocument(
  url: string,
  method: string,
  path: string,
  { status, body }: Answer,
) {
  if (path.startsWith('/openapi.json')) return
  const { paths } = await documentOf(url)
  const operation = findOperation(paths, method, path)
  // Unknown paths answer 404 and preflights 204: neither is an operation.
  if (!operation) return
  const declared = operation.responses[status] ?? operation.responses.default
  if (!declared)
    throw new Error(
      `${method} ${path} answered ${status}, which its OpenAPI entry does not name: ${JSON.stringify(body)}`,
    )
  const codes = declared.content?.['application/json']?.['x-codes']
  const code = (body as { error?: { code?: string } } | null)?.error?.code
  // A provider's refusal keeps its own status, which may be one that other codes have too.
  if (code === 'upstream_error' && operation.responses.default) return
  if (codes && code !== undefined && !codes.includes(code)) {
    throw new Error(
      `${method} ${path} answered ${status} ${code}, but its OpenAPI entry names ${codes.join(', ')}`,
    )
  }
}

function findOperation(paths: Document['paths'], method: string, path: string): Operation | undefined {
  const bare = path.split('?')[0]!
  const matches = Object.keys(paths)
    .filter((template) => paths[template]![method.toLowerCase()])
    .filter((template) =>
      new RegExp(`^${template.replace(/[.*+?^$()|[\]\\]/g, '\\$&').replace(/\{[^}]+\}/g, '.+')}$`).test(bare),
    )
    // `/runs/{id}` also fits `/runs/x/trace`: the most specific template is meant.
    .sort((a, b) => a.replace(/\{[^}]+\}/g, '').length - b.replace(/\{[^}]+\}/g, '').length)
  const template = matches.at(-1)
  return template ? paths[template]![method.toLowerCase()] : undefined
}
