/**
 * The spelling of paths, settled once.
 *
 * Custom methods: the specification spells them `POST /models/{id}:warm`. The router reads every `:` as the start of
 * a parameter, so slices declare them as `/models/:id/~warm`, and this is the one place that knows both spellings.
 * Only a known verb after the last colon is one, and only on POST: logical ids may hold colons. Clients that are typed
 * from the routes spell it `/~warm`, which is the same.
 *
 * Ids with slashes: below the prefixes in `GREEDY` an id may hold `/` and `:`, raw or percent-encoded. It is the rest
 * of the path but for a verb or, on GET, a known last segment (`/capabilities`), and reaches the router as one encoded
 * segment. An id that itself ends in such a segment is read with its slash encoded.
 */
const VERB = /(?::|%3A|\/~)(warm|evict|close|ingest|cancel|preview|start|test|verify|reprice)$/i
const GREEDY = [
  { prefix: '/admin/models/', endings: ['capabilities'] },
  { prefix: '/admin/catalog/models/', endings: [] },
]

/** The path as the router knows it. `path` has no query. */
export function routerPath(method: string, path: string): string {
  const verb = method === 'POST' ? VERB.exec(path) : null
  const bare = verb ? path.slice(0, verb.index) : path
  const action = verb ? `/~${verb[1]!.toLowerCase()}` : ''
  const greedy = GREEDY.find(({ prefix }) => bare.startsWith(prefix) && bare.length > prefix.length)
  if (!greedy) return bare + action
  const ending = greedy.endings.find(
    (word) =>
      method === 'GET' && bare.endsWith(`/${word}`) && bare.length > greedy.prefix.length + word.length + 1,
  )
  const id = bare.slice(greedy.prefix.length, ending ? -ending.length - 1 : undefined)
  return greedy.prefix + encodeURIComponent(decode(id)) + (ending ? `/${ending}` : '') + action
}

/** The path as the specification spells it: what the OpenAPI document shows for a route. */
export const publicPath = (route: string): string =>
  route
    .replace(/\/~([a-z]+)$/, ':$1')
    .replace(/:([A-Za-z_]+)(?=\/|:|$)/g, (whole, name: string, at: number) =>
      route[at - 1] === '/' ? `{${name}}` : whole,
    )

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    // A stray percent sign: the caller meant it literally.
    return segment
  }
}
