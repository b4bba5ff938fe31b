import { Elysia } from 'elysia'
import { AppError } from '#kernel/errors'
import { type Authenticate, bearerOf } from '#kernel/http/plane'
import { isSameToken, TOKEN_PREFIX } from '#kernel/tokens'
import type { Caller } from './launch'

interface Deps {
  authenticate: Authenticate
  /** `SERVICE_INVOKE_TOKEN`; without it only API keys open the gate. */
  invokeToken: string | undefined
}

const callers = new WeakMap<Request, Caller>()

/**
 * The gate of `invoke` (specification, part 5.8): an API key, which then owns the run, or the deployment's token, whose
 * runs have no owner. A session token does not open it.
 */
export function invokeGate({ authenticate, invokeToken }: Deps) {
  async function callerOf(token: string): Promise<Caller | null> {
    if (invokeToken !== undefined && isSameToken(token, invokeToken)) return { userId: null, role: 'viewer' }
    return token.startsWith(TOKEN_PREFIX.api_key) ? authenticate(token) : null
  }

  return new Elysia({ name: 'invoke-gate' }).macro({
    invoker: (_: true) => ({
      // Before the body is looked at, like a role.
      async transform({ request }: { request: Request }) {
        const token = bearerOf(request)
        const caller = token === null ? null : await callerOf(token)
        if (!caller) {
          throw new AppError(
            'unauthorized',
            'Send an API key, or the token of this deployment (SERVICE_INVOKE_TOKEN), as the bearer.',
          )
        }
        callers.set(request, caller)
      },
      resolve: ({ request }: { request: Request }) => ({ caller: callers.get(request)! }),
    }),
  })
}
