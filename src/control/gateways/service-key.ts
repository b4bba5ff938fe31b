import { Elysia } from 'elysia'
import { AppError } from '#kernel/errors'
import { contextOf } from '#kernel/http/context'
import { bearerOf } from '#kernel/http/plane'
import { TOKEN_PREFIX } from '#kernel/tokens'
import type { GatewayService } from './service'
import type { GatewayRow } from './store'

const callers = new WeakMap<Request, GatewayRow>()

/** The option of routes that gateways call: the service key is checked before the body is looked at. */
export const gatewayOptions = (gateways: GatewayService) =>
  new Elysia({ name: 'gateway-options' }).macro({
    gateway: (why: string) => ({
      detail: { 'x-open': why } as Record<string, unknown>,
      async transform({ request, route }) {
        contextOf(request).route = route
        const token = bearerOf(request)
        const gateway = token?.startsWith(TOKEN_PREFIX.service_key)
          ? await gateways.byServiceKey(token)
          : null
        if (!gateway) throw new AppError('unauthorized', 'Send the service key of a gateway that is enabled.')
        callers.set(request, gateway)
      },
      resolve: ({ request }) => ({ gateway: callers.get(request)! }),
    }),
  })
