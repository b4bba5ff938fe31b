/** What the listener knows of a request, for the log line and for slowing sign-ins. */
export interface RequestContext {
  id: string
  /** Address of the peer; empty in tests that call a plane without a socket. */
  address: string
  /** The pattern that answered, `/runs/:id`; unset where no route matched. */
  route?: string
}

const contexts = new WeakMap<Request, RequestContext>()

export const setContext = (request: Request, context: RequestContext) => contexts.set(request, context)

export const contextOf = (request: Request): RequestContext => {
  let context = contexts.get(request)
  if (!context) {
    context = { id: crypto.randomUUID(), address: '' }
    contexts.set(request, context)
  }
  return context
}
