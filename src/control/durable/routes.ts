import { Elysia } from 'elysia'
import { type Authenticate, routeOptions } from '#kernel/http/plane'
import { GRAPH_ERRORS } from '../runs/errors'
import { Awaiting, Enqueued, Fork, Resume, Resumed, StartDurable } from './schema'
import type { DurableService } from './service'

interface Deps {
  authenticate: Authenticate
  durable: DurableService
}

/** Runs that outlive their process; everything else about them is where it is for every run. */
export const durableRoutes = ({ authenticate, durable }: Deps) =>
  new Elysia()
    .use(routeOptions(authenticate))
    .post(
      '/agents/:id/durable-runs',
      ({ principal, params, body, status }) =>
        durable.ofAgent(principal, params.id, body).then((run) => status(202, run)),
      {
        role: 'viewer',
        body: StartDurable,
        response: { 202: Enqueued },
        errors: ['agent_not_found', 'agent_version_not_found', ...GRAPH_ERRORS],
      },
    )
    .get('/runs/:id/awaiting', ({ principal, params }) => durable.awaiting(principal, params.id), {
      role: 'viewer',
      response: Awaiting,
      errors: ['run_not_found', 'run_not_waiting'],
    })
    .post(
      '/runs/:id/resume',
      ({ principal, params, body, status }) =>
        durable.resume(principal, params.id, body).then((resumed) => status(202, resumed)),
      {
        role: 'viewer',
        body: Resume,
        response: { 202: Resumed },
        errors: [
          'run_not_found',
          'durable_required',
          'run_not_waiting',
          'awaiting_node_missing',
          'resume_schema_mismatch',
          'workflow_gone',
        ],
      },
    )
    .post(
      '/runs/:id/fork',
      ({ principal, params, body, status }) =>
        durable.fork(principal, params.id, body).then((run) => status(202, run)),
      {
        role: 'viewer',
        body: Fork,
        response: { 202: Enqueued },
        errors: ['run_not_found', 'step_not_found', 'outputs_not_recorded', ...GRAPH_ERRORS],
      },
    )
