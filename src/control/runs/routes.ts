import { Elysia } from 'elysia'
import { type Authenticate, routeOptions } from '#kernel/http/plane'
import { EventStream } from '#kernel/http/shapes'
import { runAnswer, streamAnswer } from './answer'
import { RUN_ERRORS } from './errors'
import { Cancelled, Reattach, ReattachHeaders, Run, RunList, RunQuery, RunResult, StartRun } from './schema'
import type { RunService } from './service'

export const runRoutes = ({ authenticate, runs }: { authenticate: Authenticate; runs: RunService }) =>
  new Elysia({ prefix: '/runs' })
    .use(routeOptions(authenticate))
    .get('', ({ principal, query }) => runs.list(principal, query), {
      role: 'viewer',
      query: RunQuery,
      response: RunList,
    })
    .post(
      '',
      async ({ principal, body, request }) =>
        runAnswer(body, await runs.start(principal, body, request.signal)),
      {
        role: 'viewer',
        body: StartRun,
        response: RunResult,
        errors: RUN_ERRORS,
      },
    )
    .get('/:id', ({ principal, params }) => runs.get(principal, params.id), {
      role: 'viewer',
      response: Run,
      errors: ['run_not_found'],
    })
    .get(
      '/:id/stream',
      ({ principal, params, headers, query, request }) =>
        runs
          .attach(principal, params.id, headers['last-event-id'] ?? query.last_event_id, request.signal)
          .then(streamAnswer),
      {
        role: 'viewer',
        query: Reattach,
        headers: ReattachHeaders,
        response: { 200: EventStream },
        errors: ['run_not_found', 'stream_gone'],
      },
    )
    .post(
      '/:id/cancel',
      ({ principal, params, status }) =>
        runs.cancel(principal, params.id).then((cancelled) => status(202, cancelled)),
      {
        role: 'viewer',
        response: { 202: Cancelled },
        errors: ['run_not_found', 'run_finished'],
      },
    )
