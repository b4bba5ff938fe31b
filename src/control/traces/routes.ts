import { Elysia } from 'elysia'
import { type Authenticate, routeOptions } from '#kernel/http/plane'
import { EventStream } from '#kernel/http/shapes'
import { streamAnswer } from '../runs/answer'
import { traceJson } from './exact-json'
import { NodeIo, Trace } from './schema'
import type { TraceService } from './service'

/** Traces hang below the runs they belong to. */
export const traceRoutes = ({ authenticate, traces }: { authenticate: Authenticate; traces: TraceService }) =>
  new Elysia({ prefix: '/runs/:id' })
    .use(routeOptions(authenticate))
    .get('/trace', async ({ principal, params }) => traceJson(await traces.trace(principal, params.id)), {
      role: 'viewer',
      response: { 200: Trace },
      errors: ['run_not_found'],
    })
    .get('/trace/stream', ({ principal, params }) => traces.live(principal, params.id).then(streamAnswer), {
      role: 'viewer',
      response: { 200: EventStream },
      errors: ['run_not_found'],
    })
    .get(
      '/nodes/:node_id/io',
      ({ principal, params }) => traces.nodeIo(principal, params.id, params.node_id),
      {
        role: 'viewer',
        response: NodeIo,
        errors: ['run_not_found'],
      },
    )
